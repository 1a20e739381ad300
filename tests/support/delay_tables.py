"""Tables of delays for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from eyewall_sidecar.storm import DelayTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def delay_table(
    milliseconds: Mapping[tuple[str, str], float],
    *,
    doubted: Iterable[tuple[str, str]] = (),
    confidence: float = 0.2,
    age: float = 0.0,
    remark: str = "",
) -> DelayTable:
    """Delays in milliseconds, the same in both directions; what is not given is unknown.

    Parameters
    ----------
    doubted
        Pairs, in both directions, whose delays have this `confidence`; the others are certain.
        At least 0.3 is wanted.
    age
        Seconds, of every delay.
    """
    hosts = tuple(sorted({host for pair in milliseconds for host in pair}))
    place = {host: number for number, host in enumerate(hosts)}
    seconds = np.full((len(hosts), len(hosts)), np.nan)
    np.fill_diagonal(seconds, 0.0)
    for (a, b), delay in milliseconds.items():
        seconds[place[a], place[b]] = seconds[place[b], place[a]] = delay / 1000
    certainty = np.where(np.isnan(seconds), 0.0, 1.0)
    for a, b in doubted:
        certainty[place[a], place[b]] = certainty[place[b], place[a]] = confidence
    return DelayTable(
        hosts=hosts,
        seconds=seconds,
        trusted=np.where(certainty < 0.3, np.nan, seconds),
        confidence=certainty,
        ages=np.full(seconds.shape, age),
        minimum_confidence=0.3,
        age=age,
        remark=remark,
    )


def all_delays(hosts: Sequence[str], milliseconds: float) -> DelayTable:
    """The same delay between every two hosts."""
    return delay_table({(a, b): milliseconds for a in hosts for b in hosts if a < b})
