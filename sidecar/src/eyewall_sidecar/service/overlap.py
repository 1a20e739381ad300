"""Whether the old workers of a move serve on until its new ones carry tuples, or why they do not.

docs/design/seamless-moves.md says how they do.
"""

from collections import defaultdict
from collections.abc import Iterator

from eyewall_contracts.sample import OVERLAP_CONTRACT, WorkerSample

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.storm import Assignment, Worker

CHECKPOINTS = "$checkpointspout"
"""Storm's own spout in topologies with stateful bolts (IStatefulBolt)."""
MEGABYTE = 1 << 20


def restart_reason(request: PlacementRequest, after: Assignment) -> Message | None:
    """Return why the workers of this move restart; None: the old ones serve on.

    They need slots, and memory on hosts where old and new ones run side by side.
    """
    before = request.topology.assignment
    ended, started = set(before) - set(after), set(after) - set(before)
    if obstacle := find_obstacle(request):
        return obstacle
    components = request.topology.topology.executors()
    moved = {components[it].id for worker in ended for it in worker.executors if it in components}
    if exclusive := sorted(moved & set(request.settings.exclusive)):
        return message(Code.EXCLUSIVE_MOVES, components=exclusive)
    if reused := {it.slot for it in started} & {it.slot for it in before}:
        slots = [_slot_name(request, it.supervisor, it.port) for it in sorted(reused)]
        return message(Code.NO_FRESH_SLOTS, slots=slots)
    return _memory_obstacle(request, ended, {*before, *after})


def find_obstacle(request: PlacementRequest) -> Message | None:
    """Return why the workers of any move of the topology restart; None: those of some may not."""
    topology = request.topology.topology
    if not request.settings.overlap:
        return message(Code.RESTARTS_AS_SET)
    if any(it.id == CHECKPOINTS for it in topology.components):
        return message(Code.STATEFUL, topology=topology.name)
    hosts = {it: capacity.supervisor.host for it, capacity in request.capacities.items()}
    reported = {(host, it.port): it for host, it in _reported_workers(request)}
    for worker in request.topology.assignment:
        host, port = hosts.get(worker.slot.supervisor, ""), worker.slot.port
        sample = reported.get((host, port))
        if sample is None or not sample.overlaps:
            return message(Code.NO_OVERLAP_AGENT, slot=f"{host}:{port}", topology=topology.name)
        if sample.agent_contract != OVERLAP_CONTRACT:
            return message(
                Code.OTHER_OVERLAP_AGENT,
                slot=f"{host}:{port}",
                version=sample.agent_version or "an older version",
                contract=sample.agent_contract,
                allowed=OVERLAP_CONTRACT,
            )
    return None


def _reported_workers(request: PlacementRequest) -> Iterator[tuple[str, WorkerSample]]:
    topology = request.topology.topology.id
    for host, sample in request.observation.estimates.reports.items():
        yield from ((host, it) for it in sample.workers if it.topology == topology)


def _memory_obstacle(
    request: PlacementRequest, ended: set[Worker], both: set[Worker]
) -> Message | None:
    """Return which host has no memory for old and new workers, by what components declare."""
    components = request.topology.topology.executors()
    needed: defaultdict[str, int] = defaultdict(int)
    for worker in both:
        for component in filter(None, map(components.get, worker.executors)):
            needed[worker.slot.supervisor] += component.on_heap_bytes + component.off_heap_bytes
    for supervisor in sorted({it.slot.supervisor for it in ended}):
        capacity = request.capacities.get(supervisor)
        if capacity is not None and needed[supervisor] > capacity.memory_bytes:
            return message(
                Code.NO_MEMORY_FOR_BOTH,
                host=capacity.supervisor.host,
                needed=needed[supervisor] / MEGABYTE,
                available=capacity.memory_bytes / MEGABYTE,
            )
    return None


def _slot_name(request: PlacementRequest, supervisor: str, port: int) -> str:
    capacity = request.capacities.get(supervisor)
    return f"{capacity.supervisor.host if capacity else supervisor}:{port}"
