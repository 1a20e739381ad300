from math import inf

from eyewall_papers.bimodal.network import fewest_hops

ONWARD = {"a": "ca", "b": "a", "c": "abd", "d": "b"}
"""From a to b by c or by c and d; loops a – c – a and a – a on the way."""


def path(most_hops: float, source: str = "a", target: str = "b") -> tuple[str, ...]:
    return fewest_hops(source, target, ONWARD.__getitem__, most_hops)


def test_the_shortest_path_is_taken_past_all_loops() -> None:
    assert path(inf) == ("a", "c", "b")


def test_a_path_may_have_as_many_hops_as_are_permitted_and_no_more() -> None:
    assert path(2) == ("a", "c", "b")
    assert path(1) == path(0) == ()


def test_no_path_is_none() -> None:
    assert path(inf, target="e") == ()
