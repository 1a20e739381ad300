import tracemalloc
from dataclasses import replace
from itertools import pairwise
from time import monotonic

import numpy as np
import pytest
from every_mapping import every_mapping
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.network import DedicatedLink, TwoKindNetwork
from eyewall_papers.bimodal.obstacles import obstacles, require_places
from eyewall_papers.bimodal.solve import POLICIES, MappingRequest, MappingSolution, solve_mapping
from eyewall_papers.bimodal.task import Task
from eyewall_sidecar.model import LinkMatrix, Node, ProblemError, Status
from eyewall_sidecar.objective import Term
from hypothesis import given, settings
from hypothesis import strategies as st
from two_kind_networks import random_case

NETWORK = TwoKindNetwork(
    nodes=(Node("a", cpu=0), Node("b", cpu=1), Node("c", cpu=0)),
    dedicated=(
        DedicatedLink("a", "b", bandwidth=10, delay=0.001, price=1),
        DedicatedLink("b", "c", bandwidth=10, delay=0.002, price=1),
    ),
    services={"b": frozenset({"x"})},
)
TASK = Task.of_services("t", ("a", "c"), ["x"], [1], [4, 2], budgets=[1, 1])


def solved(
    policy: str,
    network: TwoKindNetwork = NETWORK,
    task: Task = TASK,
    *,
    metric: str = "payment",
    time_limit: float = 60.0,
) -> MappingSolution:
    asked = MappingRequest(network, Resources.of(network), task, metric)
    return solve_mapping(asked, policy, time_limit=time_limit, seed=0, clock=monotonic)


@pytest.mark.parametrize("policy", POLICIES)
def test_where_there_is_one_mapping_every_policy_finds_it(policy: str) -> None:
    # 4 + 2 bytes/s at price 1 are 6 in a second; R is 1 + 2 ms.
    found = solved(policy)
    assert found.solution.placement == {"source": "a", "1 x": "b", "sink": "c"}
    assert found.cost == 6.0
    assert found.solution.evaluation is not None
    assert found.solution.evaluation.metrics[Term.R] == pytest.approx(0.003)
    proven = policy in ("exact", "central")
    assert found.solution.status is (Status.OPTIMAL if proven else Status.HEURISTIC)
    assert found.solution.bound == 6.0


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("network", "task", "reason"),
    [
        (
            replace(NETWORK, dedicated=NETWORK.dedicated[:1]),
            TASK,
            (
                "task t: its ends are not connected: no dedicated links lead from a to c, and "
                "there is no public network"
            ),
        ),
        (
            NETWORK,
            replace(TASK, budgets=(0.5, 1.0)),
            (
                "stream source → 1 x: its budget of 0.5 per byte allows no hop; the cheapest "
                "dedicated link that it could leave by costs 1"
            ),
        ),
        (
            NETWORK,
            Task.of_services("t", ("a", "c"), ["x"], [3], [4, 2]),
            "operator 1 x needs 3 cores; the most that a node which may hold it has left is 1",
        ),
        (
            NETWORK,
            Task.of_services("t", ("a", "c"), ["x"], [1], [4, 11]),
            (
                "stream 1 x → sink needs 11 bytes/s; the most that a link which it could leave by "
                "has left is 10"
            ),
        ),
        (
            # b may send 9 bytes/s to the public network, and c takes 6 from there.
            replace(
                NETWORK,
                dedicated=(),
                public=LinkMatrix.from_delays("abc", np.ones((3, 3))),
                uplinks={"b": 9},
                downlinks={"c": 6},
            ),
            Task.of_services("t", ("a", "c"), ["x"], [1], [4, 7]),
            (
                "stream 1 x → sink needs 7 bytes/s; the most that a link which it could leave by "
                "has left is 6"
            ),
        ),
    ],
)
def test_a_single_reason_that_forbids_every_mapping_is_named(
    policy: str, network: TwoKindNetwork, task: Task, reason: str
) -> None:
    found = solved(policy, network, task)
    assert found.solution.status is Status.INFEASIBLE
    assert found.solution.reasons == (reason,)


