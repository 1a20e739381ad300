import numpy as np
import pytest
from eyewall_sidecar.model import LinkMatrix

from benchmarks.exact.cases import GROUPS
from benchmarks.instances.unequal import UnequalShape, unequal


@pytest.mark.parametrize("shape", UnequalShape)
def test_a_third_of_the_nodes_each_is_edge_fog_and_cloud_with_room_for_all(
    shape: UnequalShape,
) -> None:
    problem = unequal(shape, 40, 21, seed=1)
    kinds = sorted((it.speedup, it.operators) for it in problem.nodes)
    assert kinds == [(0.5, 2)] * 7 + [(1.0, 6)] * 7 + [(2.0, 16)] * 7
    assert len(problem.operators) == 40


def test_nodes_of_a_site_are_a_millisecond_apart_and_sites_5_to_50_both_ways() -> None:
    problem = unequal(UnequalShape.CHAIN, 10, 12, seed=1)
    delays = LinkMatrix.of([it.id for it in problem.nodes], problem.links).delays
    assert (delays == delays.T).all()
    assert np.diag(delays).tolist() == [0.0] * 12
    assert (delays[0, 1:5] == 0.001).all()  # five nodes a site
    assert ((delays[0, 5:] >= 0.005) & (delays[0, 5:] <= 0.05)).all()


@pytest.mark.parametrize(
    ("shape", "streams"),
    # a chain of 12; four times four twice
    [(UnequalShape.CHAIN, 11), (UnequalShape.LAYERS, 32)],
)
def test_shapes_have_their_streams(shape: UnequalShape, streams: int) -> None:
    assert len(unequal(shape, 12, 6, seed=1).streams) == streams


def test_the_same_arguments_give_the_same_problem_and_another_seed_another() -> None:
    one, again, other = (unequal(UnequalShape.RANDOM, 12, 6, seed) for seed in (1, 1, 2))
    assert one.streams == again.streams != other.streams


def test_groups_of_unequal_nodes_have_each_shape_and_both_objectives() -> None:
    assert [len(GROUPS[it]) for it in ("unequal", "unequal-large")] == [12, 6]
