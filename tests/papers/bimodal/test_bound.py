from dataclasses import replace
from math import inf

import numpy as np
import pytest
from eyewall_papers.bimodal.bound import cost_bound
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.metric import DELAY, PAYMENT
from eyewall_papers.bimodal.network import DedicatedLink, TwoKindNetwork
from eyewall_papers.bimodal.task import Task
from eyewall_sidecar.model import LinkMatrix, Node


def bound(network: TwoKindNetwork, task: Task) -> float:
    return cost_bound(network, Resources.of(network), task, DELAY)


def row(*cores: float) -> TwoKindNetwork:
    """Join a, b, c, … in a row by links of 1, 2, 3, … seconds that carry next to nothing."""
    names = "abcd"[: len(cores)]
    return TwoKindNetwork(
        tuple(Node(name, cpu=cpu) for name, cpu in zip(names, cores, strict=True)),
        tuple(
            DedicatedLink(names[at], names[at + 1], 1e-9, delay=at + 1.0, price=1.0)
            for at in range(len(names) - 1)
        ),
        services=dict.fromkeys(names, frozenset({"x"})),
    )


def task(components: int, max_null: int = 2) -> Task:
    needs = [1.0] * components
    return Task.of_services(
        "t", ("a", "a"), ["x"] * components, needs, [10.0] * (components + 1), max_null=max_null
    )


def test_bandwidths_are_left_out() -> None:
    # The component has no room at a: 1 s to b, and 1 s back, over a link that cannot carry it.
    assert bound(row(0, 1), task(1)) == 2.0
    network = row(0, 1)
    assert cost_bound(network, Resources.of(network), task(1), PAYMENT) == 20.0


def test_a_run_of_operators_fits_its_node() -> None:
    # Two fit b together; of three, one goes on to c: 1 + 2 out and 3 back.
    assert bound(row(0, 2, 1), task(2)) == 2.0
    assert bound(row(0, 2, 1), task(3)) == 6.0


def test_runs_that_come_back_to_a_node_have_its_capacity_again() -> None:
    # b holds one core, and the bound lets a path come back to it from c: 1 + 2 + 2 + 1, where the
    # capacities together leave no mapping at all.
    assert bound(row(0, 1, 1), task(3)) == 6.0


@pytest.mark.parametrize(("max_null", "least"), [(1, inf), (2, 12.0)])
def test_routes_have_as_many_hops_as_max_null_allows(max_null: int, least: float) -> None:
    # Only d has room: 1 + 2 + 3 s out, over two forwarding nodes, and back.
    assert bound(row(0, 0, 0, 1), task(1, max_null=max_null)) == least


def test_where_nothing_holds_a_component_the_bound_is_infinite() -> None:
    assert bound(row(0, 0), task(1)) == inf


@pytest.mark.parametrize(("budget", "least"), [(2.9, inf), (3.0, 12.0)])
def test_a_route_costs_no_more_than_its_budget(budget: float, least: float) -> None:
    # Only d has room, three hops of price 1 away.
    assert bound(row(0, 0, 0, 1), replace(task(1), budgets=(budget, inf))) == least


def test_a_public_hop_needs_no_budget() -> None:
    public = LinkMatrix.from_delays("ab", np.ones((2, 2)))
    network = replace(row(0, 1), dedicated=(), public=public)
    assert bound(network, replace(task(1), budgets=(0.0, 0.0))) == 2.0
