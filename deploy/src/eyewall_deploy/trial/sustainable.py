"""The largest rate that a scheduler's placement sustains.

A rate is sustained if p99 at it is below twice p99 at half of it, or within a limit that is the
same for all schedulers, and nearly all due tuples are acked.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from enum import Enum
from itertools import takewhile
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.load_samples import latency_percentile
from eyewall_deploy.measure.machine import MOST_STOLEN, read_machine_time, stolen_share
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.trial.cluster_events import restore_cluster
from eyewall_deploy.trial.forecasts import ask_carried_rate
from eyewall_deploy.trial.plan import fingerprint
from eyewall_deploy.trial.records import ACKED, SAME_RATE, RateMeasurement, SustainableRate
from eyewall_deploy.trial.run_watch import RunWatch
from eyewall_deploy.trial.topology_runs import TopologyRate, read_topologies, submit_topologies
from eyewall_deploy.trial.trial_run import wait_for_start, window_emissions, window_latency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from eyewall_deploy.measure.load_samples import LoadSecond
    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.trial_file import Trial

RUNG = math.sqrt(2)
"""Factor from rate to rate while the search climbs: half of a rate is two rungs below."""
_MOST_RUNGS = 20
_MISSES = 2
"""A rate may fail though a higher one holds: a scheduler may move what runs only at that one."""
_CLIMBS = 2
"""What has moved at a rate that is missed may sustain it, or a lower one that it missed before."""
_TUPLES = 600
_SHORTEST, _LONGEST = 15.0, 40.0
"""A rate is measured until so many tuples were due, for so many seconds at least and at most."""
_FEWEST_TUPLES = 200
"""With fewer, p99 is hardly different from the maximum."""
_SETTLE, _DRAIN = 6.0, 15.0
"""Seconds between a change of the rate and its measurement, and at half of a rate that failed, so
that its backlog is gone when it is measured once more."""
_LINES_LATE = 2.0
_SLOWDOWN = 2.0
_ATTEMPTS = 3
_ADAPTS_WITHIN, _WORKERS_START = 180.0, 30.0
"""Seconds that a scheduler which moves what runs has at a rate that its placement does not sustain,
and that its workers have to start: it lets a start be made up for first. Storm's own schedulers
move nothing that runs."""
_NEVER_LATE = 86_400.0
"""Seconds in which sources leave out what is late: so an overload ends with its rate."""


class Outcome(Enum):
    """What was found of a rate."""

    SUSTAINED = "sustained"
    MISSED = "missed"
    """A higher rate may yet be sustained."""
    BEYOND = "beyond"
    """Not all was acked, and nothing will be moved: so no higher rate is sustained."""


def find_rate(
    outcome: Callable[[float], Outcome],
    first: float,
    resolution: float,
    moves: Callable[[], int] = lambda: 0,
    least: float = 0.0,
) -> float | None:
    """Return the largest rate that is sustained, as far as is known by a factor of 1 + resolution.

    Parameters
    ----------
    outcome
        Called with `first`, then with rates a rung down until one is sustained, or a rung up until
        as many as `_MISSES` in a row are missed or one is beyond, then with those between the
        largest that is sustained and the next.
    moves
        How often what runs has moved so far. Rates that were missed on the way up are asked for
        once more if that has changed since the first of them.
    least
        Lower rates are not asked for.
    """
    if outcome(first) == Outcome.SUSTAINED:
        low, high = _climb(outcome, first, moves)
    else:
        down = (first / RUNG**it for it in range(1, _MOST_RUNGS + 1))
        enough = takewhile(lambda it: it >= least, down)
        found = next((it for it in enough if outcome(it) == Outcome.SUSTAINED), None)
        if found is None:
            return None
        low, high = found, found * RUNG
    while high / low > 1 + resolution:
        middle = math.sqrt(low * high)
        if outcome(middle) == Outcome.SUSTAINED:
            low = middle
        else:
            high = middle
    return low


def _climb(
    outcome: Callable[[float], Outcome], low: float, moves: Callable[[], int]
) -> tuple[float, float]:
    """Return the largest rung that is sustained and the one above it, if any is missed."""
    rate, misses, before, climbs = low, 0, moves(), 1
    for _ in range(_MOST_RUNGS):
        rate *= RUNG
        found = outcome(rate)
        if found == Outcome.SUSTAINED:
            low, misses = rate, 0
            continue
        misses += 1
        if misses == 1:
            before = moves()
        if misses == _MISSES or found == Outcome.BEYOND:
            if moves() == before or climbs == _CLIMBS:
                break
            rate, misses, climbs = low, 0, climbs + 1
    return low, low * RUNG if misses else low


def search_rate(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun, folder: Path
) -> SustainableRate | Failure:
    """Place the topologies with the run's scheduler and change the rate until it is found."""
    folder.mkdir(parents=True)
    first = trial.rate.rate_at(0) / 2
    rates = RateFile(folder / "rate", first / 2)
    given = TopologyRate(f"@{rates.path}", None, _NEVER_LATE)
    failure = restore_cluster(cluster, trial) or submit_topologies(
        cluster, trial, planned, folder, given
    )
    if failure is not None:
        return failure
    watch = RunWatch(cluster, trial)
    start = wait_for_start(cluster, trial, planned, folder, watch)
    if isinstance(start, Failure):
        return start
    _follow(watch, start, trial.warm_up)
    search = _RateSearch(cluster, trial, planned, folder, rates, watch, start)
    # Without a limit the search down ends by itself: half of a low rate is no faster. A limit may
    # be below any latency.
    least = 0.0 if planned.p99_limit is None else _FEWEST_TUPLES / _LONGEST
    rate = find_rate(search.outcome, first, planned.resolution, search.count_moves, least)
    return SustainableRate(
        planned.scheduler.label,
        planned.repetition,
        fingerprint(trial, planned),
        rate,
        planned.resolution,
        tuple(search.known),
        p99_limit=planned.p99_limit,
    )


