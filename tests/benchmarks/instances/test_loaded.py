import pytest

from benchmarks.instances.loaded import CORES, loaded
from benchmarks.instances.unequal import UnequalShape


@pytest.mark.parametrize(
    ("shape", "operators", "busiest_decides"),
    # Of 40 the busiest needs a 40th of all at least; 0.8 cores are less, of 65.5 / 2 = 32.75.
    [(UnequalShape.CHAIN, 40, True), (UnequalShape.LAYERS, 100, False)],
)
def test_the_busiest_operator_needs_most_of_a_thread_or_all_of_them_half_of_all_cpu(
    shape: UnequalShape, operators: int, *, busiest_decides: bool
) -> None:
    problem = loaded(shape, operators, 20, seed=1)
    demands = [it.demand or 0.0 for it in problem.operators]
    # Twenty nodes: 7 · 1 · 0.5 + 7 · 2 · 1 + 6 · 4 · 2 = 65.5 cores of speedup 1.
    room = sum((it.cores or 0.0) * it.speedup for it in problem.nodes)
    assert room == pytest.approx(65.5)
    assert max(demands) <= 0.8 + 1e-9
    assert sum(demands) <= 0.5 * room + 1e-9
    assert (max(demands) == pytest.approx(0.8)) == busiest_decides
    assert (sum(demands) == pytest.approx(0.5 * room)) != busiest_decides


def test_an_operators_demand_is_what_it_receives_times_its_time_for_a_tuple() -> None:
    problem = loaded(UnequalShape.CHAIN, 10, 12, seed=1)
    second, stream = problem.operators[1], problem.streams[0]
    assert stream.target == second.id
    assert second.demand == pytest.approx(stream.rate * second.execution_time)


def test_nodes_have_the_cores_of_their_kind() -> None:
    problem = loaded(UnequalShape.CHAIN, 10, 12, seed=1)
    assert {(it.speedup, it.cores) for it in problem.nodes} == set(CORES.items())
