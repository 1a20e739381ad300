"""What the demo found out: values only, as they go into the tables and into the JSON file."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from eyewall_deploy.measure.nimbus import Executor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyewall_deploy.measure.latency import Gap, Summary


@dataclass(frozen=True, slots=True)
class Placement:
    """Where everything runs and what the scheduler and the model say of it.

    Parameters
    ----------
    status
        The scheduler's status text.
    predicted
        R by the model, in seconds; None where it could not be computed.
    predicted_mean
        The model's mean over the paths that tuples take, in seconds.
    detour
        Seconds between the places that source and consumer are pinned to and where they run; 0
        where the pins are kept.
    """

    hosts: Mapping[Executor, str]
    status: str
    predicted: float | None
    predicted_mean: float | None
    detour: float

    def host_words(self) -> list[str]:
        """Hosts with their executors, system executors included: `edge-1: source, tag ×2`."""
        by_host: dict[str, dict[str, int]] = {}
        for executor, host in sorted(self.hosts.items()):
            counts = by_host.setdefault(host, {})
            counts[executor.component] = counts.get(executor.component, 0) + 1
        return [
            f"{host}: " + ", ".join(f"{c} ×{n}" if n > 1 else c for c, n in counts.items())
            for host, counts in sorted(by_host.items())
        ]


@dataclass(frozen=True, slots=True)
class Run:
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
    placement: Placement
    measured: Summary
    complete_latency: float | None
    seconds_to_flow: float


@dataclass(frozen=True, slots=True)
class Reassignment:
    """A delay that was raised, and what came of it; times in seconds.

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
    before: Run
    during: Summary | None
    after: Run
    moved: tuple[Executor, ...]
    raised_at: float
    moved_at: float
    gap: Gap
    failed: int

    @property
    def seconds_to_move(self) -> float:
        """From the raise until the assignment changed."""
        return self.moved_at - self.raised_at


@dataclass(frozen=True, slots=True)
class Medians:
    """Medians over the repetitions of one scheduler, in seconds."""

    scheduler: str
    runs: int
    predicted: float | None
    predicted_mean: float | None
    p50: float
    p99: float
    complete_latency: float | None
    detour: float


def medians(runs: Sequence[Run]) -> list[Medians]:
    """One line for each scheduler, in the order of their first turn."""
    lines = []
    for scheduler in dict.fromkeys(run.scheduler for run in runs):
        own = [run for run in runs if run.scheduler == scheduler]
        lines.append(
            Medians(
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


def plain(value: Any) -> Any:
    """Any record as JSON has it; an executor is its component and first task."""
    if isinstance(value, Executor):
        return f"{value.component}:{value.first_task}"
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    return value


def _median(runs: Sequence[Run], figure: Callable[[Run], float | None]) -> float | None:
    figures = [value for value in map(figure, runs) if value is not None]
    return median(figures) if figures else None
