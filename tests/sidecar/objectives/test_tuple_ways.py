"""Where a tuple's way leads, and how much follows from it."""

import pytest
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.tuple_ways import TupleWays, tuple_ways


def ways(names: str, *streams: Stream) -> TupleWays:
    operators = tuple(Operator(it) for it in names)
    return tuple_ways(ProblemArrays.of(PlacementProblem(operators, streams, (Node("n"),), {})))


def test_a_way_takes_one_stream_and_a_tree_all_of_them() -> None:
    # f gets 10 tuples/s, and sends each of them to b and to c.
    found = ways("afbc", Stream("a", "f", 10), Stream("f", "b", 10), Stream("f", "c", 10))
    assert found.visits.tolist() == [1.0, 1.0, 0.5, 0.5]
    assert found.tree_tuples.tolist() == [1.0, 1.0, 1.0, 1.0]
    assert found.way_shares.tolist() == [1.0, 1.0, 0.5, 0.5]
    assert found.tuple_passes.tolist() == found.passes.tolist() == [1.0, 0.5, 0.5]


def test_executors_that_share_tuples_have_their_parts_of_way_and_tree() -> None:
    found = ways("abc", Stream("a", "b", 5), Stream("a", "c", 15))
    assert found.visits.tolist() == found.tree_tuples.tolist() == [1.0, 0.25, 0.75]
    assert found.way_shares.tolist() == [1.0, 1.0, 1.0]


def test_an_operator_that_makes_many_tuples_of_one_makes_the_tree_larger_and_not_the_way() -> None:
    found = ways("abc", Stream("a", "b", 10), Stream("b", "c", 80))
    assert found.visits.tolist() == [1.0, 1.0, 1.0]
    assert found.tree_tuples.tolist() == [1.0, 1.0, 8.0]
    assert found.way_shares[2] == pytest.approx(1 / 8)


def test_a_filter_makes_no_ones_way_shorter() -> None:
    # A tenth goes on to c. The way of a tuple is one of those that do.
    found = ways("abc", Stream("a", "b", 10), Stream("b", "c", 1))
    assert found.visits.tolist() == found.tree_tuples.tolist() == [1.0, 1.0, 1.0]


def test_without_rates_each_stream_of_an_operator_counts_alike() -> None:
    found = ways("abc", Stream("a", "b", 0), Stream("a", "c", 0))
    assert found.visits.tolist() == found.tree_tuples.tolist() == [1.0, 0.5, 0.5]


def test_the_way_of_an_ack_is_no_part_of_the_tuples() -> None:
    acks = Stream("b", "k", 10, system=True), Stream("k", "a", 10, system=True)
    found = ways("abk", Stream("a", "b", 10), *acks)
    assert found.passes.tolist() == [1.0, 1.0, 1.0]
    assert found.tuple_passes.tolist() == [1.0, 0.0, 0.0]
    assert found.tree_tuples.tolist() == [1.0, 1.0, 0.0]
