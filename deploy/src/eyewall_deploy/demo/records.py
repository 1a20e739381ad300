"""Results of the demo: values only, as they go into the tables and into the JSON file."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from eyewall_deploy.measure.latency import TimeWindow, over_time
from eyewall_deploy.storm.nimbus import RunningExecutor, describe_hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyewall_deploy.measure.latency import LatencySummary, OutputGap
    from eyewall_deploy.measure.tuple_events import TupleEvents

_STEP = 0.5
_WIDTH = 1.0


@dataclass(frozen=True, slots=True)
class DemoPlacement:
    """Where everything runs, and what the scheduler and the model say of it.

    Parameters
    ----------
    status
        The scheduler's status text.
    predicted
        R by the model, in seconds; None if it could not be computed.
    predicted_mean
        The model's mean over the paths of tuples, in seconds.
    detour
        Seconds between the hosts that source and consumer are pinned to and those where they run;
        0 if the pins are kept.
    """

    hosts: Mapping[RunningExecutor, str]
    status: str
    predicted: float | None
    predicted_mean: float | None
    detour: float

    def describe_hosts(self) -> list[str]:
        """Return hosts with their executors."""
        return describe_hosts(self.hosts)


@dataclass(frozen=True, slots=True)
class SchedulerRun:
    """One placement, measured.

    Parameters
    ----------
    measured
        End to end, over all tuples of the window.
    complete_latency
        Storm's own figure in seconds, a sample of all tuples since the topology's start.
    seconds_to_flow
        From the submission until tuples flowed steadily.
    """

    scheduler: str
    placement: DemoPlacement
    measured: LatencySummary
    complete_latency: float | None
    seconds_to_flow: float


@dataclass(frozen=True, slots=True)
class DelayRise:
    """A delay that was raised, and its effects; times in seconds.

    Parameters
    ----------
    raised_at, moved_at
        When the delay and then the assignment changed, since the epoch.
    during
        Measured with the raised delay, before anything moved.
    gap
        The longest time without output around the move.
    failed
        Replays since the raise: of tuples that timed out, or that a restarted source resumed.
    """

    link: tuple[str, str]
    delay_before: float
    delay_after: float
    before: SchedulerRun
    during: LatencySummary | None
    after: SchedulerRun
    moved: tuple[RunningExecutor, ...]
    raised_at: float
    moved_at: float
    gap: OutputGap
    failed: int

    @property
    def seconds_to_move(self) -> float:
        """From the raise until the assignment changed."""
        return self.moved_at - self.raised_at


@dataclass(frozen=True, slots=True)
class RunMedians:
    """Medians over the repetitions of one scheduler, in seconds."""

    scheduler: str
    runs: int
    predicted: float | None
    predicted_mean: float | None
    p50: float
    p99: float
    complete_latency: float | None
    detour: float


@dataclass(frozen=True, slots=True)
class TimelinePoint:
    """Latency of the tuples emitted in the second that ends `at`, seconds since the epoch.

    Parameters
    ----------
    p50, p99
        Seconds from the source to the consumer; None if none of the tuples arrived.
    """

    at: float
    p50: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Latency during one scheduler's run, from the first tuple to the last."""

    scheduler: str
    moments: tuple[TimelinePoint, ...]


def medians(runs: Sequence[SchedulerRun]) -> list[RunMedians]:
    """Return the medians of each scheduler, in the order of their first runs."""
    lines = []
    for scheduler in dict.fromkeys(run.scheduler for run in runs):
        own = [run for run in runs if run.scheduler == scheduler]
        lines.append(
            RunMedians(
                scheduler=scheduler,
                runs=len(own),
                predicted=_median(own, lambda run: run.placement.predicted),
                predicted_mean=_median(own, lambda run: run.placement.predicted_mean),
                p50=median(run.measured.p50 for run in own),
                p99=median(run.measured.p99 for run in own),
                complete_latency=_median(own, lambda run: run.complete_latency),
                detour=median(run.placement.detour for run in own),
            )
        )
    return lines


def timeline(scheduler: str, events: TupleEvents) -> Timeline:
    """Return the latency over time of all tuples; without points if there were none."""
    if not events.emitted:
        return Timeline(scheduler, ())
    whole = TimeWindow(min(events.emitted.values()), max(events.emitted.values()))
    return Timeline(
        scheduler,
        tuple(
            TimelinePoint(at, summary.p50 if summary else None, summary.p99 if summary else None)
            for at, summary in over_time(events, whole, _STEP, _WIDTH)
        ),
    )


def to_json(value: Any) -> Any:
    """Return any record as JSON has it; an executor is its component and first task."""
    if isinstance(value, RunningExecutor):
        return f"{value.component}:{value.first_task}"
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {to_json(key): to_json(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_json(each) for each in value]
    return value


def _median(
    runs: Sequence[SchedulerRun], figure: Callable[[SchedulerRun], float | None]
) -> float | None:
    figures = [value for value in map(figure, runs) if value is not None]
    return median(figures) if figures else None
