import numpy as np
import pytest
from eyewall_sidecar.model import Stream
from shuffled_problems import A1, A2, B1, B2, SINK, SOURCE, chain, problem_of, shuffles_of


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
    operators, _ = shuffles_of(problem).multiples([np.array([0, 0, 0, 1])])
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
    operators, _ = shuffles_of(problem).multiples([np.array([0, 1, 0, 1])])
    assert operators.tolist() == pytest.approx([1, 1, 1.5, 0.75])


def test_without_shuffles_nothing_matters() -> None:
    problem = problem_of([Stream("s", "a1", 5.0), Stream("s", "a2", 5.0)], "s", "a1", "a2")
    assert not shuffles_of(problem).matter
    assert chain().matter


def test_a_shuffle_to_one_target_is_none() -> None:
    streams = [Stream("s", "a1", 5.0, shuffle="a"), Stream("s", "b1", 5.0)]
    assert not shuffles_of(problem_of(streams, "s", "a1", "b1")).matter


def test_without_rates_all_targets_count_alike() -> None:
    problem = problem_of(
        [Stream("s", it, 0.0, shuffle="a") for it in ("a1", "a2")], "s", "a1", "a2"
    )
    operators, _ = shuffles_of(problem).multiples([np.array([0, 0, 1])])
    assert operators.tolist() == [1, 2, 0]


def places(*nodes: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(nodes, dtype=np.int64)