class _RateSearch:
    """What was measured so far on topologies that run, and how more is."""

    def __init__(
        self,
        cluster: MeasuredCluster,
        trial: Trial,
        planned: PlannedRun,
        folder: Path,
        rates: RateFile,
        watch: RunWatch,
        start: float,
    ) -> None:
        self._cluster, self._trial, self._planned, self._folder = cluster, trial, planned, folder
        self._rates, self._watch, self._start = rates, watch, start
        self.known: list[RateMeasurement] = []
        self._never_moves = planned.scheduler.scheduler != SchedulerChoice.EYEWALL
        self._stayed_at: tuple[float, int] | None = None
        """A rate at which it had the time to adapt and did not, and the moves before that."""

    def outcome(self, rate: float) -> Outcome:
        """Return whether the rate is sustained; only what fails twice has failed."""
        limit = self._planned.p99_limit
        half = self._recall(rate / 2) if limit is None else None
        if is_sustained(half, self._recall(rate), limit):
            return Outcome.SUSTAINED
        if not self._never_moves:
            self._adapt(rate)
        self._drain(rate)
        full = self._measure(rate)
        if full.acked < ACKED:  # whatever the latency is at half of the rate
            return Outcome.BEYOND if self._never_moves else Outcome.MISSED
        half = self._measure(rate / 2) if limit is None else None
        return Outcome.SUSTAINED if is_sustained(half, full, limit) else Outcome.MISSED

    def count_moves(self) -> int:
        """Return how often the scheduler has moved what runs; Storm's own never do."""
        return 0 if self._never_moves else len(self._watch.moves)

    def _recall(self, rate: float) -> RateMeasurement:
        found = last_measured(self.known, rate, len(self._watch.moves))
        if found is not None:
            return found
        if self.known and self.known[-1].rate > rate and self.known[-1].acked < ACKED:
            self._drain(rate)
        return self._measure(rate)

    def _drain(self, rate: float) -> None:
        """Let what has piled up go before the rate is measured."""
        self._change(rate / 2)
        _follow(self._watch, self._start, _DRAIN)

    def _measure(self, rate: float) -> RateMeasurement:
        found = first_undisturbed(self._attempts(rate))
        forecast = ask_carried_rate(self._cluster, self._trial, self._planned, found)
        found = replace(found, moves=len(self._watch.moves), forecast=forecast)
        self.known.append(found)
        return found

    def _attempts(self, rate: float) -> Iterator[RateMeasurement]:
        found = self._measure_once(rate)
        yield found
        for _ in range(1, _ATTEMPTS):
            if found.acked < ACKED:
                self._drain(rate)
            found = self._measure_once(rate)
            yield found

    def _measure_once(self, rate: float) -> RateMeasurement:
        self._cluster.progress.show(f"{self._planned.description}: {rate:.1f} tuples/s")
        self._change(rate)
        moves = len(self._watch.moves)
        _follow(self._watch, self._start, _SETTLE)
        began, seconds, before = time.time(), hold_seconds(rate), read_machine_time()
        _follow(self._watch, self._start, seconds)
        stolen = stolen_share(before, read_machine_time())
        if stolen > MOST_STOLEN:
            self._cluster.progress.log(
                f"{self._planned.description}: {stolen:.0%} of the machine was stolen at "
                f"{rate:.1f} tuples/s; {MOST_STOLEN:.0%} is the most"
            )
        moved = len(self._watch.moves) > moves
        time.sleep(_LINES_LATE)
        loads = read_topologies(self._trial, self._folder)
        found = window_measurement(loads, rate, began, seconds, moved=moved)
        return replace(found, stolen=round(stolen, 4))

    def _adapt(self, rate: float) -> None:
        """Give a scheduler that moves what runs the time to do so, and the workers to start.

        Not again where the same placement was left as it is at this rate or a higher one.
        """
        moves = len(self._watch.moves)
        if self._stayed_at is not None:
            stayed_at, then = self._stayed_at
            if rate <= stayed_at and moves == then:
                return
        self._change(rate)
        began = time.time()
        while len(self._watch.moves) == moves and time.time() < began + _ADAPTS_WITHIN:
            self._cluster.progress.show(
                f"{self._planned.description}: {rate:.1f} tuples/s, adapting"
            )
            _follow(self._watch, self._start, 1.0)
        if len(self._watch.moves) > moves:
            _follow(self._watch, self._start, _WORKERS_START)
        else:
            self._stayed_at = rate, moves

    def _change(self, rate: float) -> None:
        self._rates.change(rate, time.time() - self._start)


