"""What runs of a trial are compared by, and its medians and ranges over repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from eyewall_deploy.trial.records import mean_known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyewall_deploy.trial.records import RunSecond, SustainableRate, TrialMove, TrialRun


@dataclass(frozen=True, slots=True)
class Figure:
    """One column of the table.

    Parameters
    ----------
    key, heading
        In JSON, and for people.
    of
        Its value in one run; None is unknown.
    """

    key: str
    heading: str
    of: Callable[[TrialRun], float | None]


@dataclass(frozen=True, slots=True)
class FigureRange:
    """Median and extremes of one figure over repetitions; None if no run has it."""

    median: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class SchedulerLine:
    """One scheduler under one load: figures by key."""

    scheduler: str
    load: float
    runs: int
    figures: Mapping[str, FigureRange]


def _per_second(count: Callable[[RunSecond], int]) -> Callable[[TrialRun], float]:
    return lambda run: _mean([count(second) for second in run.seconds])


def _total(count: Callable[[RunSecond], int]) -> Callable[[TrialRun], float]:
    return lambda run: float(sum(count(second) for second in run.seconds))


def _moved(count: Callable[[TrialMove], int]) -> Callable[[TrialRun], float]:
    return lambda run: float(sum(count(move) for move in run.moves))


def _host_cores(run: TrialRun) -> float | None:
    used = host_cpu([run])
    return sum(used.values()) if used else None


FIGURES = (
    Figure("due_per_second", "due/s", lambda run: run.due and run.due / len(run.seconds)),
    Figure("acked_per_second", "acked/s", _per_second(lambda second: second.acked)),
    Figure("out_per_second", "out/s", _per_second(lambda second: second.out)),
    Figure("p50", "p50", lambda run: run.percentile(50)),
    Figure("p99", "p99", lambda run: run.percentile(99)),
    Figure("silent_seconds", "silent s", _total(lambda second: second.out == 0)),
    Figure("replayed", "replayed", _total(lambda second: second.replayed)),
    Figure("failed", "failed", _total(lambda second: second.failed)),
    Figure("moves", "moves", lambda run: float(len(run.moves))),
    Figure("moved_executors", "executors", _moved(lambda move: move.executors)),
    Figure("restarted_workers", "restarts", _moved(lambda move: move.workers)),
    Figure("host_cores", "host cores", _host_cores),
    Figure("busy_cores", "busy cores", lambda run: mean_known(it.busy for it in run.seconds)),
    Figure("stolen", "stolen", lambda run: run.stolen),
)
"""What is compared; a restart or a move before the measurement counts, too."""


def summarise_runs(runs: Sequence[TrialRun]) -> list[SchedulerLine]:
    """Return medians and ranges by load and scheduler, in the order of their first runs."""
    groups: dict[tuple[float, str], list[TrialRun]] = {}
    for run in runs:
        groups.setdefault((run.load, run.scheduler), []).append(run)
    return [
        SchedulerLine(
            scheduler,
            load,
            len(own),
            {figure.key: value_range([figure.of(run) for run in own]) for figure in FIGURES},
        )
        for (load, scheduler), own in sorted(groups.items(), key=lambda it: it[0][0])
    ]


def summarise_rates(results: Sequence[SustainableRate]) -> dict[str, FigureRange]:
    """Return the median and range of the sustained rates by scheduler."""
    rates: dict[str, list[float | None]] = {}
    for found in results:
        rates.setdefault(found.scheduler, []).append(found.rate)
    return {scheduler: value_range(own) for scheduler, own in rates.items()}


def host_cpu(runs: Sequence[TrialRun]) -> dict[str, float]:
    """Return the mean cores in use by host, over all seconds of the runs."""
    used: dict[str, list[float]] = {}
    for second in (second for run in runs for second in run.seconds):
        for host, cores in second.cpu.items():
            used.setdefault(host, []).append(cores)
    return {host: _mean(values) for host, values in used.items()}


def value_range(values: Sequence[float | None]) -> FigureRange:
    """Return median and extremes of the values that are known."""
    known = [value for value in values if value is not None]
    if not known:
        return FigureRange(None, None, None)
    return FigureRange(median(known), min(known), max(known))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
