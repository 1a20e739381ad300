"""Whether the old workers of a move serve on until its new ones carry tuples, or why they do not.

docs/design/seamless-moves.md says how they do.
"""

from collections import Counter
from collections.abc import Set

from eyewall_contracts.sample import OVERLAP_CONTRACT, WorkerSample
from eyewall_contracts.setting_keys import MOVES

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.worker_starts import start_seconds
from eyewall_sidecar.storm import Assignment, HostLoad, Slot, Topology, Worker, requests

CHECKPOINTS = "$checkpointspout"
"""Storm's own spout in topologies with stateful bolts (IStatefulBolt)."""
MEGABYTE = 1 << 20
LONGEST_START = 120.0
"""Seconds that starts may take on a host's cores: old workers wait for 150 at most."""
MOST_BEHIND = 6.0
"""Seconds by which old workers may fall behind while others start beside them: a topology that used
0.6 of a core came to 1.3 by this and hardly noticed, one that filled a third of a core to 12, and
was late by two minutes. At 3 to 4 an ordinary move was silent for 9 s (docs/results/demo.md)."""
STARTING = 30.0
"""Seconds within which a worker that starts leaves the file of its agent."""


def restart_reason(request: PlacementRequest, after: Assignment) -> Message | None:
    """Return why the workers of this move restart; None: the old ones serve on.

    New ones need slots, and cores and memory on hosts where old ones run beside them. As far as is
    reported what starts on their hosts has the agent.
    """
    before = request.topology.assignment
    ended, started = set(before) - set(after), set(after) - set(before)
    if obstacle := find_obstacle(request):
        return obstacle
    components = request.topology.topology.executors()
    moved = {components[it].id for worker in ended for it in worker.executors if it in components}
    if exclusive := sorted(moved & set(request.settings.exclusive)):
        return message(Code.EXCLUSIVE_MOVES, components=exclusive)
    slots = {it.slot for it in started}
    reported = request.reported_workers({it.supervisor for it in slots})
    if in_use := slots & ({it.slot for it in before} | reported.keys()):
        names = [_slot_name(request, it) for it in sorted(in_use)]
        return message(Code.NO_FRESH_SLOTS, slots=names)
    for supervisor in sorted({it.supervisor for it in slots}):
        if obstacle := find_target_obstacle(request, supervisor):
            return obstacle
    if obstacle := _cpu_obstacle(request, ended, started):
        return obstacle
    return _memory_obstacle(request, ended, started)


def longest_start(request: PlacementRequest, after: Assignment) -> float:
    """Return the most seconds that a move's starts take on a host's cores, as far as known."""
    loads = request.observation.estimates.loads
    started = set(after) - set(request.topology.assignment)
    starts = Counter(_host_name(request, it.slot.supervisor) for it in started)
    seconds = (
        start_seconds(load, starting * request.start_cpu)
        for host, starting in starts.items()
        if (load := loads.get(host)) is not None
    )
    return max(seconds, default=0.0)


def find_obstacle(request: PlacementRequest) -> Message | None:
    """Return why the workers of any move of the topology restart; None: those of some may not."""
    topology = request.topology.topology
    if not request.settings.overlap:
        return message(Code.RESTARTS_AS_SET)
    if any(it.id == CHECKPOINTS for it in topology.components):
        return message(Code.STATEFUL, topology=topology.name)
    assignment = request.topology.assignment
    reported = request.reported_workers({it.slot.supervisor for it in assignment})
    for worker in assignment:
        sample = reported.get(worker.slot)
        own = sample if sample is not None and sample.topology == topology.id else None
        if obstacle := _agent_obstacle(request, worker.slot, own):
            return obstacle
    return None


def find_target_obstacle(request: PlacementRequest, supervisor: str) -> Message | None:
    """Return why a worker that starts there may not hand over; None: as far as known it does.

    It has the agent that the youngest has, of topologies that ask for it: others have none. One
    that is just starting has not said so yet.
    """
    host = _host_name(request, supervisor)
    report = request.observation.estimates.reports.get(host)
    if report is None:
        return message(Code.HOST_NOT_REPORTED, host=host)
    asking = {it.topology.id for it in request.observation.state.topologies if _asks(it.topology)}
    known = (
        it
        for it in report.workers
        if it.topology in asking and (it.overlaps or report.time - it.started > STARTING)
    )
    youngest = max(known, key=lambda it: it.started, default=None)
    if youngest is None:
        return None
    return _agent_obstacle(request, Slot(supervisor, youngest.port), youngest)


