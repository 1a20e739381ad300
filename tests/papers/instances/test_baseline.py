import numpy as np
import pytest
from eyewall_papers.instances.baseline import GraphShape, baseline
from eyewall_papers.instances.tag_and_count import tag_and_count


@pytest.mark.parametrize(
    ("shape", "operators", "streams"),
    [
        # y has |E| · 20 · 20 variables; the paper counts 19,600 and 38,400 at 50 operators.
        (GraphShape.SEQUENTIAL, 50, 49),
        (GraphShape.FAT, 50, 96),
        (GraphShape.LAYERS, 50, 96),
        # and 190,000 and 360,000 for 20 operators on 100 nodes.
        (GraphShape.SEQUENTIAL, 20, 19),
        (GraphShape.FAT, 20, 36),
        (GraphShape.LAYERS, 20, 36),
    ],
)
def test_a_shape_has_as_many_streams_as_the_paper_counts(
    shape: GraphShape, operators: int, streams: int
) -> None:
    assert len(baseline(shape, operators, 20, seed=0).streams) == streams


def test_delays_are_normal_draws_in_milliseconds_of_a_seed_made_of_all_sizes() -> None:
    # seed 3, 10 operators, 4 nodes: 3 · 1000 + 10 · 7 + 4 = 3074; row by row, from node to node.
    drawn = np.random.default_rng(3074).normal(22, 5, (4, 4))
    delays = baseline(GraphShape.FAT, 10, 4, seed=3).link_matrix.delays
    assert delays[1, 2] == pytest.approx(max(drawn[1, 2], 1.0) / 1000)
    assert delays[2, 1] != delays[1, 2]
    assert not delays.diagonal().any()


def test_symmetric_delays_are_those_of_the_upper_triangle() -> None:
    directed = baseline(GraphShape.FAT, 10, 4, seed=3).link_matrix.delays
    symmetric = baseline(GraphShape.FAT, 10, 4, seed=3, symmetric=True).link_matrix.delays
    assert symmetric[1, 2] == symmetric[2, 1] == directed[1, 2]


def test_what_varies_leaves_the_delays_as_they_are() -> None:
    plain = baseline(GraphShape.SEQUENTIAL, 6, 5, seed=1)
    varied = baseline(GraphShape.SEQUENTIAL, 6, 5, seed=1, varied=True)
    assert np.array_equal(plain.link_matrix.delays, varied.link_matrix.delays)
    assert {it.rate for it in plain.streams} == {1.0}
    assert all(1 <= it.rate <= 10 for it in varied.streams)
    assert [it.availability for it in varied.nodes] == [0.99, 1.0, 0.99, 1.0, 0.99]


def test_layers_of_two_need_an_even_number_of_operators() -> None:
    with pytest.raises(ValueError, match="7 operators"):
        baseline(GraphShape.LAYERS, 7, 5, seed=0)


def test_s_odp_has_twelve_executors_with_both_ends_pinned_to_different_nodes() -> None:
    problem = tag_and_count(5)
    source, *between, consumer = problem.operators
    assert len(between) == 10
    assert source.candidates is not None
    assert consumer.candidates is not None
    assert len(source.candidates) == len(consumer.candidates) == 1
    assert source.candidates != consumer.candidates
    assert {it.candidates for it in between} == {None}
    assert {it.operators for it in problem.nodes} == {8}
    assert sorted(it.availability for it in problem.nodes) == [0.99] * 4 + [1.0] * 4


def test_s_odp_sends_ten_tuples_a_second_give_or_take_a_fifth_from_layer_to_layer() -> None:
    # Source to 2 executors: 5 tuples/s each; 2 to 2: 2.5 on each of the four streams.
    rates = {(it.source, it.target): it.rate for it in tag_and_count(0).streams}
    assert 4 <= rates["source", "op1#2"] <= 6
    assert 2 <= rates["op1#1", "op2#2"] <= 3
    assert len(rates) == 2 + 4 * 4 + 2
