"""What placements are going to use of their hosts, and to leave, until these report it.

A host's reports know of a move once its new workers have their first tuples, tens of seconds later.
Until then each other topology would find the same cores free, or the same host as full as ever.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from eyewall_contracts.sample import Sample

from eyewall_sidecar.model.limits import SLOWEST
from eyewall_sidecar.model.placed_rates import as_placed
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.worker_starts import counted_tuples
from eyewall_sidecar.storm import Assignment, ClusterState, HostLoad, Slot, TopologyProblem

LONGEST = 180.0
"""Seconds after which nothing more is expected: by then Nimbus has started elsewhere what did not
start."""
SETTLES = 20.0
"""Seconds for which more is expected than is reported once all workers have had tuples: a host's
load is smoothed over its last few reports."""

RELIEVED = 0.9
"""A topology leaves a host if it is going to need less than this part of what it needs there."""


@dataclass(frozen=True, slots=True)
class ExpectedLoad:
    """What a topology that moved is going to use.

    Parameters
    ----------
    topology, assignment
        Storm's id, and where it was moved to.
    cores
        Host → cores that it uses there once the move is done: those that were reported of it, and
        what more its executors there need.
    since
        When that was decided, by the clock of rounds.
    started
        The slots in which workers start.
    before
        Ids of its workers that were reported then.
    relieved
        Hosts on which its executors need at least a tenth less than before.
    began
        When all workers were found to have had tuples; None before.
    """

    topology: str
    assignment: Assignment
    cores: Mapping[str, float]
    since: float
    started: frozenset[Slot]
    before: frozenset[str] = frozenset()
    relieved: frozenset[str] = frozenset()
    began: float | None = None


def expect_load(request: PlacementRequest, after: Assignment, now: float) -> ExpectedLoad | None:
    """Return what a topology is going to use once it runs so; None if its CPU is not measured."""
    problem, estimates = request.problem, request.observation.estimates
    if not isinstance(problem, TopologyProblem):
        return None
    name, before = request.topology.topology.id, request.topology.assignment
    needed, used = (_needed_cores(request, problem, it) for it in (after, before))
    if needed is None or used is None:
        return None
    cores: dict[str, float] = {}
    for host, then in needed.items():
        load = estimates.loads.get(host)
        # Where it has no worker now, one that is still reported is about to end.
        reported = load.by_topology.get(name, 0.0) if load and host in used else 0.0
        cores[host] = reported + then - used.get(host, 0.0)
    return ExpectedLoad(
        name,
        after,
        cores,
        now,
        frozenset(it.slot for it in set(after) - set(before)),
        frozenset(
            it.id
            for report in estimates.reports.values()
            for it in report.workers
            if it.topology == name
        ),
        frozenset(it for it, was in used.items() if needed.get(it, 0.0) < RELIEVED * was),
    )


def _needed_cores(
    request: PlacementRequest, problem: TopologyProblem, assignment: Assignment
) -> dict[str, float] | None:
    """Return host → cores that executors need there, without what workers and crossings cost.

    None if the CPU of one is not measured.
    """
    node_of = {supervisor: node for node, supervisor in problem.supervisors.items()}
    runs = {
        it: node_of.get(worker.slot.supervisor, "")
        for worker in assignment
        for it in worker.executors
    }
    placement = {name: runs.get(it, "") for name, it in problem.executors.items()}
    placed = as_placed(problem.problem, placement)
    demands = {problem.executors[it.id]: it.demand for it in placed.operators}
    loads = request.observation.estimates.loads
    cores: defaultdict[str, float] = defaultdict(float)
    for worker in assignment:
        node = node_of.get(worker.slot.supervisor)
        if node is None:
            continue
        host = request.capacities[worker.slot.supervisor].supervisor.host
        # Time that other guests take makes work last longer, and uses no more CPU.
        progress = loads[host].progress if host in loads else 1.0
        speed = problem.problem.node(node).speedup
        for executor in worker.executors:
            demand = demands.get(executor)
            if demand is None:
                return None
            cores[host] += demand / max(SLOWEST, speed / max(SLOWEST, progress))
    return dict(cores)


def still_expected(
    known: Iterable[ExpectedLoad], state: ClusterState, reports: Mapping[str, Sample], now: float
) -> tuple[ExpectedLoad, ...]:
    """Return what is not reported yet, of moves that Nimbus made."""
    known = tuple(known)
    if not known:
        return ()
    running = {it.topology.id: set(it.assignment) for it in state.topologies}
    hosts = {it.id: it.host for it in state.supervisors}
    # A worker that starts uses little of what it is going to, or much more.
    begun = {
        (worker.topology, host, worker.port): worker.id
        for host, report in reports.items()
        for worker in report.workers
        if worker.start_cpu is not None or counted_tuples(worker)
    }

    def has_begun(it: ExpectedLoad) -> bool:
        ids = (
            begun.get((it.topology, hosts.get(slot.supervisor, ""), slot.port))
            for slot in it.started
        )
        return all(id_ is not None and id_ not in it.before for id_ in ids)

    made = (
        replace(it, began=now) if it.began is None and has_begun(it) else it
        for it in known
        if now - it.since < LONGEST and running.get(it.topology) == set(it.assignment)
    )
    return tuple(it for it in made if it.began is None or now - it.began < SETTLES)


def relieved_hosts(expected: Iterable[ExpectedLoad]) -> dict[str, str]:
    """Return the hosts that are going to have less to do, each with a topology that leaves it."""
    return {host: it.topology for it in expected for host in it.relieved}


def with_expected(
    loads: Mapping[str, HostLoad], expected: Iterable[ExpectedLoad]
) -> dict[str, HostLoad]:
    """Return the hosts' loads as they are going to be; what leaves counts until it is gone."""
    found = dict(loads)
    for it in expected:
        for host, cores in it.cores.items():
            if (load := found.get(host)) is None:
                continue
            more = cores - load.by_topology.get(it.topology, 0.0)
            if more > 0:
                found[host] = replace(load, expected={**load.expected, it.topology: more})
    return found
