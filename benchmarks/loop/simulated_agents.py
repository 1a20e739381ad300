"""What agents and the rates job report of a simulated cluster, with the errors of real reports."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from eyewall_contracts.rates import (
    ComponentCost,
    Emission,
    Estimate,
    Rates,
    StreamRate,
    TaskCost,
    TaskEmission,
    TaskRate,
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
)
from eyewall_sidecar.stores import Measurements
from eyewall_sidecar.stores.measurements import MOST_EARLIER

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_sidecar.storm import Topology
    from numpy.random import Generator
    from numpy.typing import NDArray

    from benchmarks.loop.simulated_cluster import SimulatedCluster

STEP = 20
"""Storm counts one tuple in so many."""
TICK = 0.01
"""Of the CPU clock, in seconds."""
WINDOW = 60.0
CALM = 6
"""Samples that a steady estimate rests on."""
SURPRISE = 4.0
"""Standard deviations from which on a sample begins a new level."""
QUEUE = 32_768
EPOCH = 1_700_000_000.0
"""The time of the wall clock when a simulation begins."""


@dataclass
class SimulatedAgents:
    """A store of measurements that is fed from a simulated cluster."""

    cluster: SimulatedCluster
    topology: Topology
    rng: Generator
    clock: Callable[[], float]
    hosts: dict[str, Sample] = field(default_factory=dict)
    earlier: dict[str, tuple[Sample, ...]] = field(default_factory=dict)
    rates: dict[str, Rates] = field(default_factory=dict)
    sequence: int = 0

    def __post_init__(self) -> None:
        count = len(self.cluster.executors)
        self._readings: deque[NDArray[np.float64]] = deque(maxlen=12)
        self._reported = np.zeros((2, count))
        self._cpu = np.zeros(count)
        self._machine = np.zeros((3, len(self.cluster.hosts)))
        self._worker_cpu: dict[str, float] = {}
        self._calm = np.zeros((3, count), dtype=int)
        self._until = np.zeros(count)

    def read(self) -> Measurements:
        """Return what is known now."""
        return Measurements(
            wanted=True,
            now=EPOCH + self.clock(),
            rates=dict(self.rates),
            hosts=dict(self.hosts),
            earlier=dict(self.earlier),
        )

    def report(self, seconds: float) -> None:
        """Have every agent report on the last seconds, and the rates job estimate from it."""
        of = self.cluster
        count = len(of.executors)
        totals = np.stack([of.received_total, of.emitted_total])
        sampled = np.floor((totals + self.rng.uniform(0, STEP, totals.shape)) / STEP) * STEP
        sampled = np.maximum(sampled, self._reported)
        counts = sampled - self._reported
        self._reported = sampled
        cpu = np.maximum(0.0, of.cpu_total - self._cpu)
        self._cpu = of.cpu_total.copy()
        cpu = np.maximum(0.0, cpu * self.rng.normal(1.0, 0.03, count))
        cpu = np.round((cpu + self.rng.uniform(-TICK, TICK, count) / 2) / TICK) * TICK
        cpu = np.maximum(cpu, 0.0)
        machine = np.stack([of.busy_total, of.throttled_total, of.stolen_total])
        since = np.maximum(0.0, machine - self._machine)
        self._machine = machine
        self.sequence += 1
        time = EPOCH + of.now
        up = np.zeros(count, dtype=bool)
        workers: dict[str, list[WorkerSample]] = {it.name: [] for it in of.hosts}
        for slot, process in of.workers.items():
            if process.launched > of.now:
                continue
            host = slot.supervisor.removeprefix("sup-")
            places = [of.place[it] for it in sorted(process.executors)]
            lives = process.ready is not None
            up[places] = lives
            used = process.cpu - self._worker_cpu.get(process.id, 0.0)
            self._worker_cpu[process.id] = process.cpu
            covered = min(seconds, of.now - process.ready) if process.ready is not None else 0.0
            workers[host].append(
                WorkerSample(
                    topology=self.topology.id,
                    port=slot.port,
                    id=process.id,
                    started=EPOCH + process.launched,
                    until=time,
                    seconds=covered,
                    step=STEP if lives else 0,
                    cpu=max(0.0, used),
                    children_cpu=0.0,
                    memory=1,
                    tasks=self._tasks(places, counts) if lives else (),
                    threads=tuple(ThreadGroup((it + 1,), 1, float(cpu[it])) for it in places),
                )
            )
        for place, its in enumerate(of.hosts):
            if (replaced := self.hosts.get(its.name)) is not None:
                known = self.earlier.get(its.name, ())
                self.earlier[its.name] = (*known, replaced)[-MOST_EARLIER:]
            self.hosts[its.name] = Sample(
                its.name,
                "run",
                self.sequence,
                time,
                seconds,
                MachineSample(
                    its.cpus,
                    its.cores if its.has_quota else None,
                    float(since[0, place]),
                    float(since[2, place]),
                    float(since[1, place]),
                    0.0,
                    1 << 34,
                    1 << 33,
                ),
                workers=tuple(workers[its.name]),
            )
        self._estimate(counts, cpu, up, seconds, time)

    def _tasks(self, places: list[int], counts: NDArray[np.float64]) -> tuple[TaskSample, ...]:
        tasks = [self._task(it, counts) for it in places]
        if self.cluster.spouts[places].any():  # of a case's one spout: its acker takes nothing
            tasks.append(TaskSample(len(self.cluster.executors) + 1, "__acker"))
        return tuple(tasks)

    def _task(self, place: int, counts: NDArray[np.float64]) -> TaskSample:
        of = self.cluster
        component = of.components[of.component_of[place]]
        received, emitted = int(counts[0, place]), int(counts[1, place])
        inputs = tuple(
            TaskInput(it, "default", received // len(component.inputs)) for it in component.inputs
        )
        spout = not component.inputs
        output = TaskOutput(
            "default",
            emitted,
            emitted,
            acked=emitted if spout else 0,
            complete_latency=of.latency * float(self.rng.normal(1.0, 0.03)) if spout else None,
        )
        waiting = int(min(of.physics.pending, of.backlog)) if of.saturated else 0
        queue = TaskQueue(min(QUEUE, waiting if component.inputs else 0), QUEUE)
        return TaskSample(place + 1, component.name, inputs, (output,), queue)

    def _estimate(
        self,
        counts: NDArray[np.float64],
        cpu: NDArray[np.float64],
        up: NDArray[np.bool_],
        seconds: float,
        time: float,
    ) -> None:
        """Write the rates document: a mean over the samples since the last step."""
        reading = np.stack([counts[0], counts[1], cpu]) / seconds
        reading[:, ~up] = np.nan
        self._until[up] = time
        noise = np.array([[STEP / seconds / 2.45], [STEP / seconds / 2.45], [TICK / seconds]])
        if self._readings:
            known = np.stack(self._readings)
            value, spread = _levels(known, self._calm)
            scale = np.hypot(np.nan_to_num(spread), noise)
            with np.errstate(invalid="ignore"):
                jump = np.abs(reading - value) > SURPRISE * scale + 0.15 * np.nan_to_num(value)
            self._calm = np.where(jump, 1, np.minimum(self._calm + 1, CALM))
        else:
            self._calm[:] = 1
        self._calm[:, ~up] = 0
        self._readings.append(reading)
        value, spread = _levels(np.stack(self._readings), self._calm)
        rest = np.sqrt(np.maximum(self._calm, 1))
        error = 1.96 * np.hypot(spread / rest, noise / np.maximum(self._calm, 1))
        value, error = np.nan_to_num(value), np.nan_to_num(error)
        if up.any() and len(self._readings) >= 2:
            self.rates[self.topology.id] = self._document(value, error, time)

    def _estimate_of(self, value: float, error: float, places: list[int], small: float) -> Estimate:
        until = float(min(self._until[places]))
        samples = int(min(self._calm[0][places]))
        confidence = (value + small) / (value + small + error) * min(1.0, samples / 3)
        return Estimate(value, error, value, 0.0, value, 0.0, max(samples, 1), until, confidence)

    def _document(
        self, value: NDArray[np.float64], error: NDArray[np.float64], time: float
    ) -> Rates:
        of = self.cluster
        streams, inputs, emissions, outputs, costs, task_costs = [], [], [], [], [], []
        by_component: list[list[int]] = [[] for _ in of.components]
        for place, component_place in enumerate(of.component_of.tolist()):
            by_component[component_place].append(place)
        for number, component in enumerate(of.components):
            mine = by_component[number]
            taken = float(value[0, mine].sum()) if component.inputs else 0.0
            given = float(value[1, mine].sum())
            sources = len(component.inputs)
            for source in component.inputs:
                rate = self._estimate_of(taken / sources, _sum(error[0, mine]) / sources, mine, 1.0)
                streams.append(StreamRate(source, "default", component.name, len(mine), 1.0, rate))
                for it in mine:
                    own = self._estimate_of(
                        float(value[0, it]) / sources, float(error[0, it]) / sources, [it], 1.0
                    )
                    inputs.append(
                        TaskRate(it + 1, component.name, source, "default", "h", 6700, own)
                    )
            emitted = self._estimate_of(given, _sum(error[1, mine]), mine, 1.0)
            emissions.append(Emission(component.name, "default", len(mine), emitted, 1.0, None))
            for it in mine:
                own = self._estimate_of(float(value[1, it]), float(error[1, it]), [it], 1.0)
                outputs.append(TaskEmission(it + 1, component.name, "default", own, None))
            handled = taken if component.inputs else given
            cores = self._estimate_of(float(value[2, mine].sum()), _sum(error[2, mine]), mine, 0.01)
            per_tuple = cores.value / handled if handled > 0 else 0.0
            cost = self._estimate_of(
                per_tuple, per_tuple * (cores.error / max(cores.value, 1e-6)), mine, 0.0001
            )
            costs.append(ComponentCost(component.name, len(mine), cost, cores))
            for it in mine:
                own = self._estimate_of(float(value[2, it]), float(error[2, it]), [it], 0.01)
                task_costs.append(TaskCost(it + 1, component.name, cost, own, apart=True))
        return Rates(
            topology=self.topology.id,
            run="r",
            batch=self.sequence,
            written=time,
            window=WINDOW,
            streams=tuple(streams),
            inputs=tuple(inputs),
            emissions=tuple(emissions),
            outputs=tuple(outputs),
            costs=tuple(costs),
            task_costs=tuple(task_costs),
        )


def _sum(errors: NDArray[np.float64]) -> float:
    return float(np.sqrt((errors**2).sum()))


def _levels(
    known: NDArray[np.float64], calm: NDArray[np.int_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and deviation of the last samples, as many as each quantity is calm for."""
    newest = known[::-1][:CALM]
    number = np.arange(len(newest))[:, None, None]
    used = (number < np.maximum(calm, 1)[None]) & ~np.isnan(newest)
    count = used.sum(axis=0)
    filled = np.where(used, newest, 0.0)
    safe = np.maximum(count, 1)
    mean = filled.sum(axis=0) / safe
    spread = np.sqrt(np.where(used, (newest - mean) ** 2, 0.0).sum(axis=0) / safe)
    return np.where(count > 0, mean, np.nan), spread
