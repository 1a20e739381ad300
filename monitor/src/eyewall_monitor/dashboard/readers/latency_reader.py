"""Reads coordinates of hosts, and RTTs of the pairs that are shown, from Redis."""

from __future__ import annotations

import time as _time
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from eyewall_contracts.latency import VERSION
from eyewall_contracts.redis_url import server_of
from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_contracts.stores.redis_client import RedisAwayError

from eyewall_monitor.dashboard.readers.reader import RepeatingThread, pause_after
from eyewall_monitor.dashboard.snapshot import RedisSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EVERY_SECONDS: Final = 2.0


class _Reading(NamedTuple):
    """The last snapshot, and when it was read by the steady clock."""

    snapshot: RedisSnapshot
    at: float = 0.0


class LatencyReader:
    """Reads until it is closed.

    Parameters
    ----------
    pairs
        Returns the pairs of hosts that are shown, each in any order: only their RTTs are read.
    """

    def __init__(
        self,
        url: str,
        prefix: str,
        pairs: Callable[[], Iterable[tuple[str, str]]],
        steady: Callable[[], float] = _time.monotonic,
    ) -> None:
        self._store = LatencyStore(url, prefix)
        self._pairs = pairs
        self._steady = steady
        self._last = _Reading(
            RedisSnapshot(configured=True, server=server_of(url), error="no answer yet")
        )
        self._thread = RepeatingThread("coordinates in Redis", self.poll, self._failed)
        self.start = self._thread.start

    def close(self) -> None:
        """Read no more."""
        self._thread.close()
        self._store.close()

    def read(self) -> RedisSnapshot:
        """Return what was read last; never waits."""
        last = self._last
        if last.snapshot.age is None:
            return last.snapshot
        passed = self._steady() - last.at
        return replace(last.snapshot, age=passed, now=last.snapshot.now + passed)

    def poll(self) -> float:
        """Read once."""
        began = self._steady()
        try:
            self._last = self._read()
        except RedisAwayError as error:
            self._failed(str(error))
        return pause_after(self._steady() - began, EVERY_SECONDS)

    def _read(self) -> _Reading:
        found = self._store.read_hosts()
        at = self._steady()
        sources: dict[str, set[str]] = {}
        for a, b in self._pairs():
            sources.setdefault(a, set()).add(b)
            sources.setdefault(b, set()).add(a)
        rtts, left_out = self._store.read_rtts(sources)
        errors = (*found.left_out, *left_out)
        remarks = []
        if errors:
            remarks.append(f"{len(errors)} values left out, the first: {errors[0]}")
        if found.newer_version is not None:
            remarks.append(
                f"the latency contract's version there is {found.newer_version}, "
                f"the dashboard's {VERSION}"
            )
        snapshot = replace(
            self._last.snapshot,
            age=0.0,
            now=found.now,
            hosts=found.coordinates,
            rtts=rtts,
            error="",
            remarks=tuple(remarks),
        )
        return _Reading(snapshot, at)

    def _failed(self, error: str) -> None:
        self._last = self._last._replace(snapshot=replace(self._last.snapshot, error=error))
