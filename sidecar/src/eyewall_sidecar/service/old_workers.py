"""Old workers of moves that overlap: they serve on, and need what they have until they end."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from eyewall_contracts.sample import Sample

from eyewall_sidecar.storm import (
    Assignment,
    ClusterState,
    Slot,
    SupervisorRequests,
    Topology,
    TopologyState,
    Worker,
    requests,
)

LONGEST = 200.0
"""Seconds after which one has ended, whatever is reported: the agent's limits, and what Storm takes
to hear of the move and to end a worker."""


@dataclass(frozen=True, slots=True)
class OldWorker:
    """One whose executors moved.

    Parameters
    ----------
    since
        When that was decided, in seconds by the service's clock.
    """

    topology: Topology
    worker: Worker
    since: float


def old_workers(before: TopologyState, after: Assignment, now: float) -> Iterator[OldWorker]:
    """Yield the workers that serve on when this topology moves so."""
    slots = {it.slot for it in after}
    for worker in before.assignment:
        if worker.slot not in slots:
            yield OldWorker(before.topology, worker, now)


def still_running(
    known: Iterable[OldWorker], state: ClusterState, reports: Mapping[str, Sample], now: float
) -> tuple[OldWorker, ...]:
    """Return those that have not ended, as far as is known.

    One has if its slot is assigned, if its topology is gone, or if its host's report does not list
    it.
    """
    assigned = {worker.slot for it in state.topologies for worker in it.assignment}
    topologies = {it.topology.id for it in state.topologies}
    hosts = {it.id: it.host for it in state.supervisors}

    def is_reported(old: OldWorker) -> bool:
        slot = old.worker.slot
        report = reports.get(hosts.get(slot.supervisor, ""))
        listed = ((it.topology, it.port) for it in report.workers) if report is not None else ()
        return report is None or (old.topology.id, slot.port) in listed

    return tuple(
        it
        for it in known
        if now - it.since < LONGEST
        and it.topology.id in topologies
        and it.worker.slot not in assigned
        and is_reported(it)
    )


def serving(old: Iterable[OldWorker]) -> dict[Slot, str]:
    """Return the slots of old workers, each with its topology's id."""
    return {it.worker.slot: it.topology.id for it in old}


def reserve(old: Iterable[OldWorker], least_worker_cores: float) -> SupervisorRequests:
    """Return what is reserved for old workers, each of which requests so much CPU at least."""
    return requests(((it.topology, it.worker) for it in old), least_worker_cores)
