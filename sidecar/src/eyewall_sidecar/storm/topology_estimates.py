"""The measurements of one topology that are believed.

They come from the document that the rates job writes. An estimate whose confidence, with its age,
is below the minimum is left out and named: unknown is unknown, never zero.

Estimates change a little with every report. A figure that was handed out is held until it is wrong
by more than chance explains, so that a steady topology is not solved again.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, TypeVar

from eyewall_contracts.rates import Estimate, Rates, StreamRate

from eyewall_sidecar.storm.cluster import Component, Topology

LARGEST = 1e9
"""Tuples/s, CPU-seconds or cores; a figure beyond is a mistake, and would refuse a problem."""
CONFIDENCE_BAND = 0.05
"""By which a figure that was not believed has to exceed the minimum of confidence."""
HELD_WITHIN = 0.1
"""Part of a figure by which it may be off before another one takes its place."""

Key = TypeVar("Key", bound=Hashable)
StreamTo = tuple[str, str, str]
"""Source component, stream, target component."""


class MeasuredValue(NamedTuple):
    """A measured value, and half the width of its 95 % interval."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class MeasuredTopology:
    """What is believed of one topology; what is missing is unknown.

    Parameters
    ----------
    streams
        Tuples/s that all tasks of a component take together from a stream of another.
    emissions
        (component, stream) → tuples/s that it gives out, each counted once however many get it.
    received
        (task, source component, stream) → tuples/s.
    emitted
        (task, stream) → tuples/s.
    execution_times
        Component → CPU-seconds for one tuple.
    cores
        Task → CPU-seconds per second.
    remembered
        Tasks whose cores are the last known ones: work that was too heavy for a host must not go
        back because its load is unknown now.
    doubtful
        What was measured and is not believed, as sentences for a person.
    """

    streams: Mapping[StreamTo, MeasuredValue] = field(default_factory=dict)
    emissions: Mapping[tuple[str, str], MeasuredValue] = field(default_factory=dict)
    received: Mapping[tuple[int, str, str], MeasuredValue] = field(default_factory=dict)
    emitted: Mapping[tuple[int, str], MeasuredValue] = field(default_factory=dict)
    execution_times: Mapping[str, MeasuredValue] = field(default_factory=dict)
    cores: Mapping[int, MeasuredValue] = field(default_factory=dict)
    remembered: frozenset[int] = frozenset()
    doubtful: tuple[str, ...] = field(default=(), compare=False)


def measured_topology(
    rates: Rates | None,
    topology: Topology,
    now: float,
    minimum_confidence: float,
    before: MeasuredTopology | None = None,
) -> MeasuredTopology:
    """Return what is believed of a topology's document.

    Parameters
    ----------
    rates
        The document; None if there is none.
    topology
        Which components and tasks there are.
    now
        Seconds since the epoch.
    minimum_confidence
        Below it, from 0 to 1, an estimate counts as unknown.
    before
        What was believed before. What was not has to be known a little better than the minimum, so
        that a confidence that wavers around it does not make a figure come and go.
    """
    if rates is None:
        return MeasuredTopology()
    return _Reading(rates, topology, now, minimum_confidence, before).measured()


def hold_estimates(before: MeasuredTopology, now: MeasuredTopology) -> MeasuredTopology:
    """Return the earlier figures wherever the new ones do not contradict them."""
    return MeasuredTopology(
        streams=_hold(before.streams, now.streams),
        emissions=_hold(before.emissions, now.emissions),
        received=_hold(before.received, now.received),
        emitted=_hold(before.emitted, now.emitted),
        # They follow from the code rather than from the load: the last is nearer than none.
        execution_times={
            **before.execution_times,
            **_hold(before.execution_times, now.execution_times),
        },
        cores={**before.cores, **_hold(before.cores, now.cores)},
        remembered=frozenset(before.cores.keys() - now.cores.keys()),
        doubtful=now.doubtful,
    )


def metric_name(name: str) -> str:
    """Name a component or a stream as Storm's reporter does."""
    return name.replace(".", "_")


