"""What holds for every policy on any network and in any order of messages."""

from math import inf, isinf
from time import monotonic

import pytest
from any_order import AnyOrder
from every_mapping import every_mapping
from eyewall_papers.bimodal.bound import cost_bound
from eyewall_papers.bimodal.central import Optimum, optimal_mapping
from eyewall_papers.bimodal.mapping import Resources, mapping_violations
from eyewall_papers.bimodal.metric import DELAY, METRICS, PAYMENT, Additive
from eyewall_papers.bimodal.negotiation import (
    MessageTraffic,
    Negotiation,
    agents_of,
    deliver,
    negotiate,
)
from eyewall_papers.bimodal.pruning import PRUNINGS, Exact
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.valuation import mapping_cost
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model import violations
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from two_kind_networks import Case, random_case

SEEDS = st.integers(0, 10_000)
POLICIES = st.sampled_from(sorted(PRUNINGS))
ADDITIVE = st.sampled_from([DELAY, PAYMENT])
FEW = settings(max_examples=60, deadline=None)


def mapped(case: Case, policy: str, metric: str, order: int) -> Negotiation:
    return negotiate(
        case.network,
        Resources.of(case.network),
        case.task,
        PRUNINGS[policy],
        METRICS[metric],
        seed=order,
        queue=lambda: AnyOrder(default_rng(order)),
    )


def optimum(case: Case, metric: Additive) -> Optimum:
    return optimal_mapping(
        case.network,
        Resources.of(case.network),
        case.task,
        metric,
        ends_at=monotonic() + 60,
        clock=monotonic,
        seed=0,
    )


@FEW
@given(seed=SEEDS, order=SEEDS, policy=POLICIES, metric=st.sampled_from(sorted(METRICS)))
def test_every_map_of_every_policy_breaks_nothing(
    seed: int, order: int, policy: str, metric: str
) -> None:
    case = random_case(seed)
    free = Resources.of(case.network)
    outcome = mapped(case, policy, metric, order).outcome
    assert outcome is not None
    for found in outcome.feasible:
        mapping = found.mapping(case.task)
        assert mapping_violations(case.network, free, case.task, mapping) == ()
        assert violations(case.task.problem(case.network), mapping.placement) == ()
    # Nobody else takes anything, so the first map that is probed is reserved.
    assert outcome.accepted == next(iter(outcome.feasible), None)


@FEW
@given(seed=SEEDS, order=SEEDS, policy=POLICIES)
def test_the_computation_ends_with_no_state_left_and_every_map_acknowledged(
    seed: int, order: int, policy: str
) -> None:
    case = random_case(seed)
    free = Resources.of(case.network)
    agents = agents_of(case.network, free, PRUNINGS[policy], DELAY, seed=order)
    launched = agents[case.task.sink].launch(case.task)
    traffic: MessageTraffic = deliver(agents, launched, AnyOrder(default_rng(order)))
    assert all(agent.computations == {} for agent in agents.values())
    assert agents[case.task.sink].outcomes[case.task.id].settled
    # A map that came back for want of the specification is sent again: one more map, no ack.
    sent = traffic.messages
    assert sent["Map"] == sent["Ack"] + sent.get("UnknownTask", 0)


@FEW
@given(seed=SEEDS, order=SEEDS)
def test_exact_finds_all_mappings_that_there_are(seed: int, order: int) -> None:
    case = random_case(seed, nodes=4)
    every = list(every_mapping(case.network, Resources.of(case.network), case.task))
    outcome = mapped(case, "exact", "delay", order).outcome
    assert outcome is not None
    found = [str(it.mapping(case.task)) for it in outcome.feasible]
    assert sorted(found) == sorted(map(str, every))


