import numpy as np
import pytest

from benchmarks.instances.rate_model import stream_rates


def rates(components: list[str], streams: list[tuple[str, str]]) -> list[float]:
    return stream_rates(components, streams, np.random.default_rng(0))


def test_a_source_emits_100_to_1000_tuples_a_second_and_the_next_selectivity_times_that() -> None:
    first, second = rates(["s", "b", "c"], [("s", "b"), ("b", "c")])
    assert 100 <= first <= 1000
    assert 0.1 <= second / first <= 2


def test_every_subscriber_gets_all_that_is_emitted() -> None:
    to_b, to_c = rates(["s", "b", "c"], [("s", "b"), ("s", "c")])
    assert to_b == to_c


def test_streams_that_join_the_same_components_share_what_is_emitted() -> None:
    # Draws go by component, so s emits the same λ in both: once, or as 2 · λ/2.
    (alone,) = rates(["s", "b"], [("s", "b")])
    assert rates(["s", "b"], [("s", "b"), ("s", "b")]) == [alone / 2, alone / 2]


def test_inputs_add_up() -> None:
    # t's only input is s in one case, and s and r in the other; its selectivity is the same draw.
    from_s, from_r, from_t = rates(["s", "r", "t", "u"], [("s", "t"), ("r", "t"), ("t", "u")])
    selectivity = from_t / (from_s + from_r)
    assert 0.1 <= selectivity <= 2


def test_a_stream_back_to_where_it_came_from_brings_nothing_back() -> None:
    plain = rates(["s", "b", "c"], [("s", "b"), ("b", "c")])
    looped = rates(["s", "b", "c"], [("s", "b"), ("b", "c"), ("b", "b")])
    # The loop carries what b emits, and b emits no more for it.
    assert looped == [*plain, pytest.approx(plain[1])]
