"""Small clusters and topologies for tests of the sidecar."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from delay_tables import all_delays
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.storm import (
    Assignment,
    ClusterState,
    Component,
    ComponentKind,
    DelayTable,
    Executor,
    Grouping,
    HostLoad,
    Input,
    MeasuredTopology,
    Signals,
    Slot,
    SlotChoice,
    Supervisor,
    Topology,
    TopologySettings,
    TopologyState,
    Worker,
    choose_slots,
    problem_of_missing,
    problem_of_moving,
    read_settings,
    supervisor_capacities,
)
from eyewall_sidecar.storm.topology_problem import TopologyProblem

MEGABYTE = 1 << 20

IDLE_HOSTS = TopologySettings(objective=Objective.parse("R=1"), executors_per_slot=4)
"""Defaults whose placements can be worked out by hand: delays alone count."""


def supervisor(
    host: str, slots: int = 2, *, name: str | None = None, cpu: float = 8.0, **meta: str
) -> Supervisor:
    """A supervisor `sup-HOST` with ports from 6700 on and 4 GB."""
    ports = tuple(range(6700, 6700 + slots))
    return Supervisor(name or f"sup-{host}", host, ports, cpu, 4096 * MEGABYTE, meta)


def chain(
    *components: tuple[str, int],
    name: str = "chain-1",
    settings: Mapping[str, object] | None = None,
    grouping: Grouping = Grouping.SHUFFLE,
    acker: bool = False,
    heap_megabytes: int = 128,
    max_heap_megabytes: int = 0,
    cpu: float = 0.1,
) -> Topology:
    """(name, executors) in a row; the first is the spout. Tasks are numbered from 1 on."""
    task = 0
    built = []
    names = [it for it, _ in components]
    everyone = [*components, *([("__acker", 1)] if acker else [])]
    for place, (component, count) in enumerate(everyone):
        executors = tuple(Executor(task + n, task + n) for n in range(1, count + 1))
        task += count
        if component == "__acker":
            kind = ComponentKind.SYSTEM
            inputs = tuple(
                Input(it, "__ack_ack" if it != names[0] else "__ack_init", Grouping.FIELDS)
                for it in names
            )
        else:
            kind = ComponentKind.BOLT if place else ComponentKind.SPOUT
            inputs = (Input(names[place - 1], "default", grouping),) if place else ()
            if not place and acker:
                inputs = (Input("__acker", "__ack_ack", Grouping.DIRECT),)
        heap = heap_megabytes * MEGABYTE
        built.append(Component(component, kind, executors, cpu, heap, 0, inputs))
    texts = {f"eyewall.{key}": json.dumps(value) for key, value in (settings or {}).items()}
    heap_limit = max_heap_megabytes * MEGABYTE
    return Topology(name, name, tuple(built), 2, heap_limit, texts)


def worker(host: str, port: int, *tasks: int) -> Worker:
    """A worker of `sup-HOST` with these executors, one task each."""
    return Worker(Slot(f"sup-{host}", port), frozenset(Executor(it, it) for it in tasks))


def state(topology: Topology, *workers: Worker) -> TopologyState:
    """The topology as it runs; the digest follows from the workers."""
    running: Assignment = workers
    return TopologyState(topology, running, digest(workers), needs_scheduling=not workers)


def digest(workers: Iterable[Worker]) -> bytes:
    """Name an assignment, whatever its order."""
    return repr(sorted((it.slot, sorted(it.executors)) for it in workers)).encode()


def cluster(supervisors: Sequence[Supervisor], *topologies: TopologyState) -> ClusterState:
    """A cluster's state."""
    return ClusterState(tuple(supervisors), topologies)


def many_supervisors(count: int, speed: str = "1") -> list[Supervisor]:
    """`host-00`, `host-01` and so on."""
    return [supervisor(f"host-{n:02}", speed=speed) for n in range(count)]


def ask(
    supervisors: Sequence[Supervisor],
    topology: Topology,
    *workers: Worker,
    delays: DelayTable | None = None,
    others: Sequence[TopologyState] = (),
    moving: bool = False,
    measured: MeasuredTopology | None = None,
    loads: Mapping[str, HostLoad] | None = None,
    overheads: Mapping[tuple[str, int], float] | None = None,
    least_worker_cores: float = 0.0,
) -> TopologyProblem:
    """What is asked of a policy for a topology with these workers, among `others`."""
    running = state(topology, *workers)
    settings = read_settings(topology, IDLE_HOSTS, policy_catalogue())
    known = delays or all_delays(sorted({it.host for it in supervisors}), 10)
    build = problem_of_moving if moving else problem_of_missing
    seen = replace(cluster(supervisors, running, *others), least_worker_cores=least_worker_cores)
    capacities = supervisor_capacities(seen, running)
    signals = Signals(known, measured, loads or {}, overheads or {})
    return build(capacities, running, settings, signals)


def capacity(problem: PlacementProblem) -> dict[str, float]:
    """Node id → how many operators it may hold."""
    return {it.id: it.operators for it in problem.nodes}


def choose(
    supervisors: Sequence[Supervisor],
    topology_state: TopologyState,
    placed: Mapping[int, str],
    per_slot: int = 4,
    others: Sequence[TopologyState] = (),
    traffic: Mapping[tuple[int, int], float] | None = None,
) -> SlotChoice:
    """The slots of executors, by task, that are placed on hosts."""
    seen = cluster(supervisors, topology_state, *others)
    capacities = supervisor_capacities(seen, topology_state)
    on = {Executor(task, task): f"sup-{host}" for task, host in placed.items()}
    flows = {(Executor(a, a), Executor(b, b)): it for (a, b), it in (traffic or {}).items()}
    return choose_slots(on, topology_state, capacities, per_slot, flows)
