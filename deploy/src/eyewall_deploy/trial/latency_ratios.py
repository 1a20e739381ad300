"""Whether a scheduler's latencies differ from the others' by more than chance.

A stall, and the queue behind it, decides the p99 of a window and may happen under any scheduler;
starts differ, too. A bootstrap tells how much of a ratio is chance: it resamples the repetitions,
then the seconds of each, in blocks since neighbouring seconds are alike (circular block bootstrap,
Politis and Romano, 1992). Each scheduler is resampled independently.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING

from eyewall_deploy.measure.load_samples import latency_percentile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eyewall_deploy.trial.records import TrialRun

PERCENTS = (50, 99)
BLOCK = 5
"""Seconds that are drawn together: longer than a stall."""
DRAWS = 400
FEWEST_SECONDS = 30
_TWENTIETHS = 20
"""A twentieth is left out on either side."""


@dataclass(frozen=True, slots=True)
class LatencyRatio:
    """A percentile under one scheduler, relative to its least value under any other one.

    Parameters
    ----------
    than
        The other scheduler.
    value
        Of all tuples of all repetitions together.
    least, greatest
        The range in which nine of ten draws lie.
    """

    load: float
    scheduler: str
    percent: int
    than: str
    value: float
    least: float
    greatest: float


def find_latency_ratios(runs: Sequence[TrialRun]) -> Iterator[LatencyRatio]:
    """Yield what is known of each load and scheduler, by percentile.

    Nothing where latencies are not known by second, or of less than `FEWEST_SECONDS`.
    """
    for load in sorted({run.load for run in runs}):
        of_load: dict[str, list[TrialRun]] = {}
        for run in runs:
            if run.load == load:
                of_load.setdefault(run.scheduler, []).append(run)
        drawn = {
            name: percentiles
            for name, own in of_load.items()
            if (percentiles := _percentiles(own, Random(f"{load:g} {name}"))) is not None  # noqa: S311
        }
        for name, own in drawn.items():
            others = {other: it for other, it in drawn.items() if other != name}
            for place, percent in enumerate(PERCENTS if others else ()):
                than = min(others, key=lambda other: others[other][0][place])
                value, *ratios = (
                    mine[place] / theirs[place]
                    for mine, theirs in zip(own, others[than], strict=True)
                )
                spread = quantiles(ratios, n=_TWENTIETHS)
                yield LatencyRatio(load, name, percent, than, value, spread[0], spread[-1])


def _percentiles(runs: Sequence[TrialRun], random: Random) -> list[tuple[float, ...]] | None:
    """Return the percentiles of what was measured, then of each draw; None if not known."""
    if sum(len(run.seconds) for run in runs) < FEWEST_SECONDS:
        return None
    if not all(any(second.latency for second in run.seconds) for run in runs):
        return None
    seconds = [run.latency_by_second() for run in runs]
    blocks = [_blocks(own) for own in seconds]
    found = [_together(second for own in seconds for second in own)]
    for _ in range(DRAWS):
        chosen = random.choices(blocks, k=len(blocks))
        found.append(
            _together(it for own in chosen for it in random.choices(own, k=len(own) // BLOCK))
        )
    known = []
    for counts in found:
        percentiles = [latency_percentile(counts, percent) for percent in PERCENTS]
        known.append(tuple(it for it in percentiles if it is not None))
    return known if all(len(it) == len(PERCENTS) for it in known) else None


def _blocks(seconds: Sequence[Counter[int]]) -> list[Counter[int]]:
    """Return the block that begins at each second; after the last one comes the first."""
    twice = [*seconds, *seconds]
    return [_together(twice[first : first + BLOCK]) for first in range(len(seconds))]


def _together(parts: Iterable[Counter[int]]) -> Counter[int]:
    whole: Counter[int] = Counter()
    for part in parts:
        whole.update(part)
    return whole
