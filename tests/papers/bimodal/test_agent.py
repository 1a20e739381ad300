from itertools import pairwise
from math import inf

import pytest
from any_order import AnyOrder
from eyewall_papers.bimodal.agent import MappingAgent
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.messages import Ack, AckKind, Map, UnknownTask
from eyewall_papers.bimodal.metric import DELAY, MapMetric
from eyewall_papers.bimodal.negotiation import FirstInFirstOut, agents_of, deliver, negotiate
from eyewall_papers.bimodal.network import DedicatedLink, LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.partial_map import MapVisit, PartialMap
from eyewall_papers.bimodal.pruning import Exact, LeastCostMap, Pruning, RandomNeighbor
from eyewall_papers.bimodal.task import Task
from eyewall_sidecar.heuristic.stopping_criteria import After
from eyewall_sidecar.model import Node
from numpy.random import default_rng


def row(*capacities: float, **bandwidths: float) -> TwoKindNetwork:
    """Join nodes a, b, c, … in a row; every link costs 1 ms and carries 10 bytes/s if not said."""
    names = "abcdefgh"[: len(capacities)]
    return TwoKindNetwork(
        nodes=tuple(Node(name, cpu=cpu) for name, cpu in zip(names, capacities, strict=True)),
        dedicated=tuple(
            DedicatedLink(one, other, bandwidths.get(one + other, 10.0), delay=0.001)
            for one, other in pairwise(names)
        ),
        services=dict.fromkeys(names, frozenset({"x"})),
    )


def agents(
    network: TwoKindNetwork, pruning: Pruning | None = None, metric: MapMetric = DELAY
) -> dict[str, MappingAgent]:
    return agents_of(network, Resources.of(network), pruning or Exact(), metric, seed=0)


def maps_of(network: TwoKindNetwork, task: Task, pruning: Pruning) -> tuple[PartialMap, ...]:
    agreed = negotiate(network, Resources.of(network), task, pruning, DELAY)
    assert agreed.outcome is not None
    return agreed.outcome.feasible


def test_all_remaining_components_may_be_mapped_on_one_node() -> None:
    # a → b with two components of 1 core: 2 at a, 1 at each, 2 at b, or b first and back to a.
    task = Task.of_services("t", ("a", "b"), ["x", "x"], [1, 1], [1, 1, 1])
    found = maps_of(row(2, 2), task, Exact())
    counts = {tuple(visit.operators for visit in it.visits) for it in found}
    assert counts == {(3, 1), (2, 2), (1, 3), (1, 1, 1, 1)}


def test_a_source_that_is_the_sink_needs_no_link() -> None:
    task = Task.of_services("t", ("a", "a"), ["x"], [1], [99, 99])
    assert [it.cost for it in maps_of(row(1), task, Exact())] == [0.0]


@pytest.mark.parametrize(("max_null", "feasible"), [(0, 0), (1, 0), (2, 1)])
def test_max_null_counts_the_nodes_that_forward_a_stream(max_null: int, feasible: int) -> None:
    # Only d has cores: a forwards to it through b and c.
    task = Task.of_services("t", ("a", "d"), ["x"], [1], [1, 1], max_null=max_null)
    assert len(maps_of(row(0, 0, 0, 1), task, Exact())) == feasible


@pytest.mark.parametrize(("budget", "feasible"), [(1.0, 0), (2.0, 1), (inf, 1)])
def test_a_budget_pays_for_all_hops_of_a_stream(budget: float, feasible: int) -> None:
    network = TwoKindNetwork(
        nodes=(Node("a", cpu=0), Node("b", cpu=0), Node("c", cpu=1)),
        dedicated=(DedicatedLink("a", "b", 9, price=1), DedicatedLink("b", "c", 9, price=1)),
        services={"c": frozenset({"x"})},
    )
    task = Task.of_services("t", ("a", "c"), ["x"], [1], [1, 1], budgets=[budget, 0])
    assert len(maps_of(network, task, Exact())) == feasible


def test_a_map_counts_what_it_put_on_a_link_itself() -> None:
    # Out to b and back, and out again to the sink at b: 6 + 6 > 10 bytes/s from a to b.
    network = TwoKindNetwork(
        nodes=(Node("a"), Node("b")),
        dedicated=(DedicatedLink("a", "b", 10),),
        services={"a": frozenset({"y"}), "b": frozenset({"x"})},
    )
    heavy = Task.of_services("t", ("a", "b"), ["x", "y"], [0, 0], [6, 1, 6])
    light = Task.of_services("t", ("a", "b"), ["x", "y"], [0, 0], [6, 1, 4])
    assert (len(maps_of(network, heavy, Exact())), len(maps_of(network, light, Exact()))) == (0, 1)


def test_a_node_that_sends_nothing_on_is_done_at_once() -> None:
    # Algorithm 1 as printed would never acknowledge: no ack comes that could trigger algorithm 2.
    network = row(1, 0)
    task = Task.of_services("t", ("a", "a"), ["x"], [1], [1, 1])
    both = agents(network)
    sent = both["a"].launch(task)
    (to_itself,) = sent
    answers = both["a"].handle("a", to_itself.message)
    to_b = next(it for it in answers if it.receiver == "b")
    (final,) = both["b"].handle("a", to_b.message)
    assert final.message == Ack("t", AckKind.FINAL)
    assert both["b"].computations == {}


