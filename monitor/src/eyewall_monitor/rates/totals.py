"""The sum over several tasks, each of which reports at its own times.

A task's samples say how much it did between two times: within them it is taken to be even. The
sum is made over slots of equal length, back from the moment up to which all tasks are known; a
slot of which a task is not known for at least half is left out, for unknown is not zero.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LEAST_COVER: Final = 0.5


class Increment(NamedTuple):
    """What one task did in the seconds up to `until`."""

    until: float
    seconds: float
    amount: float
    base: float
    """The denominator of `amount`: tuples received; 0 if there is none."""
    step: float
    """The step of the counters."""


def total(by_task: Mapping[int, Sequence[Increment]]) -> list[Increment]:
    """Sum of all tasks, slot by slot, oldest first."""
    if len(by_task) == 1:
        return sorted(next(iter(by_task.values())))
    every = [it for increments in by_task.values() for it in increments]
    if not every:
        return []
    slot = median(it.seconds for it in every)
    end = min(max(it.until for it in increments) for increments in by_task.values())
    start = min(it.until - it.seconds for it in every)
    slots = max(1, round((end - start) / slot))
    sums = [[0.0, 0.0] for _ in range(slots)]
    known = [0] * slots
    for increments in by_task.values():
        for place, amount, base, cover in _spread(increments, end, slot, slots):
            if cover >= LEAST_COVER * slot:
                known[place] += 1
                sums[place][0] += amount * slot / cover
                sums[place][1] += base * slot / cover
    # Steps of independent counters add up like their squares.
    step = sum(max(it.step for it in increments) ** 2 for increments in by_task.values()) ** 0.5
    return [
        Increment(end - place * slot, slot, sums[place][0], sums[place][1], step)
        for place in reversed(range(slots))
        if known[place] == len(by_task)
    ]


def pool(increments: Iterable[Increment], least: float) -> list[Increment]:
    """Join neighbours until each base is at least `least`; a rest at the end is not used.

    For ratios: one over a base of nothing says nothing.
    """
    joined: list[Increment] = []
    seconds = amount = base = 0.0
    for it in sorted(increments):
        seconds, amount, base = seconds + it.seconds, amount + it.amount, base + it.base
        if base >= least and base > 0:
            joined.append(Increment(it.until, seconds, amount, base, it.step))
            seconds = amount = base = 0.0
    return joined


def _spread(
    increments: Sequence[Increment], end: float, slot: float, slots: int
) -> Iterable[tuple[int, float, float, float]]:
    """Place, amount, base and seconds covered of each slot that the samples reach into.

    Slot 0 ends at `end`, slot 1 where it begins, and so on.
    """
    amounts, bases, covers = [0.0] * slots, [0.0] * slots, [0.0] * slots
    for it in increments:
        begin = it.until - it.seconds
        first = max(0, int((end - it.until) // slot))
        last = min(slots - 1, int((end - begin) // slot))
        for place in range(first, last + 1):
            overlap = min(it.until, end - place * slot) - max(begin, end - (place + 1) * slot)
            if overlap > 0:
                amounts[place] += it.amount * overlap / it.seconds
                bases[place] += it.base * overlap / it.seconds
                covers[place] += overlap
    return (
        (place, amounts[place], bases[place], covers[place])
        for place in range(slots)
        if covers[place] > 0
    )
