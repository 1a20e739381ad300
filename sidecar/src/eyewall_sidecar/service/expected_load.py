"""What moves are going to use of their hosts, until these report it.

A host's reports know of a move once its new workers run, some ten seconds later. Until then each
other topology would find the same cores free.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from eyewall_contracts.sample import Sample

from eyewall_sidecar.model.limits import SLOWEST
from eyewall_sidecar.model.placed_rates import as_placed
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.storm import Assignment, ClusterState, HostLoad, Slot, TopologyProblem

LONGEST = 180.0
"""Seconds after which nothing more is expected: by then Nimbus has started elsewhere what did not
start."""


@dataclass(frozen=True, slots=True)
class ExpectedLoad:
    """What a topology that moved is going to use.

    Parameters
    ----------
    topology, assignment
        Storm's id, and where it was moved to.
    cores
        Host → cores that its executors need there, without what workers and crossings cost.
    since
        When that was decided, by the clock of rounds.
    started
        The slots in which workers start.
    before
        Ids of its workers that were reported then.
    """

    topology: str
    assignment: Assignment
    cores: Mapping[str, float]
    since: float
    started: frozenset[Slot]
    before: frozenset[str] = frozenset()


def expect_load(request: PlacementRequest, after: Assignment, now: float) -> ExpectedLoad | None:
    """Return what a topology is going to use once it runs so; None if its CPU is not measured."""
    problem = request.problem
    if not isinstance(problem, TopologyProblem):
        return None
    node_of = {supervisor: node for node, supervisor in problem.supervisors.items()}
    runs = {
        it: node_of.get(worker.slot.supervisor, "") for worker in after for it in worker.executors
    }
    placement = {name: runs.get(it, "") for name, it in problem.executors.items()}
    placed = as_placed(problem.problem, placement)
    demands = {problem.executors[it.id]: it.demand for it in placed.operators}
    speed = {
        supervisor: problem.problem.node(node).speedup
        for node, supervisor in problem.supervisors.items()
    }
    loads, name = request.observation.estimates.loads, request.topology.topology.id
    reports = request.observation.estimates.reports.values()
    cores: defaultdict[str, float] = defaultdict(float)
    for worker in after:
        supervisor = worker.slot.supervisor
        if supervisor not in speed:
            continue
        host = request.capacities[supervisor].supervisor.host
        # Time that other guests take makes work last longer, and uses no more CPU.
        progress = loads[host].progress if host in loads else 1.0
        for executor in worker.executors:
            demand = demands.get(executor)
            if demand is None:
                return None
            cores[host] += demand / max(SLOWEST, speed[supervisor] / max(SLOWEST, progress))
    return ExpectedLoad(
        name,
        after,
        dict(cores),
        now,
        frozenset(it.slot for it in set(after) - set(request.topology.assignment)),
        frozenset(it.id for report in reports for it in report.workers if it.topology == name),
    )


def still_expected(
    known: Iterable[ExpectedLoad], state: ClusterState, reports: Mapping[str, Sample], now: float
) -> tuple[ExpectedLoad, ...]:
    """Return what is not reported yet, of moves that Nimbus made."""
    known = tuple(known)
    if not known:
        return ()
    running = {it.topology.id: set(it.assignment) for it in state.topologies}
    hosts = {it.id: it.host for it in state.supervisors}
    # The first report of a worker has no CPU of it yet.
    reported = {
        (worker.topology, host, worker.port): worker.id
        for host, report in reports.items()
        for worker in report.workers
        if worker.cpu is not None
    }

    def is_reported(it: ExpectedLoad) -> bool:
        ids = (
            reported.get((it.topology, hosts.get(slot.supervisor, ""), slot.port))
            for slot in it.started
        )
        return all(id_ is not None and id_ not in it.before for id_ in ids)

    return tuple(
        it
        for it in known
        if now - it.since < LONGEST
        and running.get(it.topology) == set(it.assignment)
        and not is_reported(it)
    )


def with_expected(
    loads: Mapping[str, HostLoad], expected: Iterable[ExpectedLoad]
) -> dict[str, HostLoad]:
    """Return the hosts' loads as they are going to be; what is left stays until it is reported."""
    found = dict(loads)
    for it in expected:
        for host, cores in it.cores.items():
            if (load := found.get(host)) is None:
                continue
            more = cores - load.by_topology.get(it.topology, 0.0)
            if more > 0:
                found[host] = replace(load, expected={**load.expected, it.topology: more})
    return found
