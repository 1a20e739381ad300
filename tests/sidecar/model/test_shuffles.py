import numpy as np
import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.shuffles import Shuffles

SOURCE, A1, A2, B1, B2, SINK = range(6)


def test_what_is_shuffled_to_two_goes_to_the_one_on_the_senders_node() -> None:
    # a1 is with the source and gets all of its tuples, twice what it gets of an even spread.
    operators, streams = chain().multiples([places(0, 0, 1, 0, 1, 0)])
    assert operators[[SOURCE, A1, A2]].tolist() == [1, 2, 0]
    assert streams[:2].tolist() == [2, 0]


def test_what_is_shuffled_to_none_nearby_goes_to_all_alike() -> None:
    operators, streams = chain().multiples([places(0, 1, 2, 1, 2, 0)])
    assert operators[[A1, A2]].tolist() == [1, 1]
    assert streams[:2].tolist() == [1, 1]
    # a1 → b1 and a2 → b2, each twice what it is of an even spread, and nothing crosswise.
    assert streams[2:6].tolist() == [2, 0, 0, 2]
    assert operators[[B1, B2, SINK]].tolist() == [1, 1, 1]


def test_what_starves_sends_nothing_on() -> None:
    # a2 gets nothing, and so does b2, which only a2 has near.
    operators, streams = chain().multiples([places(0, 0, 1, 0, 1, 0)])
    assert operators.tolist() == [1, 2, 0, 2, 0, 1]
    # b1 → sink carries all that b1 and b2 share of an even spread.
    assert streams[6:8].tolist() == [2, 0]


def test_acks_follow_what_their_sender_gets() -> None:
    _, streams = chain().multiples([places(0, 0, 1, 0, 1, 0)])
    # sink → source is Storm's own, and so is a2 → source, who has nothing to ack.
    assert streams[8:].tolist() == [1, 0]


def test_the_nearest_level_with_a_target_counts() -> None:
    # a1 and a2 are in workers of their own, a2's on the source's host.
    workers, hosts = places(0, 1, 2, 3, 4, 5), places(0, 1, 0, 1, 0, 0)
    operators, _ = chain().multiples([workers, hosts])
    assert operators[[A1, A2]].tolist() == [0, 2]
    workers = places(0, 0, 2, 3, 4, 5)
    operators, _ = chain().multiples([workers, hosts])
    assert operators[[A1, A2]].tolist() == [2, 0]


def test_two_targets_on_the_senders_node_divide_its_tuples() -> None:
    # Of a1, a2 and a3 the first two are near: 3/2 each of an even spread.
    problem = problem_of(
        [Stream("s", it, 10.0, shuffle="a") for it in ("a1", "a2", "a3")], "s", "a1", "a2", "a3"
    )
    operators, _ = of(problem).multiples([np.array([0, 0, 0, 1])])
    assert operators.tolist() == [1, 1.5, 1.5, 0]


def test_other_inputs_of_a_target_do_not_depend_on_places() -> None:
    # Half of what a1 gets is shuffled, 5 of 10, and the rest hashed by key: 2 · 5 + 5 of 10.
    problem = problem_of(
        [
            Stream("s", "a1", 5.0, shuffle="a"),
            Stream("s", "a2", 5.0, shuffle="a"),
            Stream("t", "a1", 5.0),
            Stream("t", "a2", 15.0),
        ],
        "s",
        "t",
        "a1",
        "a2",
    )
    operators, _ = of(problem).multiples([np.array([0, 1, 0, 1])])
    assert operators.tolist() == pytest.approx([1, 1, 1.5, 0.75])


def test_without_shuffles_nothing_matters() -> None:
    problem = problem_of([Stream("s", "a1", 5.0), Stream("s", "a2", 5.0)], "s", "a1", "a2")
    assert not of(problem).matter
    assert chain().matter


def test_a_shuffle_to_one_target_is_none() -> None:
    streams = [Stream("s", "a1", 5.0, shuffle="a"), Stream("s", "b1", 5.0)]
    assert not of(problem_of(streams, "s", "a1", "b1")).matter


def test_without_rates_all_targets_count_alike() -> None:
    problem = problem_of(
        [Stream("s", it, 0.0, shuffle="a") for it in ("a1", "a2")], "s", "a1", "a2"
    )
    operators, _ = of(problem).multiples([np.array([0, 0, 1])])
    assert operators.tolist() == [1, 2, 0]


def test_those_among_whom_tuples_are_divided_are_sets_while_they_are_alike() -> None:
    alike = chain().conserved_sets(["s", "a", "a", "b", "b", "z"])
    assert [(alike == alike[it]).nonzero()[0].tolist() for it in (SOURCE, A1, B1, SINK)] == [
        [SOURCE],
        [A1, A2],
        [B1, B2],
        [SINK],
    ]
    assert (alike >= 0).all()
    # a1 and a2 are not alike: how much work there is depends on who gets the tuples. That b1 and b2
    # divide what comes, and the sink gets it all, is not known either.
    unlike = chain().conserved_sets(["s", "a", "other", "b", "b", "z"])
    assert (unlike >= 0).tolist() == [True, False, False, False, False, False]


@pytest.mark.parametrize(
    "streams",
    [
        # What t sends reaches b1 alone: b1's tuples are known before b2's.
        [("s", "b1", 5, "b"), ("s", "b2", 5, "b"), ("t", "b1", 5, None)],
        # Of what t shuffles, b1 gets nothing: the two shuffles have different targets.
        [("s", "b1", 5, "b"), ("s", "b2", 5, "b"), ("t", "b2", 5, "b"), ("t", "b3", 5, "b")],
        # Without rates there is no part, but the shuffles' weights differ.
        [("s", "b1", 0, None), ("s", "b2", 0, None), ("t", "b1", 5, "b"), ("t", "b2", 10, "b")],
        # Alike in what they get together, not in what from whom.
        [("s", "b1", 2, "b"), ("s", "b2", 6, "b"), ("t", "b1", 6, None), ("t", "b2", 2, None)],
    ],
)
def test_what_does_not_reach_all_of_them_alike_divides_nothing(
    streams: list[tuple[str, str, float, str | None]],
) -> None:
    problem = problem_of(
        [Stream(one, to, rate, shuffle=shuffle) for one, to, rate, shuffle in streams],
        "s",
        "t",
        "b1",
        "b2",
        "b3",
    )
    sets = of(problem).conserved_sets(["s", "t", "b", "b", "b"])
    assert sets[2] == -1
    assert sets[3] == -1


def chain() -> Shuffles:
    """Source → a1, a2 → b1, b2 → sink, all shuffled, and two acks."""
    streams = [Stream("source", it, 5.0, shuffle="a") for it in ("a1", "a2")]
    streams += [Stream(a, b, 2.5, shuffle="b") for a in ("a1", "a2") for b in ("b1", "b2")]
    streams += [Stream(b, "sink", 5.0) for b in ("b1", "b2")]
    streams += [
        Stream("sink", "source", 10.0, system=True),
        Stream("a2", "source", 5.0, system=True),
    ]
    return of(problem_of(streams, "source", "a1", "a2", "b1", "b2", "sink"))


def problem_of(streams: list[Stream], *operators: str) -> PlacementProblem:
    return PlacementProblem(
        operators=tuple(map(Operator, operators)),
        streams=tuple(streams),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.001), ("n2", "n1"): Link(0.001)},
    )


def of(problem: PlacementProblem) -> Shuffles:
    return ProblemArrays.of(problem).shuffles


def places(*nodes: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(nodes, dtype=np.int64)
