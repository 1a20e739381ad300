"""What a move costs whose old workers serve on until new ones carry tuples."""

import pytest
from eyewall_sidecar.messages import Code
from eyewall_sidecar.service.move_price import OVERLAP_GAP, least_price, price_move, serves_on
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import Topology
from measured_topologies import report
from msgspec import structs
from obedient_nimbus import Nimbus
from said import codes
from storm_builders import chain, supervisor, worker

USUAL = 8.0
"""Seconds that a JVM takes to start, while no start was seen."""
REPLAYED = 1.5 * 30.0
"""Seconds that a tuple is late that is lost and replayed, with Storm's timeout."""


def running(moves: str, *, agents: bool | None) -> tuple[Nimbus, Topology]:
    """source on a and sink on b; None: their workers are not reported."""
    topology = chain(("source", 1), ("sink", 1), settings={"moves": moves})
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    nimbus.measured.wanted = True
    if agents is not None:
        for host in ("a", "b"):
            sample = report(host, time=nimbus.clock.now, used={topology.id: 0.1})
            workers = tuple(structs.replace(it, overlaps=agents) for it in sample.workers)
            nimbus.measured.hosts[host] = structs.replace(sample, workers=workers)
    nimbus.round(topology, obey=False)
    return nimbus, topology


def price(nimbus: Nimbus, topology: Topology) -> float:
    """Of a move of both executors into another worker."""
    request = nimbus.context.running_problem(topology.id).request
    return price_move(request, (worker("a", 6701, 1, 2),), WorkerStarts()).seconds


def test_a_worker_that_is_not_reported_is_not_known_to_serve_on() -> None:
    nimbus, topology = running("overlap", agents=True)
    del nimbus.measured.hosts["b"]
    nimbus.round(topology, obey=False)
    assert not serves_on(nimbus.context.running_problem(topology.id).request)


def test_with_agents_a_move_costs_what_a_second_without_output_does() -> None:
    nimbus, topology = running("overlap", agents=True)
    assert serves_on(nimbus.context.running_problem(topology.id).request)
    assert OVERLAP_GAP == 1.0
    assert price(nimbus, topology) == pytest.approx(REPLAYED * 1.0)
    request = nimbus.context.running_problem(topology.id).request
    assert least_price(request, WorkerStarts()) == pytest.approx(REPLAYED * 1.0)


@pytest.mark.parametrize(
    ("moves", "agents"), [("restart", True), ("overlap", False), ("overlap", None)]
)
def test_where_workers_restart_it_costs_their_start(moves: str, agents: bool | None) -> None:
    nimbus, topology = running(moves, agents=agents)
    assert price(nimbus, topology) == pytest.approx(REPLAYED * USUAL)


@pytest.mark.parametrize(
    ("moves", "agents", "said"),
    [("overlap", True, 0), ("overlap", False, 1), ("restart", False, 0)],
)
def test_a_topology_that_asks_for_it_in_vain_is_named(moves: str, agents: bool, said: int) -> None:
    nimbus, topology = running(moves, agents=agents)
    found = nimbus.context.running_problem(topology.id)
    assert [codes(it) for it in found.assumptions].count([Code.NO_OVERLAP]) == said
