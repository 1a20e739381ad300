"""What old workers of moves that overlap need is reserved until they have ended."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from eyewall_contracts.sample import OVERLAP_CONTRACT, Sample
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.old_workers import (
    LONGEST,
    OldWorker,
    old_workers,
    reserve,
    still_running,
)
from eyewall_sidecar.storm import ClusterState, Requests, Slot, Topology, supervisor_capacities
from measured_topologies import report
from msgspec import structs
from obedient_nimbus import Nimbus
from storm_builders import MEGABYTE, chain, cluster, state, supervisor, worker

MOVING = chain(("source", 1), ("sink", 1), settings={"moves": "overlap"})
"""source and sink, an executor each of 128 MB and a tenth of a core."""
OTHER = chain(("x", 1), name="other-1")
BEFORE = state(MOVING, worker("a", 6700, 1), worker("b", 6700, 2))
AFTER = (worker("a", 6700, 1), worker("a", 6701, 2))
"""sink goes from b to a; the worker with source stays as it is."""
HOSTS = [supervisor("a"), supervisor("b")]


def moved(*more: Topology) -> ClusterState:
    return cluster(HOSTS, replace(BEFORE, assignment=AFTER), *map(state, more))


def listing(*topologies: str, host: str = "b") -> dict[str, Sample]:
    """The report of a host with a worker of each topology, from port 6700 on."""
    return {host: report(host, used=dict.fromkeys(topologies, 0.1))}


def running(
    known: Sequence[OldWorker],
    seen: ClusterState,
    reports: dict[str, Sample],
    later: float = 1.0,
) -> list[str]:
    found = still_running(known, seen, reports, later)
    return [str(it.worker.slot) for it in found]


LEFT = tuple(old_workers(BEFORE, AFTER, 0.0))


def test_only_workers_whose_slot_is_given_up_serve_on() -> None:
    assert [it.worker for it in LEFT] == [worker("b", 6700, 2)]


def test_one_serves_on_until_its_hosts_report_does_not_list_it() -> None:
    assert running(LEFT, moved(), listing("chain-1")) == ["sup-b:6700"]
    assert running(LEFT, moved(), listing("other-1")) == []
    assert running(LEFT, moved(), listing()) == []


def test_one_of_which_nothing_is_reported_ends_when_each_has_by_itself() -> None:
    assert running(LEFT, moved(), {}, LONGEST - 1) == ["sup-b:6700"]
    assert running(LEFT, moved(), {}, LONGEST) == []


def test_there_is_none_where_the_move_was_not_made_or_its_slot_is_used_again() -> None:
    reports = listing("chain-1")
    assert running(LEFT, cluster(HOSTS, BEFORE), reports) == []
    taken = cluster(HOSTS, replace(BEFORE, assignment=AFTER), state(OTHER, worker("b", 6700, 1)))
    assert running(LEFT, taken, reports) == []


def test_workers_of_a_topology_that_is_killed_end_with_it() -> None:
    assert running(LEFT, cluster(HOSTS, state(OTHER)), listing("chain-1")) == []


@pytest.mark.parametrize(("requested", "left"), [(0, 4096), (128, 3968), (4000, 96), (5000, 0)])
def test_what_is_reserved_is_for_nobody_else(requested: int, left: int) -> None:
    # A supervisor has 8 cores and 4,096 MB.
    reserved = {"sup-b": Requests(0.1, requested * MEGABYTE)}
    seen = cluster(HOSTS, state(OTHER))
    found = supervisor_capacities(seen, seen.topologies[0], reserved)
    assert found["sup-b"].memory_bytes == left * MEGABYTE
    assert found["sup-b"].cpu_cores == 7.9
    assert found["sup-a"].memory_bytes == 4096 * MEGABYTE


def test_what_runs_may_stay_beside_old_workers_whatever_they_request() -> None:
    # 128 MB of its executor fit in beside all others before the move, so they go on to.
    reserved = {"sup-b": Requests(8.0, 4096 * MEGABYTE)}
    seen = cluster(HOSTS, state(OTHER, worker("b", 6700, 1)))
    found = supervisor_capacities(seen, seen.topologies[0], reserved)
    assert found["sup-b"].memory_bytes == 128 * MEGABYTE
    assert found["sup-b"].cpu_cores == 0.1


def test_old_workers_are_reserved_what_storm_counts_for_a_worker_at_least() -> None:
    assert reserve(LEFT, 0.25)["sup-b"].cpu_cores == 0.25
    assert reserve(LEFT, 0.0)["sup-b"].cpu_cores == 0.1


def test_what_runs_may_stay_with_what_storm_counts_for_its_worker_at_least() -> None:
    # Its executor requests 0.1 cores, its worker counts 0.25.
    seen = replace(cluster(HOSTS, state(OTHER, worker("b", 6700, 1))), least_worker_cores=0.25)
    found = supervisor_capacities(seen, seen.topologies[0], {"sup-b": Requests(8.0, 0)})
    assert found["sup-b"].cpu_cores == 0.25


def overlapping_nimbus() -> tuple[Nimbus, Topology]:
    """source on a and sink on b, whose workers have the agent; b is drained next."""
    topology = chain(
        ("source", 1), ("sink", 1), settings={"moves": "overlap", "pin": {"source": ["a"]}}
    )
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    nimbus.measured.wanted = True
    report_hosts(nimbus, {"a": [topology.id], "b": [topology.id]})
    nimbus.round(topology, OTHER, obey=False)
    return nimbus, topology


def report_hosts(nimbus: Nimbus, used: dict[str, list[str]]) -> None:
    for host, topologies in used.items():
        before = nimbus.measured.hosts.get(host)
        sequence = before.sequence + 1 if before else 0
        sample = report(host, sequence, time=nimbus.clock.now, used=dict.fromkeys(topologies, 0.1))
        workers = tuple(
            structs.replace(it, overlaps=True, agent_contract=OVERLAP_CONTRACT)
            for it in sample.workers
        )
        nimbus.measured.hosts[host] = structs.replace(sample, workers=workers)


def memory_on_b(nimbus: Nimbus) -> float:
    """Megabytes that the other topology may have of b, by the last round."""
    capacity = nimbus.context.running_problem(OTHER.id).request.capacities["sup-b"]
    return capacity.memory_bytes / MEGABYTE


def cores_on_b(nimbus: Nimbus) -> float:
    """Cores that the other topology may have of b, by the last round."""
    return nimbus.context.running_problem(OTHER.id).request.capacities["sup-b"].cpu_cores


def fresh_on_b(nimbus: Nimbus) -> tuple[Slot, ...]:
    """Slots of b that the other topology may start workers in."""
    return nimbus.context.running_problem(OTHER.id).request.capacities["sup-b"].fresh


def test_rounds_reserve_for_the_moves_that_they_order_until_reports_say_that_it_is_over() -> None:
    nimbus, topology = overlapping_nimbus()
    nimbus.running[OTHER.id] = (worker("a", 6701, 1),)
    nimbus.least_worker_cores = 0.25
    nimbus.switches.turn(drained=["b"])
    placed = next(it.verdict for it in nimbus.rounds(topology, 5) if isinstance(it.verdict, Place))
    assert placed.overlaps
    nimbus.switches.turn()
    nimbus.round(topology, OTHER, obey=False)
    assert memory_on_b(nimbus) == 4096 - 128
    assert cores_on_b(nimbus) == 8 - 0.25
    assert [it.port for it in fresh_on_b(nimbus)] == [6701]
    report_hosts(nimbus, {"b": []})
    nimbus.round(topology, OTHER, obey=False)
    assert memory_on_b(nimbus) == 4096
    assert [it.port for it in fresh_on_b(nimbus)] == [6700, 6701]