def _asks(topology: Topology) -> bool:
    """Whether the topology's owner wants its moves to overlap, as supervisors read it."""
    return (topology.settings or {}).get(MOVES.name) == '"overlap"'


def _agent_obstacle(
    request: PlacementRequest, slot: Slot, sample: WorkerSample | None
) -> Message | None:
    """Return what is wrong with a worker's agent; None: it is the one that is needed."""
    name = _slot_name(request, slot)
    if sample is not None and sample.unknown_storm and not sample.overlaps:
        return message(Code.UNKNOWN_STORM, slot=name, release=sample.unknown_storm)
    if sample is None or not sample.overlaps:
        return message(Code.NO_OVERLAP_AGENT, slot=name)
    if sample.agent_contract != OVERLAP_CONTRACT:
        return message(
            Code.OTHER_OVERLAP_AGENT,
            slot=name,
            version=sample.agent_version or "an older version",
            contract=sample.agent_contract,
            allowed=OVERLAP_CONTRACT,
        )
    return None


def _cpu_obstacle(
    request: PlacementRequest, ended: Set[Worker], started: Set[Worker]
) -> Message | None:
    """Return which host has too few cores for a start, or for starts beside old workers.

    None where the load is not known.
    """
    left = {_host_name(request, it.slot.supervisor) for it in ended}
    starts = Counter(_host_name(request, it.slot.supervisor) for it in started)
    start_cpu = request.start_cpu
    for host, starting in sorted(starts.items()):
        if (load := request.observation.estimates.loads.get(host)) is None:
            continue
        cpu = starting * start_cpu
        if obstacle := _slow_start(host, load, cpu):
            return obstacle
        name = request.topology.topology.id
        if host in left and (obstacle := _falls_behind(host, load, name, starting, cpu)):
            return obstacle
    return None


def _slow_start(host: str, load: HostLoad, cpu: float) -> Message | None:
    """Return that starts of so many CPU-seconds take too long there."""
    seconds = start_seconds(load, cpu)
    if seconds <= LONGEST_START:
        return None
    cores = load.cores * load.progress
    return message(Code.SLOW_START, host=host, cores=cores, seconds=seconds, longest=LONGEST_START)


def _falls_behind(
    host: str, load: HostLoad, topology: str, starting: int, cpu: float
) -> Message | None:
    """Return that so many workers which start there would take cores that old ones need.

    Where there is too little for all, each gets about the same: one that starts takes half of what
    others leave of the host, two take two thirds. An ordinary move takes as much, but ends the old
    workers first. `cpu` are the CPU-seconds of all starts.
    """
    used = load.by_topology.get(topology, 0.0)
    cores = max(0.0, load.cores * load.progress - load.by_others(topology))
    left = cores / (1 + starting)
    if used <= left:
        return None
    seconds = cpu / max(cores - left, 1e-9)
    behind = seconds * (1.0 - left / used)
    if behind <= MOST_BEHIND:
        return None
    return message(Code.NO_CPU_FOR_BOTH, host=host, cores=cores, used=used, seconds=behind)


def _memory_obstacle(
    request: PlacementRequest, ended: Set[Worker], started: Set[Worker]
) -> Message | None:
    """Return which host has no memory for old and new workers, by what components declare."""
    topology = request.topology.topology
    both = {*request.topology.assignment, *started}
    needed = requests((topology, it) for it in both)
    supervisors = ({it.slot.supervisor for it in of} for of in (ended, started))
    for supervisor in sorted(set.intersection(*supervisors)):
        capacity = request.capacities.get(supervisor)
        if capacity is not None and needed[supervisor].memory_bytes > capacity.memory_bytes:
            return message(
                Code.NO_MEMORY_FOR_BOTH,
                host=capacity.supervisor.host,
                needed=needed[supervisor].memory_bytes / MEGABYTE,
                available=capacity.memory_bytes / MEGABYTE,
            )
    return None


def _slot_name(request: PlacementRequest, slot: Slot) -> str:
    return f"{_host_name(request, slot.supervisor)}:{slot.port}"


def _host_name(request: PlacementRequest, supervisor: str) -> str:
    capacity = request.capacities.get(supervisor)
    return capacity.supervisor.host if capacity is not None else supervisor
