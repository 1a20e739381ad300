"""Reads all coordinates and round-trip times, as matrices that grow with what was measured.

Among 1,000 hosts there are a million round-trip times. A value is decoded when it changed, and goes
into its place of a matrix. Needs numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from eyewall_contracts.delays import DelayMatrices, RttMatrices, estimate_delays
from eyewall_contracts.errors import ContractError
from eyewall_contracts.latency import FRESH_SECONDS, decode_rtt

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.latency import HostCoordinate
    from eyewall_contracts.stores.latency_store import LatencyStore, RawRtts

MOST_HOSTS: Final = 2_000
"""Among which delays are read, the last to report first: of each matrix 32 MB."""


class StoppedError(Exception):
    """Reading was given up, as requested."""


@dataclass(frozen=True, slots=True, eq=False)
class DelayReading:
    """What the agents have written.

    Parameters
    ----------
    now
        Redis's time when it was read.
    hosts
        Names, in the order of all matrices.
    coordinates
        Of each host; None if it has none that can be used.
    rtts
        What the hosts measured to each other.
    left_out
        Values that the contract does not allow: which, and why.
    newer_version
        The version of the contract that someone writes, if it is newer than what is read here.
    """

    now: float
    hosts: tuple[str, ...]
    coordinates: tuple[HostCoordinate | None, ...]
    rtts: RttMatrices
    left_out: tuple[str, ...] = ()
    newer_version: int | None = None

    def delays(self, now: float) -> DelayMatrices:
        """Return the delays at Redis's time `now`."""
        return estimate_delays(self.coordinates, self.rtts, now)


class DelayReader:
    """Remembers what it read; for one thread."""

    def __init__(self, store: LatencyStore) -> None:
        self._store = store
        self._hosts: tuple[str, ...] = ()
        self._places: dict[bytes, int] = {}
        self._rtts = RttMatrices.empty(0)
        self._values: dict[str, RawRtts] = {}
        self._wrong: dict[str, dict[bytes, str]] = {}

    def read(self, stopped: Callable[[], bool] = lambda: False) -> DelayReading:
        """Return what there is; RedisAwayError, or StoppedError once `stopped` says so."""
        # What a host measured is worth something for longer than its own record.
        found = self._store.read_hosts(within=FRESH_SECONDS)
        self._make_room(tuple(sorted(found.members[:MOST_HOSTS])))
        spoilt = []
        for target, values in self._store.fetch_rtts(self._hosts):
            if stopped():
                raise StoppedError
            if isinstance(values, str):
                spoilt.append(f"RTTs to {target}: {values}")
                values = {}
            self._take(target, values)
        wrong = (
            f"RTT from {source.decode()} to {target}: {why}"
            for target, of_target in self._wrong.items()
            for source, why in of_target.items()
        )
        return DelayReading(
            now=found.now,
            hosts=self._hosts,
            coordinates=tuple(found.coordinates.get(it) for it in self._hosts),
            # The reader goes on writing into its own matrices.
            rtts=RttMatrices(
                self._rtts.seconds.copy(), self._rtts.spread.copy(), self._rtts.at.copy()
            ),
            left_out=(*found.left_out, *spoilt, *wrong),
            newer_version=found.newer_version,
        )

    def _make_room(self, hosts: tuple[str, ...]) -> None:
        """Move what is known to the places of these hosts."""
        if hosts == self._hosts:
            return
        before = {host: place for place, host in enumerate(self._hosts)}
        kept = [(place, before[it]) for place, it in enumerate(hosts) if it in before]
        fresh = RttMatrices.empty(len(hosts))
        if kept:
            to, of = (np.array(it) for it in zip(*kept, strict=True))
            for name in ("seconds", "spread", "at"):
                getattr(fresh, name)[np.ix_(to, to)] = getattr(self._rtts, name)[np.ix_(of, of)]
        places = {host.encode(): place for place, host in enumerate(hosts)}
        new = places.keys() - self._places.keys()
        # A host that came is decoded from all hashes, one that went is forgotten with its column.
        self._values = {
            target: {it: value for it, value in values.items() if it not in new}
            for target, values in self._values.items()
            if target in hosts
        }
        self._wrong = {
            target: {it: why for it, why in of_target.items() if it in places}
            for target, of_target in self._wrong.items()
            if target in hosts
        }
        self._hosts, self._places, self._rtts = hosts, places, fresh

    def _take(self, target: str, values: RawRtts) -> None:
        """Put what changed of the RTTs to a host into its column."""
        before = self._values.get(target, {})
        column = self._places[target.encode()]
        wrong = self._wrong.setdefault(target, {})
        for source in before.keys() - values.keys():
            self._put(source, column, (np.nan, np.nan, np.nan))
            wrong.pop(source, None)
        for source, value in values.items():
            if before.get(source) == value or source not in self._places:
                continue
            wrong.pop(source, None)
            measured = (np.nan, np.nan, np.nan)
            try:
                record = decode_rtt(value)
                measured = record.seconds, record.spread, record.at
            except ContractError as error:
                wrong[source] = str(error)
            self._put(source, column, measured)
        self._values[target] = values

    def _put(self, source: bytes, column: int, measured: tuple[float, float, float]) -> None:
        row = self._places.get(source)
        if row is not None and row != column:
            rtts = self._rtts
            rtts.seconds[row, column], rtts.spread[row, column], rtts.at[row, column] = measured
