"""All hosts of a network re-allocate their links once."""

import numpy as np
import pytest
from eyewall_papers.bimodal.compiled_negotiation import balanced_mapper
from eyewall_papers.bimodal.mapping import Mapping, Resources, Route, needs, price_per_byte
from eyewall_papers.bimodal.network import DedicatedLink, LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.reallocation_round import (
    ReallocationRound,
    TaskProgress,
    reallocation_round,
)
from eyewall_papers.bimodal.task import Task
from eyewall_sidecar.model import LinkMatrix, Node
from hypothesis import given, settings
from hypothesis import strategies as st
from two_kind_networks import random_case

NODES = ("u", "v", "w")
OVER_INTERNET = Route(LinkKind.PUBLIC, ("u", "v"))
DIRECT = Route(LinkKind.DEDICATED, ("u", "v"))
OVER_W = Route(LinkKind.DEDICATED, ("u", "w", "v"))


def network(**bandwidths: float) -> TwoKindNetwork:
    """Join nodes by dedicated links that are named by both ends, and by the public network."""
    return TwoKindNetwork(
        nodes=tuple(Node(name, cpu=9.0) for name in NODES),
        dedicated=tuple(
            DedicatedLink(pair[0], pair[1], bandwidth=bandwidth, price=1.0)
            for pair, bandwidth in bandwidths.items()
        ),
        public=LinkMatrix.from_delays(NODES, np.full((len(NODES),) * 2, 0.05)),
        uplinks=dict.fromkeys(NODES, 1.0),
        downlinks=dict.fromkeys(NODES, 1.0),
    )


def from_u_to_v(name: str, budget: float, *, max_null: int = 2) -> Task:
    return Task.of_services(name, ("u", "v"), [], [], [1.0], budgets=[budget], max_null=max_null)


def decided(
    links: TwoKindNetwork, *running: tuple[Task, Route, float], interval: float = 10.0
) -> ReallocationRound:
    """Re-allocate for tasks that run since 100 s: task, its route, seconds' worth delivered."""
    progress = [
        TaskProgress(task, Mapping({"source": "u", "sink": "v"}, (route,)), 100.0, done)
        for task, route, done in running
    ]
    free = Resources.of(links)
    for it in progress:
        free = free.reserve(it.task, it.mapping)
    return reallocation_round(links, free, progress, 1.0, interval)


def routes(found: ReallocationRound) -> list[Route]:
    return [route for mapping in found.mappings for route in mapping.routes]


def test_a_stream_on_the_public_network_takes_a_direct_link_that_has_become_free() -> None:
    found = decided(network(uv=1.0), (from_u_to_v("t", 1.0), OVER_INTERNET, 80.0))
    assert routes(found) == [DIRECT]
    assert found.free.dedicated["u", "v"] == 0.0
    assert found.free.uplinks["u"] == found.free.downlinks["v"] == 1.0


def test_who_is_behind_changes_places_with_who_is_not() -> None:
    # Behind by 20 s: 1·(1 + 20/10) = 3 bytes/s needed, against 1 of the one that is on time.
    late, punctual = from_u_to_v("late", 1.0), from_u_to_v("punctual", 1.0)
    found = decided(network(uv=1.0), (punctual, DIRECT, 100.0), (late, OVER_INTERNET, 80.0))
    assert routes(found) == [OVER_INTERNET, DIRECT]


def test_a_budget_four_times_as_large_outweighs_being_behind() -> None:
    late, rich = from_u_to_v("late", 1.0), from_u_to_v("rich", 4.0)
    found = decided(network(uv=1.0), (rich, DIRECT, 100.0), (late, OVER_INTERNET, 80.0))
    assert routes(found) == [DIRECT, OVER_INTERNET]


def test_a_path_over_another_node_is_reserved_on_each_of_its_links() -> None:
    found = decided(network(uw=2.0, wv=2.0), (from_u_to_v("t", 2.0), OVER_INTERNET, 80.0))
    assert routes(found) == [OVER_W]
    assert found.free.dedicated == {
        ("u", "w"): 1.0,
        ("w", "u"): 2.0,
        ("w", "v"): 1.0,
        ("v", "w"): 2.0,
    }