@settings(max_examples=1_000, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_where_an_obstacle_is_named_there_is_no_mapping(seed: int) -> None:
    case = random_case(seed, nodes=4, components=2)
    free = Resources.of(case.network)
    if obstacles(case.network, free, case.task):
        assert next(every_mapping(case.network, free, case.task), None) is None


def test_a_public_network_joins_what_dedicated_links_do_not() -> None:
    public = LinkMatrix.from_delays("abc", np.ones((3, 3)))
    cut = replace(NETWORK, dedicated=(), public=public)
    assert solved("least_cost", cut).cost == 0.0
    assert obstacles(cut, Resources.of(cut), TASK) == ()


@pytest.mark.parametrize("policy", ["exact", "central"])
def test_what_only_together_leaves_no_mapping_is_infeasible_if_that_is_proven(policy: str) -> None:
    # Both components need b, which holds one.
    two = Task.of_services("t", ("a", "c"), ["x", "x"], [1, 1], [1, 1, 1])
    assert solved(policy, task=two).solution.status is Status.INFEASIBLE


def test_a_heuristic_that_finds_nothing_proves_nothing_unless_the_bound_does() -> None:
    # x is on c and y on b: two streams of 6 bytes/s would lead over b → c, which has 10. The bound
    # does not see bandwidths. It sees that b cannot hold two operators one after the other.
    there_and_back = replace(NETWORK, services={"b": frozenset("y"), "c": frozenset("x")})
    twice = Task.of_services("t", ("a", "c"), ["x", "y"], [0, 1], [6, 6, 6])
    two = Task.of_services("t", ("a", "c"), ["x", "x"], [1, 1], [1, 1, 1])
    assert solved("least_cost", there_and_back, twice).solution.status is Status.FAILED
    assert solved("least_cost", task=two).solution.status is Status.INFEASIBLE


@pytest.mark.parametrize("policy", POLICIES)
def test_budgets_that_allow_no_hop_where_one_is_needed_are_named(policy: str) -> None:
    # x may run at both ends: of each stream alone, both operators could be on one node.
    near = replace(NETWORK, services=dict.fromkeys("abc", frozenset({"x"})))
    task = Task.of_services("t", ("a", "c"), ["x"], [0], [4, 2], budgets=[0, 0.5])
    found = solved(policy, near, task)
    assert found.solution.status is Status.INFEASIBLE
    (reason,) = found.solution.reasons
    assert reason == (
        "the budgets per byte allow no dedicated hops that would lead past nodes for all "
        "operators (stream source → 1 x: 0, stream 1 x → sink: 0.5); without budgets there is "
        "such a path"
    )


def test_a_thousand_nodes_are_mapped_without_an_array_of_their_cube() -> None:
    # A chain of 1,000 nodes of which the first two matter: 1000³ numbers would be 8 GB.
    names = [str(it) for it in range(1_000)]
    links = tuple(DedicatedLink(a, b, 10, price=1) for a, b in pairwise(names))
    network = TwoKindNetwork(tuple(Node(it, cpu=1) for it in names), links)
    tracemalloc.start()
    found = solved("least_cost", network, Task.of_services("t", ("0", "1"), [], [], [4]))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.cost == 4.0
    assert most < 500e6


@pytest.mark.parametrize("policy", ["exact", "least_cost"])
def test_a_time_limit_is_an_answer(policy: str) -> None:
    found = solved(policy, time_limit=0.0)
    assert found.solution.status is Status.TIMED_OUT
    assert found.solution.reasons == ("the time limit ended it with 1 messages under way",)


def test_a_service_that_nobody_offers_and_an_end_that_is_no_node_are_refused() -> None:
    with pytest.raises(ProblemError, match="task t: operator 1 y: no service y; services are x"):
        require_places(NETWORK, Task.of_services("t", ("a", "c"), ["y"], [1], [1, 1]))
    with pytest.raises(ProblemError, match="task t: sink: no node d; nodes are a, b, c"):
        require_places(NETWORK, replace(TASK, sink="d"))
