"""Whether a scheduler's latencies differ from the others' by more than chance.

A stall of a tenth of a second decides the p99 of a window and may happen under any scheduler. How
much of a ratio is chance is told by a moving-block bootstrap (Künsch, 1989): the same ratio of
seconds that are drawn anew from those that were measured, a few at a time, as neighbours are alike.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING

from eyewall_deploy.measure.load_samples import latency_percentile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        Between what it lies in nine of ten draws.
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
            if (percentiles := _percentiles(own)) is not None
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


def _percentiles(runs: Sequence[TrialRun]) -> list[tuple[float, ...]] | None:
    """Return the percentiles of what was measured, then of each draw; None if not known."""
    seconds = [run.latency_by_second() for run in runs]
    if sum(map(len, seconds)) < FEWEST_SECONDS:
        return None
    if any(len(own) < BLOCK or not any(own) for own in seconds):
        return None
    whole: Counter[int] = Counter()
    blocks = []
    for own in seconds:
        for second in own:
            whole.update(second)
        for first in range(len(own) - BLOCK + 1):
            block: Counter[int] = Counter()
            for second in own[first : first + BLOCK]:
                block.update(second)
            blocks.append(block)
    random = Random(0)  # noqa: S311 - not for secrets
    found = [whole]
    for _ in range(DRAWS):
        drawn: Counter[int] = Counter()
        for block in random.choices(blocks, k=sum(map(len, seconds)) // BLOCK):
            drawn.update(block)
        found.append(drawn)
    known = []
    for counts in found:
        percentiles = [latency_percentile(counts, percent) for percent in PERCENTS]
        known.append(tuple(it for it in percentiles if it is not None))
    return known if all(len(it) == len(PERCENTS) for it in known) else None