class _Reading:
    """One document held against one topology."""

    def __init__(
        self,
        rates: Rates,
        topology: Topology,
        now: float,
        minimum: float,
        before: MeasuredTopology | None,
    ) -> None:
        self._rates = rates
        self._before = before
        names = Counter(metric_name(it.id) for it in topology.components)
        self._components = {
            name: it for it in topology.components if names[name := metric_name(it.id)] == 1
        }
        self._streams = {
            (wanted.source, metric_name(wanted.stream)): wanted.stream
            for it in topology.components
            for wanted in it.inputs
        }
        self._now = now
        self._minimum = minimum
        self._doubtful: list[str] = []
        self._last_seen: dict[int, float] = {}
        for task, estimate in (
            *((it.task, it.rate) for it in rates.inputs),
            *((it.task, it.rate) for it in rates.outputs),
            *((it.task, it.cores) for it in rates.task_costs),
        ):
            self._last_seen[task] = max(estimate.until, self._last_seen.get(task, 0.0))

    def measured(self) -> MeasuredTopology:
        streams = {
            (*self._stream(it.source, it.stream), self._components[it.component].id): (
                _figure(it.rate)
            )
            for it in self._rates.streams
            if it.source in self._components and self._is_stream_believed(it)
        }
        emissions = {
            self._stream(it.component, it.stream): _figure(it.rate)
            for it in self._rates.emissions
            if (component := self._components.get(it.component)) is not None
            and self._is_believed(
                it.rate,
                f"{component.id}:{it.stream}",
                component,
                it.tasks,
                known=self._before is None
                or self._stream(it.component, it.stream) in self._before.emissions,
            )
        }
        costs = {
            component: it
            for it in self._rates.costs
            if (component := self._components.get(it.component)) is not None
            and self._is_believed(
                it.cost,
                f"CPU of {component.id}",
                component,
                it.tasks,
                known=self._before is None or component.id in self._before.execution_times,
            )
        }
        tasks = {task for component in costs for task in _tasks(component)}
        of_source = {(source, stream) for source, stream, _ in streams}
        taken = {(it.component, it.source, it.stream): it.rate.until for it in self._rates.streams}
        given = {(it.component, it.stream): it.rate.until for it in self._rates.emissions}
        return MeasuredTopology(
            streams=streams,
            emissions=emissions,
            received={
                (it.task, *stream): _figure(it.rate)
                for it in self._rates.inputs
                if it.source in self._components
                and (stream := self._stream(it.source, it.stream)) in of_source
                and self._is_in(it.rate, taken.get((it.component, it.source, it.stream)))
            },
            emitted={
                (it.task, self._stream(it.component, it.stream)[1]): _figure(it.rate)
                for it in self._rates.outputs
                if it.component in self._components
                and self._is_in(it.rate, given.get((it.component, it.stream)))
            },
            execution_times={component.id: _figure(it.cost) for component, it in costs.items()},
            cores={
                it.task: _figure(it.cores)
                for it in self._rates.task_costs
                if it.cores.value <= LARGEST
                and (it.task in tasks or it.cores.confidence_at(self._now) >= self._minimum)
            },
            doubtful=tuple(self._doubtful),
        )

    def _stream(self, component: str, stream: str) -> tuple[str, str]:
        """Return a component and its stream as the topology names them."""
        source = self._components[component].id
        return source, self._streams.get((source, stream), stream)

    def _is_stream_believed(self, stream: StreamRate) -> bool:
        target = self._components.get(stream.component)
        if target is None:
            return False
        name = f"{stream.source}:{stream.stream} → {stream.component}"
        to = (*self._stream(stream.source, stream.stream), target.id)
        known = self._before is None or to in self._before.streams
        return self._is_believed(stream.rate, name, target, stream.tasks, known=known)

    def _since(self, until: float) -> float:
        """Return from when on something of a task is in a sum over all of them.

        The document keeps what it knew of a task for longer than a sum waits for it.
        """
        return until - self._rates.window / 2

    def _is_in(self, of_task: Estimate, until: float | None) -> bool:
        """Whether a task's rate is in the sum up to `until`: one that got or gave none has none."""
        return until is None or of_task.until >= self._since(until)

    def _is_believed(
        self, estimate: Estimate, name: str, component: Component, counted: int, *, known: bool
    ) -> bool:
        """Whether an estimate over all tasks of a component is believed; note why not.

        `counted` is how many of its tasks the document says are in it, `known` whether it was
        believed before.
        """
        if estimate.value > LARGEST:
            self._doubtful.append(f"{name}: {estimate.value:g} is impossible")
            return False
        since = self._since(estimate.until)
        unseen = sum(self._last_seen.get(it, -inf) < since for it in _tasks(component))
        if self._rates.left_out:  # rows of single tasks are missing
            unseen = max(0, len(_tasks(component)) - counted)
        if unseen:
            self._doubtful.append(f"{name}: {unseen} of its tasks not seen")
            return False
        confidence = estimate.confidence_at(self._now)
        wanted = self._minimum if known else min(1.0, self._minimum + CONFIDENCE_BAND)
        if confidence < wanted:
            self._doubtful.append(
                f"{name}: confidence {confidence:.2f} of {wanted:g} wanted, "
                f"{estimate.age(self._now):.0f} s old"
            )
            return False
        return True


def _tasks(component: Component) -> set[int]:
    return {
        task
        for executor in component.executors
        for task in range(executor.first_task, executor.last_task + 1)
    }


def _figure(estimate: Estimate) -> MeasuredValue:
    return MeasuredValue(estimate.value, estimate.error)


def _hold(
    before: Mapping[Key, MeasuredValue], now: Mapping[Key, MeasuredValue]
) -> dict[Key, MeasuredValue]:
    return {key: _kept(before.get(key), figure) for key, figure in now.items()}


def _kept(before: MeasuredValue | None, now: MeasuredValue) -> MeasuredValue:
    if before is None:
        return now
    within = max(HELD_WITHIN * before.value, min(before.error, now.error))
    return before if abs(now.value - before.value) <= within else now
