"""Slots: which worker runs which executors, once the supervisor of each is decided.

A worker whose set of executors changes is restarted, so workers are left alone wherever they
can be, even one that another scheduler filled beyond EPS_max; every worker that starts holds at
most that. What has to start starts in a fresh slot, one that the topology does not hold now. A slot
that its supervisor no longer offers keeps its worker exactly as it is.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.storm.capacity import SupervisorCapacity, executors_per_slot
from eyewall_sidecar.storm.cluster import Assignment, Executor, Slot, TopologyState, Worker
from eyewall_sidecar.storm.requests import requests
from eyewall_sidecar.storm.worker_packing import Traffic, pack_workers
from eyewall_sidecar.storm.worker_rules import WorkerRules

MEGABYTE = 1 << 20
ROUNDING = 1e-6
"""Cores by which sums of requests may exceed what is left, as in the shim."""


@dataclass(frozen=True, slots=True)
class SlotChoice:
    """An assignment, and what it costs.

    Parameters
    ----------
    assignment
        Every placed executor in one worker.
    reused
        Slots that change hands within the topology because no fresh one was left.
    """

    assignment: Assignment
    reused: tuple[Slot, ...]


def choose_slots(
    placed: Mapping[Executor, str],
    topology: TopologyState,
    capacities: Mapping[str, SupervisorCapacity],
    most: int,
    traffic: Traffic,
    in_use: Set[Slot] = frozenset(),
) -> SlotChoice:
    """Put the executors placed on each supervisor (by id) into as few new workers as possible.

    Executors that exchange many tuples share one, `most` (EPS_max) at most. Slots `in_use` have a
    worker that is about to end: they come last. ProblemError if a supervisor has too few slots, or
    too little CPU or memory for so many workers.
    """
    placed_on: dict[str, list[Executor]] = {}
    for executor in topology.topology.executors():
        if executor in placed:
            placed_on.setdefault(placed[executor], []).append(executor)
    rules = WorkerRules(topology.topology, most)
    workers: list[Worker] = []
    unchanged = frozenset(topology.assignment)
    for supervisor, here in sorted(placed_on.items()):
        capacity = capacities[supervisor]
        running = [it for it in topology.assignment if it.slot.supervisor == supervisor]
        staying = [it for it in running if it.slot in capacity.withdrawn]
        _require_unchanged(staying, here, capacity)
        workers += staying
        running = [it for it in running if it not in staying]
        apart = {executor for it in staying for executor in it.executors}
        here = [it for it in here if it not in apart]
        slots = len(capacity.fresh) + len(capacity.held)
        groups = _groups(here, running, slots, traffic, rules)
        if groups is None:
            raise ProblemError(
                message(
                    Code.TOO_FEW_SLOTS,
                    host=capacity.supervisor.host,
                    executors=len(here),
                    slots=slots,
                    per_slot=executors_per_slot(topology.topology, most),
                    rule=message(Code.SOME_APART) if rules.forbids_any else "",
                )
            )
        chosen = _in_slots(groups, running, capacity, in_use)
        if not unchanged.issuperset(chosen):
            _require_room(topology, [*staying, *chosen], capacity)
        workers += chosen
    before = {it.slot: it.executors for it in topology.assignment}
    changed = (it for it in workers if before.get(it.slot, it.executors) != it.executors)
    return SlotChoice(tuple(workers), tuple(it.slot for it in changed))


def _require_unchanged(
    staying: Sequence[Worker], here: Sequence[Executor], capacity: SupervisorCapacity
) -> None:
    for worker in staying:
        if not worker.executors <= set(here):
            host, port = capacity.supervisor.host, worker.slot.port
            raise ProblemError(message(Code.WORKER_WITHDRAWN, host=host, port=port))


def _require_room(
    topology: TopologyState, workers: Sequence[Worker], capacity: SupervisorCapacity
) -> None:
    """Require room for what each worker needs besides its executors.

    The problem knows what executors request; of how many workers is known only here.
    """
    least = capacity.least_worker_cores
    if not (least or topology.topology.shared_memory):
        return
    supervisor = capacity.supervisor
    needed = requests(((topology.topology, it) for it in workers), least)[supervisor.id]
    if needed.cpu_cores > capacity.cpu_cores + ROUNDING:
        raise ProblemError(
            message(
                Code.NO_CPU_FOR_WORKERS,
                host=supervisor.host,
                workers=len(workers),
                needed=needed.cpu_cores,
                available=capacity.cpu_cores,
                least=least,
            )
        )
    if needed.memory_bytes > capacity.memory_bytes:
        raise ProblemError(
            message(
                Code.NO_MEMORY_FOR_WORKERS,
                host=supervisor.host,
                workers=len(workers),
                needed=needed.memory_bytes / MEGABYTE,
                available=capacity.memory_bytes / MEGABYTE,
            )
        )


def _groups(
    here: Sequence[Executor],
    running: Sequence[Worker],
    slots: int,
    traffic: Traffic,
    rules: WorkerRules,
) -> list[frozenset[Executor]] | None:
    """Divide one supervisor's executors into workers: those that run whole, and the rest packed.

    Where slots are short, running workers are merged with the rest, smallest first. One whose
    executors may not share a worker (Storm places so where its strategy does not read that) is not
    kept.
    """
    kept = [
        it
        for it in running
        if it.executors and it.executors <= set(here) and rules.keeps(it.executors)
    ]
    kept.sort(key=lambda it: (-len(it.executors), it.slot))
    while True:
        together = {executor for it in kept for executor in it.executors}
        loose = [it for it in here if it not in together]
        packed = pack_workers(loose, traffic, rules)
        if len(kept) + len(packed) <= slots:
            return [it.executors for it in kept] + packed
        if not kept:
            return None
        kept.pop()


def _in_slots(
    groups: Sequence[frozenset[Executor]],
    running: Sequence[Worker],
    capacity: SupervisorCapacity,
    in_use: Set[Slot],
) -> list[Worker]:
    """Leave unchanged workers in their slots; all others get fresh ones while there are any."""
    slot_of = {it.executors: it.slot for it in running}
    unchanged = {it: slot_of[it] for it in groups if it in slot_of}
    free = [it for it in capacity.fresh if it not in in_use]
    free += (it for it in capacity.held if it not in unchanged.values())
    free += (it for it in capacity.fresh if it in in_use)
    others = [it for it in groups if it not in unchanged]
    chosen = unchanged | dict(zip(others, free, strict=False))
    return [
        Worker(slot, executors) for executors, slot in sorted(chosen.items(), key=lambda it: it[1])
    ]
