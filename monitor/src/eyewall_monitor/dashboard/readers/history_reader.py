"""Reads the history of all hosts' reports from Redis: new reports, and those of the last day.

New reports come first. The past is read in between, newest first, with a bounded share of a core:
reading a day of a thousand hosts takes longer than anyone waits.
"""

from __future__ import annotations

import time as _time
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.errors import ContractError
from eyewall_contracts.metric_history import HistoryKeys, decode_entry, oldest_id, read_id
from eyewall_contracts.stores.redis_client import connect, reason
from redis.exceptions import RedisError, ResponseError

from eyewall_monitor.dashboard.flow_history import KEEP_SECONDS, FlowHistory
from eyewall_monitor.dashboard.readers.reader import RepeatingThread, pause_after

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.sample import Sample

EVERY_SECONDS: Final = 1.0
AT_ONCE: Final = 200
"""New entries of one host that one round trip reads."""
PAST_AT_ONCE: Final = 50
"""Old entries of one host that one round trip reads."""
BUSY_SHARE: Final = 0.25
"""Of a core, that reading the past may use."""
MOST_ENTRIES: Final = 400_000
"""Of the past, that are read of all hosts together."""
FORGET_SECONDS: Final = 300.0


class HistoryReader:
    """Reads until it is closed.

    Parameters
    ----------
    take
        Called once with each new report.
    clock, steady
        Seconds since the epoch, and a clock that does not jump.
    """

    def __init__(
        self,
        url: str,
        prefix: str,
        take: Callable[[Sample], None],
        clock: Callable[[], float] = _time.time,
        steady: Callable[[], float] = _time.monotonic,
    ) -> None:
        self._redis = connect(url)
        self._keys = HistoryKeys(prefix)
        self._take = take
        self._clock = clock
        self._steady = steady
        self._newest: dict[str, str] = {}
        """Stream → id of its newest entry that was read."""
        self._oldest: dict[str, str | None] = {}
        """Stream → id of its oldest entry that was read; None: there is nothing older."""
        self._reached: dict[str, float] = {}
        """Stream → time of its oldest entry that was read."""
        self._past_entries = 0
        self._complete_at: float | None = None
        self._forgot_at = steady()
        self._left_out: dict[str, str] = {}
        """Key of a host that is not a stream → Redis's error."""
        self._unreadable = ""
        self._error = ""
        self.flow = FlowHistory()
        self._thread = RepeatingThread("the history in Redis", self.poll, self._failed)
        self.start = self._thread.start

    def close(self) -> None:
        """Read no more."""
        self._thread.close()
        self._redis.close()

    @property
    def age(self) -> float | None:
        """Seconds since it was last read to its end; None: never."""
        return None if self._complete_at is None else self._steady() - self._complete_at

    @property
    def remarks(self) -> tuple[str, ...]:
        """What could not be used."""
        keys = ""
        if self._left_out:
            key, error = next(iter(self._left_out.items()))
            keys = f"{len(self._left_out)} keys left out, the first: {key}: {error}"
        return tuple(f"history: {it}" for it in (self._error, keys, self._unreadable) if it)

    def poll(self) -> float:
        """Read new reports, and then some of the past."""
        try:
            pause = self._read()
        except RedisError as error:
            self._failed(reason(error))
            return EVERY_SECONDS
        self._error = ""
        return pause

    def _read(self) -> float:
        began = self._steady()
        self._add_hosts()
        if self._read_new():
            return 0.0
        self._complete_at = self._steady()
        every = pause_after(self._complete_at - began, EVERY_SECONDS)
        if self._steady() - self._forgot_at > FORGET_SECONDS:
            self._forgot_at = self._steady()
            self.flow.forget_old(self._clock())
        end = self._steady() + every
        while self._steady() < end and not self._thread.stopped:
            began = self._steady()
            if not self._read_past():
                return max(0.0, end - self._steady())
            worked = self._steady() - began
            pause = worked / BUSY_SHARE - worked
            if began + worked + pause >= end:
                return min(pause, every)
            _time.sleep(pause)
        return 0.0

    def _add_hosts(self) -> None:
        """Start each new host with its last report; drop hosts that are gone."""
        oldest = self._clock() - KEEP_SECONDS
        streams = set()
        for it in self._redis.zrangebyscore(self._keys.hosts, oldest, "+inf"):
            try:
                streams.add(self._keys.stream(it.decode("ascii", errors="replace")))
            except ValueError as error:
                self._unreadable = str(error)
        for gone in self._newest.keys() - streams:
            self._drop(gone)
        new = sorted(streams - self._newest.keys())
        last_entries = self._last_entries(new)
        self._left_out = {
            it: reason(entries)
            for it, entries in last_entries.items()
            if isinstance(entries, ResponseError)
        }
        for stream, entries in last_entries.items():
            if stream in self._left_out:
                continue
            self._newest[stream] = entries[0][0].decode() if entries else "0-0"
            self._oldest[stream] = f"({entries[0][0].decode()}" if entries else None
            self._reached[stream] = self._clock()
            for _, fields in entries:
                self._decode(fields)
        if new:
            self._set_complete_since()

    def _last_entries(self, streams: list[str]) -> dict[str, Any]:
        """Return the last entry of each stream, or Redis's error."""
        if not streams:
            return {}
        with self._redis.pipeline(transaction=False) as pipe:
            for stream in streams:
                pipe.xrevrange(stream, count=1)
            return dict(zip(streams, pipe.execute(raise_on_error=False), strict=True))

    def _read_new(self) -> bool:
        """Read new entries; return whether there are more."""
        if not self._newest:
            return False
        try:
            answer: Any = self._redis.xread(dict(self._newest), count=AT_ONCE)
        except ResponseError:
            # A key that was a stream is none any more.
            entries = self._last_entries(list(self._newest))
            bad = [it for it, found in entries.items() if isinstance(found, ResponseError)]
            for stream in bad:
                self._drop(stream)
            if not bad:
                raise
            return True
        more = False
        for key, entries in answer or ():
            stream = key.decode()
            for id_, fields in entries:
                self._newest[stream] = id_.decode()
                report = self._decode(fields)
                if report is not None:
                    self._take(report)
            more = more or len(entries) == AT_ONCE
        return more

    def _drop(self, stream: str) -> None:
        del self._newest[stream], self._oldest[stream], self._reached[stream]

    def _read_past(self) -> bool:
        """Read some of the past of the host that reaches back least; return whether any is left."""
        incomplete = [it for it, first in self._oldest.items() if first is not None]
        if not incomplete or self._past_entries >= MOST_ENTRIES:
            return False
        stream = max(incomplete, key=lambda it: self._reached[it])
        oldest = str(oldest_id(self._clock(), KEEP_SECONDS))
        entries = self._redis.xrevrange(stream, self._oldest[stream], oldest, count=PAST_AT_ONCE)
        for id_, fields in entries:
            self._oldest[stream] = f"({id_.decode()}"
            self._reached[stream] = read_id(id_).milliseconds / 1000
            self._decode(fields)
        self._past_entries += len(entries)
        if len(entries) < PAST_AT_ONCE:
            self._oldest[stream] = None
            self._reached[stream] = 0.0
        self._set_complete_since()
        return True

    def _set_complete_since(self) -> None:
        oldest = self._clock() - KEEP_SECONDS
        self.flow.set_complete_since(max(oldest, *self._reached.values(), 0.0))

    def _decode(self, fields: dict[bytes, bytes]) -> Sample | None:
        try:
            report = decode_entry(fields)
        except ContractError as error:
            self._unreadable = str(error)
            return None
        self.flow.add(report)
        return report

    def _failed(self, error: str) -> None:
        self._error = error
