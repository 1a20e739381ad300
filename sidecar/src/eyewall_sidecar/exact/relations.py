"""Which operators' places matter to each other, and how much: streams and paths merged by pair."""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled

RATE_ON, RATE_BACK, COUNT_ON, COUNT_BACK, HOP_ON, HOP_BACK = range(6)
"""What a pair has in each direction: tuples/s, streams, and whether a path leads along it."""


class Relations(NamedTuple):
    """Each related pair once, first < second, sorted by first, then by second.

    Parameters
    ----------
    firsts, seconds
        [pair]: operators.
    amounts
        [pair, amount]: as `RATE_ON` and the others say; "on" leads from first to second.
    """

    firsts: Places
    seconds: Places
    amounts: Floats


@compiled
def merged(firsts: Places, seconds: Places, amounts: Floats) -> Relations:
    """Merge what is between the same two operators, whichever comes first.

    Pairs of one operator with itself, and those with nothing but zeros, are left out: a node
    reaches itself at no cost.
    """
    operators = 1
    for at in range(len(firsts)):
        operators = max(operators, firsts[at] + 1, seconds[at] + 1)
    keys = np.empty(len(firsts), np.int64)
    for at in range(len(firsts)):
        one, two = firsts[at], seconds[at]
        keys[at] = min(one, two) * operators + max(one, two)
    kept_firsts, kept_seconds = np.empty_like(firsts), np.empty_like(firsts)
    kept = np.zeros_like(amounts)
    pair, last = -1, -1
    for at in np.argsort(keys, kind="mergesort"):
        if firsts[at] == seconds[at] or not amounts[at].any():
            continue
        if keys[at] != last:
            pair += 1
            last = keys[at]
            kept_firsts[pair] = min(firsts[at], seconds[at])
            kept_seconds[pair] = max(firsts[at], seconds[at])
        turned = 1 if firsts[at] > seconds[at] else 0
        for amount in range(6):
            kept[pair, amount ^ turned] += amounts[at, amount]
    pairs = pair + 1
    return Relations(kept_firsts[:pairs], kept_seconds[:pairs], kept[:pairs])
