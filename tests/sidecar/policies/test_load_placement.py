from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from eyewall_contracts.objective_terms import LOAD_TERMS, Term
from eyewall_sidecar.model import (
    Link,
    LoadModel,
    Node,
    Operator,
    PlacementProblem,
    Solution,
    Status,
    Stream,
    violations,
)
from eyewall_sidecar.objective import Objective, ObjectiveError
from eyewall_sidecar.policies import load_policy
from eyewall_sidecar.policies.catalogue import OWN
from load_problems import best_value, load_problem, replicated_chain

SECONDS = 60.0
"""More than any of these takes: each ends with a proof."""


def placed(
    policy: str, problem: PlacementProblem, term: Term, seconds: float = SECONDS
) -> Solution:
    return load_policy(policy)(problem, Objective({term: 1.0}), time_limit=seconds, seed=0)


def workers(demand: float, cores: list[float], **changes: object) -> PlacementProblem:
    """Return source → w0, w1 → sink, where each worker needs the CPU; links take 1 ms."""
    names = [f"n{it}" for it in range(len(cores))]
    problem = PlacementProblem(
        operators=(
            Operator("source", demand=0.0),
            Operator("w0", execution_time=0.001, demand=demand),
            Operator("w1", execution_time=0.001, demand=demand),
            Operator("sink", demand=0.0),
        ),
        streams=tuple(
            Stream(*pair, rate=50)
            for pair in (("source", "w0"), ("source", "w1"), ("w0", "sink"), ("w1", "sink"))
        ),
        nodes=tuple(Node(name, cores=it) for name, it in zip(names, cores, strict=True)),
        links={pair: Link(0.001) for pair in product(names, names) if len(set(pair)) == 2},
    )
    return replace(problem, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("term", LOAD_TERMS)
@pytest.mark.parametrize("draw", [load_problem, replicated_chain])
@pytest.mark.parametrize("seed", range(20))
def test_odp_proves_the_optimum_of_small_problems_or_that_nothing_fits(
    seed: int, draw: Callable[[int], PlacementProblem], term: Term
) -> None:
    problem = draw(seed)
    best = best_value(problem, term)
    solution = placed("odp", problem, term)
    if best is None:
        assert solution.status is Status.INFEASIBLE
        return
    assert solution.status is Status.OPTIMAL
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(best)
    assert solution.bound == pytest.approx(best)
    assert not violations(problem, solution.placement or {})


def test_a_light_load_stays_together_and_a_heavy_one_is_spread() -> None:
    light = placed("bound_guided", workers(0.1, [1.0, 1.0]), Term.L)
    assert len(set((light.placement or {}).values())) == 1
    # Two workers of 0.6 cores fill more than one core: together Θ would be 1 / 1.2.
    heavy = placed("bound_guided", workers(0.6, [1.0, 1.0]), Term.L)
    assert heavy.placement is not None
    assert heavy.placement["w0"] != heavy.placement["w1"]
    assert heavy.evaluation is not None
    assert heavy.evaluation.metrics[Term.THETA] == pytest.approx(1 / 0.6)


def test_heuristics_prove_nothing() -> None:
    solution = placed("bound_guided", workers(0.1, [1.0, 1.0]), Term.L)
    assert solution.status is Status.HEURISTIC
    assert solution.bound is None


def test_among_equals_what_runs_stays() -> None:
    # w0 and w1 are interchangeable, and so are the nodes: one of them must leave, nothing else.
    together = dict.fromkeys(["source", "w0", "w1", "sink"], "n1")
    for term in LOAD_TERMS:
        solution = placed("odp", workers(0.6, [1.0, 1.0], current=together), term)
        assert solution.moves == 1


def test_when_time_is_up_odp_says_how_far_the_optimum_may_be() -> None:
    problem = load_problem(1, operators=40, nodes=12)
    problem = replace(
        problem,
        operators=tuple(replace(it, candidates=None) for it in problem.operators),
        nodes=tuple(Node(it.id, cores=it.cores) for it in problem.nodes),
        load=LoadModel(send_cpu=1e-3),
    )
    solution = placed("odp", problem, Term.L, seconds=0.3)
    assert solution.evaluation is not None
    assert solution.bound is not None
    assert 0 < solution.bound <= solution.evaluation.value
    if solution.status is Status.FEASIBLE:
        assert solution.gap == pytest.approx(1 - solution.bound / solution.evaluation.value)


def test_nothing_to_place_is_placed() -> None:
    problem = PlacementProblem((), (), (Node("n"),), {})
    assert placed("bound_guided", problem, Term.L).placement == {}


@pytest.mark.parametrize("policy", ["greedy", "hill_climbing", "ant_system", "hybrid"])
def test_policies_that_take_hosts_for_idle_decline(policy: str) -> None:
    assert not OWN[policy].takes(Objective.parse("L=1"))
    with pytest.raises(ObjectiveError, match=f"policy {policy} takes hosts for idle"):
        placed(policy, workers(0.1, [1.0]), Term.L)


@pytest.mark.parametrize("seconds", [0.002, 0.0])
def test_executors_that_would_get_nothing_are_put_next_to_the_others(seconds: float) -> None:
    # w0 is next to the source: w1 gets nothing elsewhere. A worker holds three, so w1 needs another
    # on n0, which tuples need not cross into, as w0 stays in the source's. Where nobody knows how
    # long tuples take, nothing is gained by sharing them, but what spreads evenly stays near.
    links = {pair: Link(0.01) for pair in product(("n0", "n1"), repeat=2) if len(set(pair)) == 2}
    load = LoadModel(executors_per_worker=3, crossing_seconds=0.001)
    shuffled = workers(0.01, [1.0, 1.0], links=links, load=load)
    shuffled = replace(
        shuffled,
        operators=tuple(
            replace(
                it,
                candidates=None if it.id == "w1" else ("n0",),
                execution_time=seconds,
            )
            for it in shuffled.operators
        ),
        streams=tuple(
            replace(it, shuffle="w" if it.source == "source" else None) for it in shuffled.streams
        ),
        current={"source": "n0", "w0": "n0", "w1": "n1", "sink": "n0"},
    )
    solution = placed("odp", shuffled, Term.L)
    assert solution.placement is not None
    assert solution.placement["w1"] == "n0"
