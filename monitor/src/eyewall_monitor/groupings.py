"""What the rates of single tasks say about pairs of tasks, grouping by grouping.

Counters tell what a task gave out on a stream and what a task took from it. Which of the one's
tuples went to which of the others follows from the stream's grouping:

| grouping | rate from task s to task t | is that known? |
| --- | --- | --- |
| all | all that s gives out | yes |
| global | all that s gives out; only one t | yes |
| shuffle | s's part of what t takes | yes, but for chance |
| fields | s's part of what t takes, which shows the skew of the keys | if all s see the same keys |
| direct, custom | s's part of what t takes | no: s may choose otherwise than the rest |
| localOrShuffle | local first, the rest as shuffle | only where the tasks now run |

"s's part" is what s gives out over what all sources give out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Pair = tuple[int, int]


class Grouping(StrEnum):
    """How a stream's tuples are spread over the tasks that subscribe to it."""

    SHUFFLE = "shuffle"
    FIELDS = "fields"
    ALL = "all"
    GLOBAL = "global"
    DIRECT = "direct"
    CUSTOM = "custom"
    LOCAL_OR_SHUFFLE = "localOrShuffle"


EXACT: Final = frozenset({Grouping.ALL, Grouping.GLOBAL, Grouping.SHUFFLE})
"""Pairs are known from the rates of the tasks; of the others they are the likeliest guess."""
DEPENDS_ON_PLACEMENT: Final = frozenset({Grouping.LOCAL_OR_SHUFFLE})
"""Other rates once tasks have moved: a source in a worker with a target of its own sends there
alone, so what was measured holds for the workers it was measured in."""


@dataclass(frozen=True, slots=True)
class PairRates:
    """Tuples/s between tasks of two components."""

    rates: Mapping[Pair, float]
    exact: bool
    """Whether they follow from what was measured."""
    depends_on_placement: bool


def pair_rates(
    grouping: Grouping,
    emitted: Mapping[int, float],
    received: Mapping[int, float],
    workers: Mapping[int, str],
) -> PairRates:
    """Rates between every source task and every target task.

    Parameters
    ----------
    emitted
        Tuples/s by source task.
    received
        Tuples/s by target task; of `global`, the tasks that are known to get nothing with 0.
    workers
        In which worker each task was while that was measured; `localOrShuffle` needs it.
    """
    if grouping is Grouping.ALL:
        rates = {(s, t): rate for s, rate in emitted.items() for t in received}
    elif grouping is Grouping.LOCAL_OR_SHUFFLE:
        rates = _local_first(emitted, received, workers)
    else:
        rates = _in_parts(emitted, received)
    return PairRates(rates, grouping in EXACT, grouping in DEPENDS_ON_PLACEMENT)


def _in_parts(emitted: Mapping[int, float], received: Mapping[int, float]) -> dict[Pair, float]:
    total = sum(emitted.values())
    if total <= 0:
        return {(s, t): 0.0 for s in emitted for t in received}
    return {
        (s, t): taken * given / total
        for s, given in emitted.items()
        for t, taken in received.items()
    }


def _local_first(
    emitted: Mapping[int, float], received: Mapping[int, float], workers: Mapping[int, str]
) -> dict[Pair, float]:
    rates = {(s, t): 0.0 for s in emitted for t in received}
    remote: dict[int, float] = {}
    for s, given in emitted.items():
        local = [
            t for t in received if workers.get(t) is not None and workers.get(t) == workers.get(s)
        ]
        for t in local:
            rates[s, t] = given / len(local)
        if not local:
            remote[s] = given
    left = {t: max(0.0, taken - sum(rates[s, t] for s in emitted)) for t, taken in received.items()}
    for pair, rate in _in_parts(remote, left).items():
        rates[pair] += rate
    return rates
