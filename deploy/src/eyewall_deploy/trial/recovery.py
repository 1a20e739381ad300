"""What each change of a trial costs: how long until tuples are in time again, how many are late.

A change is a step of the rate, or an event that begins or ends; it counts until the next one.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
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
"""It is good while in so many seconds in a row no more than this share of the tuples is late."""
_BEFORE_SECONDS = 10
"""There must be so many seconds before the first change to say what is late."""


@dataclass(frozen=True, slots=True)
class Change:
    """All that changes in one second of the measurement.

    Parameters
    ----------
    at, end
        Seconds of the measurement; from `at` on, and before `end`, all counts for it.
    """

    what: str
    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a change cost in one run.

    Parameters
    ----------
    late_beyond
        Latency in seconds from which on a tuple is late.
    judged
        Whether the next change leaves enough time to be good in.
    good_after
        Seconds from the change until it is good and stays so; None if it is not before the next.
    late
        Tuples that were acked late, or are overdue.
    silent
        Seconds without output though tuples were due.
    """

    change: Change
    scheduler: str
    load: float
    repetition: int
    late_beyond: float
    judged: bool
    good_after: int | None
    late: int
    silent: int
    moves: int


@dataclass(frozen=True, slots=True)
class Recoveries:
    """What each change cost in each run, and what could not be said."""

    found: tuple[Recovery, ...]
    remarks: tuple[str, ...]


def trial_changes(trial: Trial, load: float = 1.0, *, events: bool = True) -> list[Change]:
    """Return what changes while the trial is measured, in the order of time.

    Parameters
    ----------
    events
        Whether its events happen.
    """
    found: dict[int, list[str]] = {}
    for at, what in _rate_steps(trial, load):
        found.setdefault(math.ceil(at), []).append(what)
    for event in trial.events if events else ():
        found.setdefault(math.ceil(event.at), []).append(event.label)
        if event.until is not None:
            found.setdefault(math.ceil(event.until), []).append(f"{event.label}, undone")
    end = round(trial.seconds)
    starts = sorted(at for at in found if at < end)
    return [Change("; ".join(found[at]), at, then) for at, then in pairwise([*starts, end])]


def find_recoveries(trial: Trial, runs: Sequence[TrialRun]) -> Recoveries:
    """Return what each change cost in each run.

    What is late is the same for all schedulers at one load: beyond twice the median, over all runs,
    of p99 before the first change.
    """
    found: list[Recovery] = []
    remarks: list[str] = []
    events = not any(run.without_events for run in runs)
    for load in sorted({run.load for run in runs}):
        changes = trial_changes(trial, load, events=events)
        if not changes:
            continue
        measured = [run for run in runs if run.load == load]
        own = [run for run in measured if not _has_no_latencies(run)]
        if len(own) < len(measured):
            remarks.append(
                f"load {load:g}: {len(measured) - len(own)} runs of an earlier version have no "
                "latencies by second, and are left out"
            )
        limit = _late_beyond(own, changes[0].at)
        if limit is None:
            remarks.append(
                f"load {load:g}: what is late is not known without acks in the "
                f"{_BEFORE_SECONDS} s or more before the first change"
            )
            continue
        looks = [_RunInTime(trial, run, limit) for run in own]
        found += [look.recovery(change) for change in changes for look in looks]
    return Recoveries(tuple(found), tuple(remarks))


def _rate_steps(trial: Trial, load: float) -> Iterator[tuple[float, str]]:
    for at, points in groupby(trial.rate.scale(load).points, key=itemgetter(0)):
        rates = [rate for _, rate in points]
        if at > 0 and rates[0] != rates[-1]:
            yield at, f"{rates[0]:g} → {rates[-1]:g} tuples/s"


def _has_no_latencies(run: TrialRun) -> bool:
    return any(it.acked and not it.latency for it in run.seconds)


def _late_beyond(runs: Sequence[TrialRun], first: int) -> float | None:
    if first < _BEFORE_SECONDS:
        return None
    known = []
    for run in runs:
        counts: Counter[int] = Counter()
        for second in run.seconds[:first]:
            counts.update(second.latency)
        known.append(latency_percentile(counts, 99))
    p99 = [it for it in known if it is not None]
    return SLOWDOWN * median(p99) if p99 else None


class _RunInTime:
    """The seconds of one run, and what is late in them.

    A tuple is overdue that is not acked though it would be late by now. It is late when it becomes
    overdue, not again when it is acked.
    """

    def __init__(self, trial: Trial, run: TrialRun, limit: float) -> None:
        self._run = run
        self._limit = limit
        rate, copies = trial.rate.scale(run.load), len(trial.topologies)
        acked, self._overdue = 0, [0.0]
        for second in run.seconds:
            acked += second.acked
            before = max(0.0, second.at + 1 - limit)
            due = 0.0 if rate.is_unlimited else rate.tuples_until(before) * copies
            self._overdue.append(max(0.0, due - acked))
        self._due = [
            math.inf
            if rate.is_unlimited
            else (rate.tuples_until(it.at + 1) - rate.tuples_until(it.at)) * copies
            for it in run.seconds
        ]
        self._late = [_count_late(it, limit) for it in run.seconds]

    def recovery(self, change: Change) -> Recovery:
        """Return what a change cost."""
        run, own, end = self._run, slice(change.at, change.end), len(self._run.seconds)
        grown = self._overdue[change.end] - self._overdue[change.at]
        judged = change.end - change.at >= GOOD_SECONDS
        return Recovery(
            change=change,
            scheduler=run.scheduler,
            load=run.load,
            repetition=run.repetition,
            late_beyond=self._limit,
            judged=judged,
            good_after=self._good_after(change) if judged else None,
            late=max(0, round(sum(self._late[own]) + grown)),
            silent=sum(self._is_silent(it) for it in run.seconds[own]),
            moves=sum(
                change.at < min(it.at, end) <= change.end for it in run.moves if it.earliest < end
            ),
        )

    def _good_after(self, change: Change) -> int | None:
        """Return the first second from which on all windows are good; look back from the end."""
        good = None
        for first in range(change.end - GOOD_SECONDS, change.at - 1, -1):
            if not self._is_good(first):
                break
            good = first - change.at
        return good

    def _is_good(self, first: int) -> bool:
        end = first + GOOD_SECONDS
        window = self._run.seconds[first:end]
        acked, due = sum(it.acked for it in window), sum(self._due[first:end])
        grown = self._overdue[end] - self._overdue[first]
        return (
            sum(self._late[first:end]) <= LATE_SHARE * acked
            and grown <= LATE_SHARE * due
            and not any(self._is_silent(it) for it in window)
        )

    def _is_silent(self, second: RunSecond) -> bool:
        return second.out == 0 and self._due[second.at] >= 1


def _count_late(second: RunSecond, limit: float) -> int:
    return sum(n for bucket, n in second.latency.items() if bucket_middle(bucket) > limit)