def last_measured(
    known: Sequence[RateMeasurement], rate: float, moves: int
) -> RateMeasurement | None:
    """Return what was measured last at the rate, if it was of what runs after so many moves."""
    found = [it for it in known if math.isclose(it.rate, rate, rel_tol=SAME_RATE)]
    return found[-1] if found and found[-1].moves == moves and not found[-1].moved else None


def first_undisturbed(tries: Iterable[RateMeasurement]) -> RateMeasurement:
    """Return the first during which nothing moved and other guests had little; else the last.

    A move, or they, may have cost more than the rate did.
    """
    for found in tries:
        if not found.moved and (found.stolen or 0.0) <= MOST_STOLEN:
            break
    return found


def is_sustained(
    half: RateMeasurement | None, full: RateMeasurement, limit: float | None = None
) -> bool:
    """Return whether a rate is sustained, by what was measured at it, and at half of it.

    Parameters
    ----------
    limit
        Seconds of p99 that are sustained, whatever they were at half; None: below twice those.
    """
    if full.p99 is None or full.acked < ACKED:
        return False
    if limit is not None:
        return full.p99 <= limit
    if half is None or half.p99 is None or half.moves != full.moves:
        return False
    return full.p99 < _SLOWDOWN * half.p99


def hold_seconds(rate: float) -> float:
    """Return how many whole seconds a rate is measured: a p99 takes some hundreds of tuples."""
    return min(max(_SHORTEST, math.ceil(_TUPLES / rate)), _LONGEST)


def describe_search(found: SustainableRate) -> str:
    """Return the result in one line."""
    if found.rate is None:
        return "no rate is sustained"
    return f"{found.rate:.1f} tuples/s are sustained, ±{found.resolution:.0%}"


class RateFile:
    """The profile that sources follow; it only grows."""

    def __init__(self, path: Path, rate: float) -> None:
        self.path = path
        self._rate = rate
        self._points = [f"0:{rate:.6g}"]
        self._write()

    def change(self, rate: float, seconds: float) -> None:
        """Change the rate, a moment after so many seconds of the schedule."""
        at = seconds + 1.0
        self._points += [f"{at:.3f}:{self._rate:.6g}", f"{at:.3f}:{rate:.6g}"]
        self._rate = rate
        self._write()

    def _write(self) -> None:
        fresh = self.path.with_name(".rate")
        fresh.write_text(",".join(self._points), encoding="ascii")
        fresh.replace(self.path)


def _follow(watch: RunWatch, start: float, seconds: float) -> None:
    end = time.time() + seconds
    while (left := end - time.time()) > 0:
        time.sleep(min(1.0, left))
        watch.look_at_assignment(start)


def window_measurement(
    loads: list[dict[int, LoadSecond]], rate: float, began: float, seconds: float, *, moved: bool
) -> RateMeasurement:
    """Return what topologies did within the window, each of them given the rate."""
    latency = window_latency(loads, began, seconds)
    due = rate * seconds * len(loads)
    return RateMeasurement(
        rate,
        latency_percentile(latency, 99),
        sum(latency.values()) / due,
        moved,
        emitted=window_emissions(loads, began, seconds) / seconds / len(loads),
    )
