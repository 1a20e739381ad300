import pytest

from benchmarks.instances.loaded import CORES, loaded
from benchmarks.instances.unequal import UnequalShape


@pytest.mark.parametrize("shape", UnequalShape)
def test_operators_need_half_of_all_cpu_or_the_busiest_most_of_a_thread(
    shape: UnequalShape,
) -> None:
    problem = loaded(shape, 40, 20, seed=1)
    demands = [it.demand or 0.0 for it in problem.operators]
    # Twenty nodes: 7 · 1 · 0.5 + 7 · 2 · 1 + 6 · 4 · 2 = 65.5 cores of speedup 1.
    room = sum((it.cores or 0.0) * it.speedup for it in problem.nodes)
    assert room == pytest.approx(65.5)
    half, busiest = sum(demands) / (0.5 * room), max(demands) / 0.8
    assert max(half, busiest) == pytest.approx(1.0)


def test_an_operators_demand_is_what_it_receives_times_its_time_for_a_tuple() -> None:
    problem = loaded(UnequalShape.CHAIN, 10, 12, seed=1)
    second, stream = problem.operators[1], problem.streams[0]
    assert stream.target == second.id
    assert second.demand == pytest.approx(stream.rate * second.execution_time)


def test_nodes_have_the_cores_of_their_kind() -> None:
    problem = loaded(UnequalShape.CHAIN, 10, 12, seed=1)
    assert {(it.speedup, it.cores) for it in problem.nodes} == set(CORES.items())