def test_a_map_that_lacks_the_specification_comes_back_and_is_sent_in_full() -> None:
    # b is done with the first map, and has forgotten the task, before the second arrives: a sent it
    # without the specification, since b knew it.
    network = row(2, 0)
    task = Task.of_services("t", ("a", "a"), ["x", "x"], [1, 1], [1, 1, 1])
    both = agents(network)
    (start,) = both["a"].launch(task)
    first, second, *_ = [
        it.message for it in both["a"].handle("a", start.message) if it.receiver == "b"
    ]
    assert isinstance(first, Map)
    assert isinstance(second, Map)
    assert (first.spec, second.spec) == (task, None)
    both["b"].handle("a", first)
    (returned,) = both["b"].handle("a", second)
    assert returned.message == UnknownTask("t", second.partial)
    before = both["a"].computations["t"].count
    (again,) = both["a"].handle("b", returned.message)
    assert again.message == Map("t", second.partial, task)
    assert both["a"].computations["t"].count == before


def test_least_cost_map_sends_on_only_what_is_better_than_before() -> None:
    network = row(2, 2, 2)
    task = Task.of_services("t", ("a", "c"), ["x", "x"], [1, 1], [1, 1, 1])
    free = Resources.of(network)
    all_maps = negotiate(network, free, task, Exact(), DELAY).traffic.maps
    few_maps = negotiate(network, free, task, LeastCostMap(), DELAY).traffic.maps
    assert few_maps < all_maps


def test_random_neighbor_sends_each_map_to_so_many_neighbours() -> None:
    # a has three neighbours and maps the source alone, or source and component: two maps, to one
    # neighbour each.
    network = TwoKindNetwork(
        nodes=tuple(Node(name) for name in "abcd"),
        dedicated=tuple(DedicatedLink("a", it, 9) for it in "bcd"),
        services=dict.fromkeys("a", frozenset({"x"})),
    )
    task = Task.of_services("t", ("a", "d"), ["x"], [1], [1, 1])
    for neighbours, sent in ((1, 2), (2, 4), (3, 6)):
        agent = agents(network, RandomNeighbor(neighbours))["a"]
        start = PartialMap((MapVisit("a", 0, LinkKind.DEDICATED),))
        assert len(agent.handle("d", Map("t", start, task))) == sent


def test_a_stopped_mapping_has_no_outcome_but_the_messages_under_way() -> None:
    network = row(2, 2, 2)
    task = Task.of_services("t", ("a", "c"), ["x", "x"], [1, 1], [1, 1, 1])
    agreed = negotiate(network, Resources.of(network), task, Exact(), DELAY, stop=After(3, 99))
    assert agreed.outcome is None
    assert agreed.traffic.pending > 0


def test_a_probe_that_meets_a_taken_node_is_rolled_back_and_the_next_map_is_tried() -> None:
    # Both tasks are mapped before either is reserved, and rank b first, where only one fits. The
    # second probe fails there, c gives back what it holds for it, and the task runs on a.
    network = row(1, 1, 0)
    tasks = [Task.of_services(name, ("a", "c"), ["x"], [1], [3, 3]) for name in ("one", "two")]
    all_agents = agents(network)
    sent = [it for task in tasks for it in all_agents["c"].launch(task)]
    traffic = deliver(all_agents, sent, FirstInFirstOut())
    outcomes = all_agents["c"].outcomes
    one, two = (outcomes[name].accepted for name in ("one", "two"))
    assert one is not None
    assert two is not None
    assert traffic.messages["RollBack"] == 1
    assert one.mapping(tasks[0]).placement["1 x"] == "b"
    assert two.mapping(tasks[1]).placement["1 x"] == "a"
    # Two tasks of 3 bytes/s along the row of 10: 4 are left, and no core.
    assert all_agents["a"].stock.dedicated == {"b": 4.0}
    assert [it.stock.cpu for it in all_agents.values()] == [0.0, 0.0, 0.0]


def test_no_task_gets_what_another_one_has_reserved() -> None:
    # One core in all: the first to come has it, in any order of messages.
    network = row(0, 1, 0)
    tasks = [Task.of_services(str(it), ("a", "c"), ["x"], [1], [1, 1]) for it in range(3)]
    for seed in range(20):
        all_agents = agents(network)
        sent = [it for task in tasks for it in all_agents["c"].launch(task)]
        deliver(all_agents, sent, AnyOrder(default_rng(seed)))
        outcomes = all_agents["c"].outcomes.values()
        assert [it.settled for it in outcomes] == [True] * 3
        assert sum(it.accepted is not None for it in outcomes) == 1
        assert all_agents["b"].stock.cpu == 0.0
        assert all_agents["a"].stock.dedicated == {"b": 9.0}