@FEW
@given(seed=SEEDS, metric=ADDITIVE)
def test_the_central_optimum_is_the_best_of_all_mappings(seed: int, metric: Additive) -> None:
    case = random_case(seed, nodes=4)
    free = Resources.of(case.network)
    costs = [
        mapping_cost(case.network, case.task, mapping, metric)
        for mapping in every_mapping(case.network, free, case.task)
    ]
    found = optimum(case, metric)
    if not costs:
        assert found.outcome is Outcome.INFEASIBLE
        return
    assert found.outcome is Outcome.OPTIMAL
    assert found.mapping is not None
    assert mapping_violations(case.network, free, case.task, found.mapping) == ()
    cost = mapping_cost(case.network, case.task, found.mapping, metric)
    assert cost == pytest.approx(min(costs), abs=1e-9)
    assert found.bound == pytest.approx(cost, abs=1e-6)


@FEW
@given(seed=SEEDS, order=SEEDS, policy=POLICIES, name=st.sampled_from(["delay", "payment"]))
def test_no_policy_is_below_the_optimum_nor_the_optimum_below_the_bound(
    seed: int, order: int, policy: str, name: str
) -> None:
    case = random_case(seed)
    free, metric = Resources.of(case.network), METRICS[name]
    assert isinstance(metric, Additive)
    bound = cost_bound(case.network, free, case.task, metric)
    best = optimum(case, metric)
    least = inf
    if best.mapping is not None:
        least = mapping_cost(case.network, case.task, best.mapping, metric)
    assert bound <= least + 1e-9
    outcome = mapped(case, policy, name, order).outcome
    assert outcome is not None
    for found in outcome.feasible:
        recomputed = mapping_cost(case.network, case.task, found.mapping(case.task), metric)
        assert found.cost == pytest.approx(recomputed)
        assert found.cost >= least - 1e-9
    if policy == "exact":
        assert (outcome.feasible[0].cost if outcome.feasible else inf) == pytest.approx(least)


@FEW
@given(seed=SEEDS, order=SEEDS, tasks=st.integers(2, 4))
def test_what_concurrent_tasks_reserve_is_exactly_what_their_mappings_need(
    seed: int, order: int, tasks: int
) -> None:
    case = random_case(seed, components=2)
    free = Resources.of(case.network)
    agents = agents_of(case.network, free, Exact(), METRICS["balanced"], seed=0)
    named = [_renamed(case.task, str(number)) for number in range(tasks)]
    sent = [it for task in named for it in agents[task.sink].launch(task)]
    deliver(agents, sent, AnyOrder(default_rng(order)))
    left = free
    for task in named:
        accepted = agents[task.sink].outcomes[task.id].accepted
        if accepted is not None:
            mapping = accepted.mapping(task)
            assert mapping_violations(case.network, left, task, mapping) == ()
            left = left.reserve(task, mapping)
    for node, agent in agents.items():
        stock = agent.stock
        assert stock.cpu == pytest.approx(left.cpu[node])
        assert (stock.uplink, stock.downlink) == (left.uplinks[node], left.downlinks[node])
        assert stock.dedicated == {to: left.dedicated[node, to] for to in stock.dedicated}


def _renamed(task: Task, name: str) -> Task:
    return Task(
        name,
        task.operators,
        task.streams,
        task.services,
        task.source,
        task.sink,
        task.budgets,
        task.max_null,
    )


def test_a_case_of_every_kind_is_among_those_drawn() -> None:
    # The properties above would hold for networks on which nothing can be mapped, too.
    cases = [random_case(seed) for seed in range(100)]
    outcomes = [mapped(case, "exact", "delay", 0).outcome for case in cases]
    feasible = [it.feasible for it in outcomes if it is not None]
    assert 20 < sum(bool(it) for it in feasible) < 80
    mappings = [it[0].mapping(case.task) for it, case in zip(feasible, cases, strict=True) if it]
    routes = [route for mapping in mappings for route in mapping.routes]
    assert {str(it.kind) for it in routes if it.links} == {"dedicated", "public"}
    assert any(it.forwarding for it in routes)
    bounds = [cost_bound(it.network, Resources.of(it.network), it.task, DELAY) for it in cases]
    assert any(isinf(it) for it in bounds)