def test_a_path_whose_second_link_is_full_is_not_taken() -> None:
    tasks = from_u_to_v("t", 2.0), from_u_to_v("held", 2.0)
    found = decided(
        network(uw=2.0, wv=1.0), (tasks[0], OVER_INTERNET, 100.0), (tasks[1], OVER_W, 100.0)
    )
    assert sorted(routes(found), key=str) == sorted([OVER_INTERNET, OVER_W], key=str)


def test_a_task_that_lets_no_node_forward_takes_no_path_though_another_may() -> None:
    strict, lenient = from_u_to_v("strict", 9.0, max_null=0), from_u_to_v("lenient", 2.0)
    found = decided(
        network(uw=5.0, wv=5.0), (strict, OVER_INTERNET, 80.0), (lenient, OVER_INTERNET, 80.0)
    )
    assert routes(found) == [OVER_INTERNET, OVER_W]


def test_a_stream_keeps_the_path_that_it_holds() -> None:
    found = decided(network(uw=1.0, wv=1.0), (from_u_to_v("t", 2.0), OVER_W, 100.0))
    assert routes(found) == [OVER_W]


def test_those_who_share_an_uplink_beyond_its_size_leave_less_than_nothing() -> None:
    # Both fit nowhere but on the public network, whose uplink holds one.
    tasks = from_u_to_v("a", 0.5), from_u_to_v("b", 0.5)
    found = decided(network(uv=2.0), (tasks[0], DIRECT, 100.0), (tasks[1], OVER_INTERNET, 100.0))
    assert routes(found) == [OVER_INTERNET, OVER_INTERNET]
    assert found.free.uplinks["u"] == found.free.downlinks["v"] == -1.0


def _loaded(seed: int) -> tuple[TwoKindNetwork, Resources, list[TaskProgress]]:
    """Map tasks onto a random network until one is turned away or there are six."""
    links = random_case(seed, nodes=6, components=3).network
    mapper, free, running = balanced_mapper(links), Resources.of(links), []
    for other in range(6):
        task = random_case(7919 * seed + other, nodes=6, components=3).task
        if (found := mapper(free, task)) is not None:
            mapping = found.mapping(task)
            free = free.reserve(task, mapping)
            running.append(TaskProgress(task, mapping, 100.0, 100.0 - 13.0 * other))
    return links, free, running


@settings(max_examples=50)
@given(seed=st.integers(0, 400))
def test_a_round_overfills_no_dedicated_link_and_loses_no_bandwidth(seed: int) -> None:
    links, free, running = _loaded(seed)
    if links.public is None:
        return
    found = reallocation_round(links, free, running, 2.0, 10.0)
    assert all(left >= -1e-9 for left in found.free.dedicated.values())
    left = found.free
    for it, mapping in zip(running, found.mappings, strict=True):
        left = left.release(it.task, mapping)
    whole = Resources.of(links)
    assert left.dedicated == pytest.approx(whole.dedicated)
    assert left.uplinks == pytest.approx(whole.uplinks)
    assert left.downlinks == pytest.approx(whole.downlinks)


@settings(max_examples=50)
@given(seed=st.integers(0, 400))
def test_a_round_moves_no_operator_and_keeps_to_budgets(seed: int) -> None:
    links, free, running = _loaded(seed)
    if links.public is None:
        return
    found = reallocation_round(links, free, running, 2.0, 10.0)
    for it, mapping in zip(running, found.mappings, strict=True):
        assert mapping.placement == it.mapping.placement
        for before, after, budget in zip(
            it.mapping.routes, mapping.routes, it.task.budgets, strict=True
        ):
            assert (before.hops[0], before.hops[-1]) == (after.hops[0], after.hops[-1])
            assert after == before or price_per_byte(links, after) <= budget + 1e-9
            assert len(after.forwarding) <= it.task.max_null
        assert needs(it.task, mapping).cpu == needs(it.task, it.mapping).cpu
