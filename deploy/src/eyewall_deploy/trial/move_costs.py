"""What each move of a trial costs: gaps, replays, latency, and what old and new workers take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from statistics import mean
from typing import TYPE_CHECKING

from eyewall_deploy.measure.load_samples import SLOTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_deploy.trial.records import RunSecond, TrialMove, TrialRun

MOVE_SECONDS = 30
"""A move counts for so long, or until the next one."""
_BEFORE_SECONDS = 10
"""What it adds is held against as many seconds before."""


@dataclass(frozen=True, slots=True)
class MoveCost:
    """What was seen from one move on.

    Parameters
    ----------
    seconds
        How many are looked at.
    silent
        Those without output.
    gap
        The longest time without output, to a twentieth of a second; None where it is not known.
    least_out
        Tuples at the sinks in the second that had the fewest.
    p99
        The largest of any second; None if nothing was acked.
    both
        Seconds until no more workers run than are assigned: all seconds if more do to the end,
        None where workers were not counted, or never more ran.
    cores, memory
        What hosts used more during these seconds than before the move: mean cores, and bytes at
        most. None where `both` is, or nothing is known of before.
    """

    scheduler: str
    load: float
    repetition: int
    move: TrialMove
    seconds: int
    silent: int
    gap: float | None
    least_out: int
    p99: float | None
    replayed: int
    failed: int
    both: int | None
    cores: float | None
    memory: int | None


def find_move_costs(runs: Sequence[TrialRun]) -> Iterator[MoveCost]:
    """Yield what each move during a measurement costs; those before it are not seen well."""
    for run in runs:
        end = len(run.seconds)
        during = (it for it in run.moves if it.at >= 0 and it.earliest < end)
        moves = sorted(during, key=attrgetter("earliest"))
        starts = [max(0, math.floor(it.earliest)) for it in moves]
        for move, (first, next_first) in zip(moves, pairwise([*starts, end]), strict=True):
            yield _cost(run, move, first, min(first + MOVE_SECONDS, next_first))


def _cost(run: TrialRun, move: TrialMove, first: int, last: int) -> MoveCost:
    window = run.seconds[first : max(last, first + 1)]
    before = _counted(run.seconds[max(0, first - _BEFORE_SECONDS) : first])
    both = _seconds_with_both(window, move.assigned)
    during = _counted(window[: both or 0])
    known = bool(before and during)
    return MoveCost(
        scheduler=run.scheduler,
        load=run.load,
        repetition=run.repetition,
        move=move,
        seconds=len(window),
        silent=sum(it.out == 0 for it in window),
        gap=_longest_gap(window),
        least_out=min(it.out for it in window),
        p99=max((it.p99 for it in window if it.p99 is not None), default=None),
        replayed=sum(it.replayed for it in window),
        failed=sum(it.failed for it in window),
        both=both,
        cores=_mean_cores(during) - _mean_cores(before) if known else None,
        memory=max(map(_memory, during)) - max(map(_memory, before)) if known else None,
    )


def _longest_gap(seconds: Sequence[RunSecond]) -> float | None:
    """Return the longest run of parts of seconds in which nothing arrived."""
    known = [it.out_slots for it in seconds if it.out_slots is not None]
    if len(known) < len(seconds):
        return None
    bits = "".join(f"{it:0{SLOTS}b}"[::-1] for it in known)
    return max(map(len, bits.split("1"))) / SLOTS


def _counted(seconds: Sequence[RunSecond]) -> list[RunSecond]:
    """Return the seconds of which it is known what hosts used."""
    return [it for it in seconds if it.workers]


def _seconds_with_both(window: Sequence[RunSecond], assigned: int) -> int | None:
    more = [at for at, it in enumerate(window) if _workers(it) > assigned > 0]
    return more[-1] + 1 if more else None


def _workers(second: RunSecond) -> int:
    return sum(second.workers.values())


def _mean_cores(seconds: Sequence[RunSecond]) -> float:
    return mean(sum(it.cpu.values()) for it in seconds)


def _memory(second: RunSecond) -> int:
    return sum(second.memory.values())
