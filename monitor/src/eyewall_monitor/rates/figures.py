"""Figures from the samples of a window: of one stream, output or component."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eyewall_contracts.rates import (
    ComponentCost,
    Emission,
    Estimate,
    StreamRate,
    TaskCost,
    TaskEmission,
    TaskRate,
)

from eyewall_monitor.rates.estimator import (
    SAMPLING,
    NoisyReading,
    estimate,
    is_settled,
    sum_estimates,
)
from eyewall_monitor.rates.rows import RowKind
from eyewall_monitor.rates.totals import Increment, pool, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LEAST_STEPS: Final = 5
"""Of a counter, in what a ratio is over: fewer make it a matter of chance."""
SMALL_RATIO: Final = 0.1
"""An error of this many tuples for each halves the confidence in a selectivity of 0."""
SMALL_CORES: Final = 0.01
SMALL_COST: Final = 1e-5
"""CPU-seconds per tuple."""


class WindowSample(NamedTuple):
    """One task's sample, as a window collects it."""

    task: int
    until: float
    seconds: float
    amount: float
    base: float
    extra: float
    step: int
    host: str
    port: int


class WindowGroup(NamedTuple):
    """What a window holds of one stream, output or component of a topology."""

    start: float
    """Seconds since the epoch: where the window begins."""
    topology: str
    kind: str
    component: str
    source: str
    stream: str
    samples: tuple[WindowSample, ...]

    @property
    def until(self) -> float:
        """The last sample's."""
        return max(it.until for it in self.samples)


class Figures(NamedTuple):
    """Rows of a `Rates` document."""

    streams: tuple[StreamRate, ...] = ()
    inputs: tuple[TaskRate, ...] = ()
    emissions: tuple[Emission, ...] = ()
    outputs: tuple[TaskEmission, ...] = ()
    costs: tuple[ComponentCost, ...] = ()
    task_costs: tuple[TaskCost, ...] = ()


def join(several: Iterable[Figures]) -> Figures:
    """Return all rows of several."""
    lists: list[Any] = [tuple(chain.from_iterable(rows)) for rows in zip(*several, strict=True)]
    return Figures(*lists)


def figures(group: WindowGroup) -> Figures:
    """Estimate what a window's samples allow."""
    samples: defaultdict[int, list[WindowSample]] = defaultdict(list)
    for it in sorted(group.samples):
        samples[it.task].append(it)
    by_task = {
        task: [_increment(it, group.kind) for it in of_task]
        for task, of_task in sorted(samples.items())
    }
    if group.kind == RowKind.RECEIVED:
        return _received_figures(group, samples, by_task)
    if group.kind == RowKind.EMITTED:
        return _emitted_figures(group, by_task)
    return _cpu(group, samples, by_task)


def _received_figures(
    group: WindowGroup,
    samples: Mapping[int, Sequence[WindowSample]],
    by_task: Mapping[int, Sequence[Increment]],
) -> Figures:
    tasks = []
    for task, increments in by_task.items():
        last = samples[task][-1]
        tasks.append(
            TaskRate(
                task,
                group.component,
                group.source,
                group.stream,
                last.host,
                last.port,
                rate(increments),
            )
        )
    means = [it.rate.mean for it in tasks]
    skew = max(means) * len(means) / sum(means) if sum(means) > 0 else 1.0
    together = total(by_task)
    if not together:
        return Figures(inputs=tuple(tasks))
    stream = StreamRate(
        *(group.source, group.stream, group.component, len(tasks), skew),
        rate=_whole(together, [it.rate for it in tasks]),
        tuple_bytes=None,
    )
    return Figures(streams=(stream,), inputs=tuple(tasks))


def _emitted_figures(group: WindowGroup, by_task: Mapping[int, Sequence[Increment]]) -> Figures:
    name, stream = group.component, group.stream
    tasks = tuple(
        TaskEmission(task, name, stream, rate(increments), _selectivity(increments))
        for task, increments in by_task.items()
    )
    together = total(by_task)
    if not together:
        return Figures(outputs=tasks)
    emitted = sum(it.amount for it in group.samples)
    copies = sum(it.extra for it in group.samples) / emitted if emitted else None
    emission = _whole(together, [it.rate for it in tasks])
    whole = Emission(name, stream, len(tasks), emission, copies, _selectivity(together))
    return Figures(emissions=(whole,), outputs=tasks)


def _cpu(
    group: WindowGroup,
    samples: Mapping[int, Sequence[WindowSample]],
    by_task: Mapping[int, Sequence[Increment]],
) -> Figures:
    tasks = tuple(
        TaskCost(
            task,
            group.component,
            _ratio(increments, SMALL_COST, counted=1),
            rate(increments, SMALL_CORES),
            apart=all(it.extra <= 1 for it in samples[task]),
        )
        for task, increments in by_task.items()
    )
    together = total(by_task)
    cost = _ratio(together, SMALL_COST, counted=1)
    if cost is None:
        return Figures(task_costs=tasks)
    cores = _whole(together, [it.cores for it in tasks], SMALL_CORES)
    whole = ComponentCost(group.component, len(tasks), cost, cores)
    return Figures(costs=(whole,), task_costs=tasks)


def _increment(it: WindowSample, kind: str) -> Increment:
    return Increment(
        it.until, it.seconds, it.amount, it.base, 0.0 if kind == RowKind.CPU else it.step
    )


def rate(increments: Iterable[Increment], small: float = 1.0) -> Estimate:
    """Estimate of an amount per second."""
    found = estimate(_readings(increments), small)
    assert found is not None  # noqa: S101 - a group has samples
    return found


def _whole(
    together: Sequence[Increment], tasks: Sequence[Estimate], small: float = 1.0
) -> Estimate:
    """Estimate of what all tasks do together, per second.

    From the sums, in which the tasks' chances cancel; after a surprise from the tasks, which are
    the first to know whether it was a step.
    """
    found = rate(together, small)
    return found if is_settled(_readings(together)) else sum_estimates(found, tasks, small)


def _readings(increments: Iterable[Increment]) -> list[NoisyReading]:
    return [
        NoisyReading(it.until, it.seconds, it.amount / it.seconds, SAMPLING * it.step / it.seconds)
        for it in increments
    ]


def _selectivity(increments: Sequence[Increment]) -> Estimate | None:
    return _ratio(increments, SMALL_RATIO, counted=2)


def _ratio(increments: Sequence[Increment], small: float, counted: int) -> Estimate | None:
    """Estimate of an amount for each of the base; `counted`: how many of the two are in steps."""
    if not increments:
        return None
    step = max(it.step for it in increments)
    readings = []
    for it in pool(increments, LEAST_STEPS * max(step, 1.0)):
        ratio = it.amount / it.base
        noise = ratio * SAMPLING * (counted * step**2) ** 0.5 / it.base
        readings.append(NoisyReading(it.until, it.seconds, ratio, noise))
    return estimate(readings, small)
