"""What each change of a trial costs: how long until tuples are in time again, how many are late.

A change is a step of the rate, or an event that begins or ends; it lasts until the next one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from eyewall_deploy.measure.load_samples import bucket_middle, latency_percentile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_deploy.trial.records import RunSecond, TrialRun
    from eyewall_deploy.trial.trial_file import Trial

SLOWDOWN = 2.0
"""A tuple is late beyond so many times the p99 before the first change."""
GOOD_SECONDS = 10
LATE_SHARE = 0.05
"""It is good again when in so many seconds in a row no more than this share of the tuples is late,
and none is without output."""


@dataclass(frozen=True, slots=True)
class Change:
    """What changes in a trial, and the seconds of the measurement that count for it."""

    what: str
    at: float
    end: float


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a change cost in one run.

    Parameters
    ----------
    good_after
        Seconds from the change until it is good again; None if it was not before the next one.
    late
        Tuples that were acked too late.
    silent
        Seconds without output.
    """

    change: Change
    scheduler: str
    load: float
    repetition: int
    good_after: float | None
    late: int
    silent: int
    moves: int


def trial_changes(trial: Trial, load: float = 1.0) -> list[Change]:
    """Return what changes while the trial is measured, in the order of time."""
    found = list(_rate_steps(trial, load))
    for event in trial.events:
        found.append((event.at, event.label))
        if event.until is not None:
            found.append((event.until, f"{event.label}, undone"))
    known = sorted(it for it in found if 0 < it[0] < trial.seconds)
    return [
        Change(what, at, end) for (at, what), (end, _) in pairwise([*known, (trial.seconds, "")])
    ]


def find_recoveries(trial: Trial, runs: Sequence[TrialRun]) -> list[Recovery]:
    """Return what each change cost in each run.

    What is late is the same for all schedulers at one load: beyond twice the median, over all runs,
    of p99 before the first change. Runs of earlier versions lack latencies by second and are left
    out.
    """
    found: list[Recovery] = []
    for load in sorted({run.load for run in runs}):
        changes = trial_changes(trial, load)
        own = [run for run in runs if run.load == load and any(it.latency for it in run.seconds)]
        limit = _late_beyond(own, changes)
        if limit is not None:
            found += [_recovery(run, change, limit) for change in changes for run in own]
    return found


def _rate_steps(trial: Trial, load: float) -> Iterator[tuple[float, str]]:
    for (at, before), (then, after) in pairwise(trial.rate.scale(load).points):
        if at == then and before != after:
            yield at, f"{before:g} → {after:g} tuples/s"


def _late_beyond(runs: Sequence[TrialRun], changes: Sequence[Change]) -> float | None:
    if not changes:
        return None
    before = [
        latency_percentile(counts, 99)
        for run in runs
        if (counts := _sum_latency([it for it in run.seconds if it.at < changes[0].at]))
    ]
    known = [it for it in before if it is not None]
    return SLOWDOWN * median(known) if known else None


def _recovery(run: TrialRun, change: Change, limit: float) -> Recovery:
    seconds = [it for it in run.seconds if change.at <= it.at < change.end]
    late = [_count_late(it, limit) for it in seconds]
    return Recovery(
        change=change,
        scheduler=run.scheduler,
        load=run.load,
        repetition=run.repetition,
        good_after=_good_after(seconds, late, change.at),
        late=sum(late),
        silent=sum(it.out == 0 for it in seconds),
        moves=sum(change.at <= it.at < change.end for it in run.moves),
    )


def _good_after(seconds: Sequence[RunSecond], late: Sequence[int], at: float) -> float | None:
    for first in range(len(seconds) - GOOD_SECONDS + 1):
        window = slice(first, first + GOOD_SECONDS)
        acked = sum(it.acked for it in seconds[window])
        flows = acked and all(it.out for it in seconds[window])
        if flows and sum(late[window]) <= LATE_SHARE * acked:
            return seconds[first].at - at
    return None


def _count_late(second: RunSecond, limit: float) -> int:
    return sum(n for bucket, n in second.latency.items() if bucket_middle(bucket) > limit)


def _sum_latency(seconds: Sequence[RunSecond]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for second in seconds:
        counts.update(second.latency)
    return counts
