"""Readings of the latency agents' Redis as records give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.delays import RttMatrices
from eyewall_contracts.stores.delay_reader import DelayReading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.latency import HostCoordinate, RttRecord


def delay_reading(
    now: float,
    hosts: Mapping[str, HostCoordinate | None],
    rtts: Mapping[str, Mapping[str, RttRecord]] | None = None,
) -> DelayReading:
    """What a reader returns for these coordinates and RTTs (target → source → RTT)."""
    names = tuple(sorted(hosts))
    matrices = RttMatrices.empty(len(names))
    for target, sources in (rtts or {}).items():
        for source, it in sources.items():
            at = names.index(source), names.index(target)
            matrices.seconds[at], matrices.spread[at], matrices.at[at] = (
                it.seconds,
                it.spread,
                it.at,
            )
    return DelayReading(now, names, tuple(hosts[it] for it in names), matrices)
