import pytest
from eyewall_sidecar.objective import Objective

from benchmarks.exact.contenders import Question, cost_of, policy
from benchmarks.instances.loaded import loaded
from benchmarks.instances.unequal import UnequalShape


@pytest.mark.parametrize("objective", ["L=1", "THETA=1"])
def test_under_load_too_less_is_better_and_a_search_costs_less_than_round_robin(
    objective: str,
) -> None:
    problem = loaded(UnequalShape.LAYERS, 9, 6, seed=1)
    question = Question(problem, Objective.parse(objective), 1.0, 0, {})
    run = policy("bound_guided")(question)
    spread = {it.id: problem.nodes[place % 6].id for place, it in enumerate(problem.operators)}
    assert run.cost is not None
    assert run.cost < cost_of(question, spread, {})
    assert not run.failed
