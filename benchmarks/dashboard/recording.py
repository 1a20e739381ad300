"""A recorded cluster: the documents that Nimbus, agents and rates job of such a cluster write.

Drawn from a seed. All its times are `MOMENT`; `stamp` replaces them by the present.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from eyewall_contracts.latency import HostCoordinate
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.rates import (
    ComponentCost,
    Emission,
    Estimate,
    Rates,
    StreamRate,
    TaskCost,
    TaskEmission,
    TaskRate,
    encode_rates,
)
from eyewall_contracts.sample import (
    MachineSample,
    Sample,
    TaskInput,
    TaskOutput,
    TaskQueue,
    TaskSample,
    ThreadGroup,
    WorkerSample,
    encode_sample,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOMENT = 1_700_000_060.25
SLOTS = 4
PER_WORKER = 5
SITES = 8
DIMENSIONS = 4
REPORT_SECONDS = 5.0
SHAPE = (
    ("source", (), 0.08),
    ("parse", ("source",), 0.24),
    ("count", ("parse",), 0.24),
    ("enrich", ("parse",), 0.16),
    ("join", ("count", "enrich"), 0.16),
    ("store", ("join",), 0.11),
    ("__acker", ("source", "parse", "count", "enrich", "join", "store"), 0.01),
)
"""Component, the components it subscribes to, and its share of the topology's executors."""
SOURCE_RATE = 4_000.0
"""Tuples/s of all sources of a topology together."""
PROBED = 40
"""Peers with a recent RTT to a host."""


@dataclass(frozen=True)
class ClusterSize:
    """Hosts, executors and topologies of a recording; `seed` draws the rest."""

    hosts: int
    executors: int
    topologies: int
    seed: int = 1

    def __str__(self) -> str:
        return f"{self.hosts:,} hosts"


SMALL = ClusterSize(6, 24, 2)
LARGE = ClusterSize(1_000, 10_000, 40)


@dataclass(frozen=True)
class ClusterRecording:
    """A cluster.

    Parameters
    ----------
    state, definitions
        As Nimbus sends them.
    samples, rates
        Host → its report, topology → its rates: encoded documents.
    places
        Host → its record of the latency registry.
    probes
        (source, target) → round trip in seconds.
    """

    state: pb.ClusterState
    definitions: tuple[pb.TopologyDefinition, ...]
    samples: Mapping[str, bytes]
    rates: Mapping[str, bytes]
    places: Mapping[str, HostCoordinate]
    probes: Mapping[tuple[str, str], float]


def stamp(document: bytes, now: float) -> bytes:
    """Return the document with its times set to `now`."""
    return document.replace(b"%r" % MOMENT, b"%.2f" % now)


