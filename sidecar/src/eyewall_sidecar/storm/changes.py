"""What differs between two assignments of one topology: its workers, and its executors' slots."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from eyewall_sidecar.storm.cluster import Assignment, ClusterState, Executor, Slot, TopologyState


class ChangeKind(StrEnum):
    """How a worker process changes."""

    UNCHANGED = "unchanged"
    STARTED = "started"
    RESTARTED = "restarted"
    """Same slot, other executors."""
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class WorkerChange:
    """One slot, before and after; no executors: no worker."""

    slot: Slot
    change: ChangeKind
    before: tuple[Executor, ...]
    after: tuple[Executor, ...]


class SlotMove(NamedTuple):
    """An executor's slots before and after; None: it has none."""

    executor: Executor
    before: Slot | None
    after: Slot | None


class SlotLoss(StrEnum):
    """Why a slot is no longer available."""

    SUPERVISOR_GONE = "supervisor gone"
    WITHDRAWN = "withdrawn"
    """Its supervisor no longer offers it."""
    DRAINED = "drained"
    """Operators want its host empty."""
    TAKEN = "taken"
    """Another topology has a worker in it."""


class LostSlot(NamedTuple):
    """A slot that is no longer available; `holder` names the topology that has it."""

    loss: SlotLoss
    slot: Slot
    holder: str = ""


def worker_changes(before: Assignment, after: Assignment) -> tuple[WorkerChange, ...]:
    """Return every slot that holds a worker before or after, in order."""
    was = {it.slot: tuple(sorted(it.executors)) for it in before}
    will = {it.slot: tuple(sorted(it.executors)) for it in after}
    return tuple(
        WorkerChange(slot, _change(was.get(slot), will.get(slot)), was.get(slot, ()), later)
        for slot in sorted(was.keys() | will.keys())
        for later in (will.get(slot, ()),)
    )


def _change(before: tuple[Executor, ...] | None, after: tuple[Executor, ...] | None) -> ChangeKind:
    if before is None:
        return ChangeKind.STARTED
    if after is None:
        return ChangeKind.STOPPED
    return ChangeKind.UNCHANGED if before == after else ChangeKind.RESTARTED


def slot_moves(before: Assignment, after: Assignment) -> tuple[SlotMove, ...]:
    """Return every executor that changes its slot, in the order of tasks."""
    was, will = slots_of(before), slots_of(after)
    return tuple(
        SlotMove(it, was.get(it), will.get(it))
        for it in sorted(was.keys() | will.keys())
        if was.get(it) != will.get(it)
    )


def workers_started(before: Assignment, after: Assignment) -> int:
    """Count the worker processes that start: those that are new, or hold other executors."""
    return len(set(after) - set(before))


def slots_of(assignment: Assignment) -> Mapping[Executor, Slot]:
    """Executor → slot."""
    return {executor: it.slot for it in assignment for executor in it.executors}


def find_lost_slot(
    after: Assignment, topology: TopologyState, cluster: ClusterState
) -> LostSlot | None:
    """Return a slot of `after` that the topology can no longer have; None if it can have all.

    A worker that stays exactly as it is needs nothing.
    """
    supervisors = {it.id: it for it in cluster.supervisors}
    holders = {
        worker.slot: it.topology.name
        for it in cluster.others(topology.topology.id)
        for worker in it.assignment
    }
    for worker in sorted(set(after) - set(topology.assignment), key=lambda it: it.slot):
        slot = worker.slot
        supervisor = supervisors.get(slot.supervisor)
        if supervisor is None:
            return LostSlot(SlotLoss.SUPERVISOR_GONE, slot)
        if slot.port not in supervisor.ports:
            return LostSlot(SlotLoss.WITHDRAWN, slot)
        if supervisor.drained:
            return LostSlot(SlotLoss.DRAINED, slot)
        if holder := holders.get(slot):
            return LostSlot(SlotLoss.TAKEN, slot, holder)
    return None