def record(size: ClusterSize) -> ClusterRecording:
    """Draw a cluster."""
    rng = Random(size.seed)
    names = [f"{'edge' if n % 3 else 'core'}-{n:04}" for n in range(size.hosts)]
    places = {name: _coordinate(n % SITES, rng) for n, name in enumerate(names)}
    state = pb.ClusterState(supervisors=[_supervisor(n, it) for n, it in enumerate(names)])
    free = {name: list(range(6700, 6700 + SLOTS)) for name in names}
    definitions = []
    for number in range(size.topologies):
        definition = _definition(number, size.executors // size.topologies)
        definitions.append(definition)
        state.topologies.append(_assignment(definition, free, rng))
    host_of = {it.id: it.host for it in state.supervisors}
    pairs = {(a, b) for a in names for b in rng.sample(names, min(PROBED, size.hosts)) if a != b}
    return ClusterRecording(
        state=state,
        definitions=tuple(definitions),
        samples=_samples(state, definitions, host_of, rng),
        rates={
            it.topology_id: _rates(it, where, host_of, rng)
            for it, where in zip(definitions, state.topologies, strict=True)
        },
        places=places,
        probes={(a, b): _distance(places[a], places[b]) * rng.uniform(0.97, 1.1) for a, b in pairs},
    )


def digest(message: pb.TopologyState | pb.ClusterState | pb.TopologyDefinition) -> bytes:
    """Return the SHA-256 of a message."""
    return hashlib.sha256(message.SerializeToString(deterministic=True)).digest()


def _coordinate(site: int, rng: Random) -> HostCoordinate:
    """Draw a coordinate: sites are 10 to 80 ms apart, the hosts of a site up to 3 ms."""
    angle = 2 * math.pi * site / SITES
    centre = (0.04 * math.cos(angle), 0.03 * math.sin(angle), 0.004 * site, 0.0)
    position = tuple(round(axis + rng.gauss(0, 0.001), 7) for axis in centre)
    return HostCoordinate("127.0.0.1", 7078, position, MOMENT, 0.0004, 0.05)


def _distance(one: HostCoordinate, other: HostCoordinate) -> float:
    return one.coordinate.distance(other.coordinate)


def _supervisor(number: int, host: str) -> pb.Supervisor:
    return pb.Supervisor(
        id=f"{hashlib.sha256(host.encode()).hexdigest()[:32]}-127.0.0.1",
        host=host,
        ports=range(6700, 6700 + SLOTS),
        scheduler_meta={"site": f"site-{number % SITES}", "labels": "rack", "speed": "1.0"},
        cpu_cores=16.0,
        memory_bytes=64 << 30,
    )


def _definition(number: int, executors: int) -> pb.TopologyDefinition:
    made = pb.TopologyDefinition(
        topology_id=f"wordflow-{number:02}-{number + 1}-1700000000",
        name=f"wordflow-{number:02}",
        requested_workers=max(1, executors // PER_WORKER),
        worker_max_heap_bytes=0,
    )
    counts = {name: max(1, round(executors * share)) for name, _, share in SHAPE}
    counts["parse"] += executors - sum(counts.values())
    task = 1
    for name, sources, _ in SHAPE:
        count = counts[name]
        kind = pb.Component.SYSTEM if name.startswith("__") else pb.Component.BOLT
        component = made.components.add(
            id=name,
            kind=kind if sources else pb.Component.SPOUT,
            cpu_cores=0.1,
            on_heap_bytes=128 << 20,
        )
        for place in range(count):
            component.executors.add(first_task=task + place, last_task=task + place)
        task += count
        for source in sources:
            acks = "__ack_init" if source == "source" else "__ack_ack"
            component.inputs.add(
                source_component=source,
                stream=acks if name == "__acker" else "default",
                grouping=pb.Input.FIELDS if name in ("count", "__acker") else pb.Input.SHUFFLE,
            )
    made.digest = digest(made)
    return made


def _assignment(
    definition: pb.TopologyDefinition, free: dict[str, list[int]], rng: Random
) -> pb.TopologyState:
    """Assign workers of a few executors each to hosts with free slots."""
    tasks = [it.first_task for component in definition.components for it in component.executors]
    rng.shuffle(tasks)
    state = pb.TopologyState(
        topology_id=definition.topology_id, definition_digest=definition.digest
    )
    workers = math.ceil(len(tasks) / PER_WORKER)
    open_ = sorted((it for it in free if free[it]), key=lambda it: (-len(free[it]), rng.random()))
    for number in range(workers):
        host = open_[number % len(open_)]
        worker = state.workers.add(
            supervisor_id=f"{hashlib.sha256(host.encode()).hexdigest()[:32]}-127.0.0.1",
            port=free[host].pop(0),
        )
        for task in sorted(tasks[number::workers]):
            worker.executors.add(first_task=task, last_task=task)
    state.assignment_digest = digest(state)
    return state


def _flows(definition: pb.TopologyDefinition) -> dict[str, float]:
    """Return the tuples/s that all executors of each component emit together."""
    out: dict[str, float] = {}
    for name, sources, _ in SHAPE:
        out[name] = sum(out[it] for it in sources) if sources else SOURCE_RATE
    return {it.id: out[it.id] for it in definition.components}


def _tasks(definition: pb.TopologyDefinition) -> dict[int, pb.Component]:
    return {ex.first_task: it for it in definition.components for ex in it.executors}


def _samples(
    state: pb.ClusterState,
    definitions: Iterable[pb.TopologyDefinition],
    host_of: Mapping[str, str],
    rng: Random,
) -> dict[str, bytes]:
    workers: dict[str, list[WorkerSample]] = {it.host: [] for it in state.supervisors}
    for where, definition in zip(state.topologies, definitions, strict=True):
        components, flows = _tasks(definition), _flows(definition)
        sizes = {it.id: len(it.executors) for it in definition.components}
        for worker in where.workers:
            tasks = tuple(
                _task(it.first_task, components[it.first_task], flows, sizes, rng)
                for it in worker.executors
            )
            threads = tuple(
                ThreadGroup((it.task,), 1, round(rng.uniform(0.05, 0.4), 6), 0.0) for it in tasks
            )
            workers[host_of[worker.supervisor_id]].append(
                WorkerSample(
                    topology=where.topology_id,
                    port=worker.port,
                    id=f"5f1c1a0e-9f9b-4a6e-8a58-{rng.getrandbits(48):012x}",
                    started=MOMENT - 3_600,
                    until=MOMENT,
                    seconds=REPORT_SECONDS,
                    step=20,
                    cpu=1.25,
                    children_cpu=0.0,
                    memory=400 << 20,
                    tasks=tasks,
                    threads=threads,
                )
            )
    return {host: encode_sample(_sample(host, its, rng)) for host, its in workers.items()}


def _sample(host: str, workers: Iterable[WorkerSample], rng: Random) -> Sample:
    return Sample(
        host=host,
        run="0f8fad5b",
        sequence=7,
        time=MOMENT,
        seconds=REPORT_SECONDS,
        machine=MachineSample(
            cpus=16,
            quota=None,
            busy=round(rng.uniform(2, 40), 3),
            stolen=0.0,
            throttled=0.0,
            load=round(rng.uniform(0.5, 8), 2),
            memory=64 << 30,
            memory_free=rng.randrange(8 << 30, 48 << 30),
        ),
        workers=tuple(workers),
        counters={"lines": 43_210},
    )


def _task(
    task: int,
    component: pb.Component,
    flows: Mapping[str, float],
    sizes: Mapping[str, int],
    rng: Random,
) -> TaskSample:
    own = sizes[component.id]
    inputs = tuple(
        TaskInput(it.source_component, it.stream, count, count, 0, 0.0002, 0.004)
        for it in component.inputs
        for count in (20 * round(flows[it.source_component] / own * REPORT_SECONDS / 20),)
    )
    given = 20 * round(flows[component.id] / own * REPORT_SECONDS / 20)
    spout = component.kind == pb.Component.SPOUT
    latency = round(rng.uniform(0.06, 0.12), 6) if spout else None
    acked = given if spout else 0
    outputs = (TaskOutput("default", given, given, acked, 0, latency),)
    return TaskSample(
        task=task,
        component=component.id,
        inputs=inputs,
        outputs=() if component.id.startswith("__") else outputs,
        queue=TaskQueue(rng.randrange(40), 32_768, 0),
        capacity=round(rng.uniform(0.02, 0.6), 3),
    )


def _rates(
    definition: pb.TopologyDefinition,
    where: pb.TopologyState,
    host_of: Mapping[str, str],
    rng: Random,
) -> bytes:
    flows = _flows(definition)
    components, sizes = (
        _tasks(definition),
        {it.id: len(it.executors) for it in definition.components},
    )
    slot_of = {
        it.first_task: (host_of[worker.supervisor_id], worker.port)
        for worker in where.workers
        for it in worker.executors
    }
    streams = [(it, component) for component in definition.components for it in component.inputs]
    rates = Rates(
        topology=definition.topology_id,
        run="5f1c1a0e9f9b",
        batch=42,
        written=MOMENT,
        window=60.0,
        lost=0,
        late=0,
        troubled=0.0,
        streams=tuple(
            StreamRate(
                it.source_component,
                it.stream,
                component.id,
                sizes[component.id],
                1.1,
                _estimate(flows[it.source_component], rng),
                None,
            )
            for it, component in streams
        ),
        inputs=tuple(
            TaskRate(
                task,
                component.id,
                it.source_component,
                it.stream,
                *slot_of[task],
                _estimate(flows[it.source_component] / sizes[component.id], rng),
            )
            for task, component in components.items()
            for it in component.inputs
        ),
        emissions=tuple(
            Emission(it.id, "default", sizes[it.id], _estimate(flows[it.id], rng), 1.0, None)
            for it in definition.components
        ),
        outputs=tuple(
            TaskEmission(task, it.id, "default", _estimate(flows[it.id] / sizes[it.id], rng), None)
            for task, it in components.items()
        ),
        costs=tuple(
            ComponentCost(
                it.id, sizes[it.id], _estimate(0.0002, rng), _estimate(0.1 * sizes[it.id], rng)
            )
            for it in definition.components
        ),
        task_costs=tuple(
            TaskCost(task, it.id, _estimate(0.0002, rng), _estimate(0.1, rng), apart=True)
            for task, it in components.items()
        ),
    )
    return encode_rates(rates)


def _estimate(value: float, rng: Random) -> Estimate:
    now = value * rng.uniform(0.98, 1.02)
    return Estimate(now, value / 50, value, value / 20, value * 1.1, 0.01, 12, MOMENT, 0.94)
