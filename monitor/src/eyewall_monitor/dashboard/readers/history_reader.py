"""The history of all hosts' reports in Redis: followed as it grows, and read back over a day.

What is new comes first. The past is read beside it, newest first, with a bounded part of a core: of
a thousand hosts a day is more than anyone waits for.
"""

from __future__ import annotations

import time as _time
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.errors import ContractError
from eyewall_contracts.metric_history import HistoryKeys, decode_entry, oldest_id, read_id
from redis.exceptions import RedisError, ResponseError

from eyewall_monitor.dashboard.measured import KEEP_SECONDS, MeasuredResponseTimes
from eyewall_monitor.dashboard.readers.latency_reader import connected, said_of
from eyewall_monitor.dashboard.readers.pace import pause_after
from eyewall_monitor.dashboard.readers.thread import RepeatingThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.sample import Sample

EVERY_SECONDS: Final = 1.0
AT_ONCE: Final = 200
"""Entries of one host that one round trip fetches of what is new."""
BACK_AT_ONCE: Final = 50
"""… and of the past."""
BUSY_SHARE: Final = 0.25
"""Of a core, that reading the past may take."""
MOST_ENTRIES: Final = 400_000
"""That are read of the past, of all hosts together."""
FORGET_SECONDS: Final = 300.0


class HistoryReader:
    """Reads until it is closed.

    Parameters
    ----------
    taken
        Gets each report once that comes in from now on.
    clock, steady
        Seconds since the epoch, and a clock that does not jump.
    """

    def __init__(
        self,
        url: str,
        prefix: str,
        taken: Callable[[Sample], None],
        clock: Callable[[], float] = _time.time,
        steady: Callable[[], float] = _time.monotonic,
    ) -> None:
        self._redis = connected(url)
        self._keys = HistoryKeys(prefix)
        self._taken = taken
        self._clock = clock
        self._steady = steady
        self._newest: dict[str, str] = {}
        """Stream → id of the last entry that was read."""
        self._back: dict[str, str | None] = {}
        """Stream → id of the first entry that was read; None: there is nothing before it."""
        self._reached: dict[str, float] = {}
        """Stream → time of the first entry that was read."""
        self._read_back = 0
        self._whole_at: float | None = None
        self._forgot_at = steady()
        self._left_out: dict[str, str] = {}
        """Key of a host that is no stream → what Redis says of it."""
        self._unreadable: str = ""
        self._wrong: str = ""
        self.response_times = MeasuredResponseTimes()
        self._thread = RepeatingThread("the history in Redis", self.look, self._failed)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Read no more."""
        self._thread.close()
        self._redis.close()

    @property
    def age(self) -> float | None:
        """Seconds since it was last read to its end; None: never."""
        return None if self._whole_at is None else self._steady() - self._whole_at

    @property
    def remarks(self) -> tuple[str, ...]:
        """What could not be used."""
        left_out = self._left_out
        keys = ""
        if left_out:
            key, said = next(iter(left_out.items()))
            keys = f"{len(left_out)} keys left out, of which the first is {key}: {said}"
        return tuple(f"history: {it}" for it in (self._wrong, keys, self._unreadable) if it)

    def look(self) -> float:
        """Read what is new, and then some of the past."""
        try:
            pause = self._look()
        except RedisError as error:
            self._failed(said_of(error))
            return EVERY_SECONDS
        self._wrong = ""
        return pause

    def _look(self) -> float:
        followed = self._steady()
        self._meet_new_hosts()
        if self._follow():
            return 0.0
        self._whole_at = self._steady()
        every = pause_after(self._whole_at - followed, EVERY_SECONDS)
        if self._steady() - self._forgot_at > FORGET_SECONDS:
            self._forgot_at = self._steady()
            self.response_times.forget(self._clock())
        end = self._steady() + every
        worked = 0.0
        while self._steady() < end and not self._thread.stopped:
            began = self._steady()
            if not self._go_back():
                return max(0.0, end - self._steady())
            worked = self._steady() - began
            pause = worked / BUSY_SHARE - worked
            if began + worked + pause >= end:
                return min(pause, every)
            _time.sleep(pause)
        return 0.0

    def _meet_new_hosts(self) -> None:
        """Begin with the last report of a host that is seen for the first time."""
        oldest = self._clock() - KEEP_SECONDS
        names = self._redis.zrangebyscore(self._keys.hosts, oldest, "+inf")
        streams = set()
        for it in names:
            try:
                streams.add(self._keys.stream(it.decode("ascii", errors="replace")))
            except ValueError as error:
                self._unreadable = str(error)
        for gone in self._newest.keys() - streams:
            self._leave(gone)
        new = sorted(streams - self._newest.keys())
        if not new:
            self._left_out = {}
            return
        with self._redis.pipeline(transaction=False) as pipe:
            for stream in new:
                pipe.xrevrange(stream, count=1)
            answers = pipe.execute(raise_on_error=False)
        self._left_out = {
            stream: said_of(it)
            for stream, it in zip(new, answers, strict=True)
            if isinstance(it, ResponseError)
        }
        for stream, entries in zip(new, answers, strict=True):
            if stream in self._left_out:
                continue
            self._newest[stream] = entries[0][0].decode() if entries else "0-0"
            self._back[stream] = f"({entries[0][0].decode()}" if entries else None
            self._reached[stream] = self._clock()
            for _, fields in entries:
                self._take(fields)
        self._say_since()

    def _follow(self) -> bool:
        """Read what is new; whether there is more."""
        if not self._newest:
            return False
        try:
            answer: Any = self._redis.xread(dict(self._newest), count=AT_ONCE)
        except ResponseError:
            if not self._leave_what_is_no_stream():
                raise
            return True
        more = False
        for key, entries in answer or ():
            stream = key.decode()
            for id_, fields in entries:
                self._newest[stream] = id_.decode()
                report = self._take(fields)
                if report is not None:
                    self._taken(report)
            more = more or len(entries) == AT_ONCE
        return more

    def _leave_what_is_no_stream(self) -> bool:
        """Follow no key any more that was a stream and is none; whether there was one."""
        followed = list(self._newest)
        with self._redis.pipeline(transaction=False) as pipe:
            for stream in followed:
                pipe.xrevrange(stream, count=1)
            answers = pipe.execute(raise_on_error=False)
        bad = [
            stream
            for stream, it in zip(followed, answers, strict=True)
            if isinstance(it, ResponseError)
        ]
        for stream in bad:
            self._leave(stream)
        return bool(bad)

    def _leave(self, stream: str) -> None:
        del self._newest[stream], self._back[stream], self._reached[stream]

    def _go_back(self) -> bool:
        """Read some of the past of the host of which least is known; whether there is any left."""
        open_ = [it for it, first in self._back.items() if first is not None]
        if not open_ or self._read_back >= MOST_ENTRIES:
            return False
        stream = max(open_, key=lambda it: self._reached[it])
        oldest = str(oldest_id(self._clock(), KEEP_SECONDS))
        entries = self._redis.xrevrange(stream, self._back[stream], oldest, count=BACK_AT_ONCE)
        for id_, fields in entries:
            self._back[stream] = f"({id_.decode()}"
            self._reached[stream] = read_id(id_).milliseconds / 1000
            self._take(fields)
        self._read_back += len(entries)
        if len(entries) < BACK_AT_ONCE:
            self._back[stream] = None
            self._reached[stream] = 0.0
        self._say_since()
        return True

    def _say_since(self) -> None:
        oldest = self._clock() - KEEP_SECONDS
        since = max((it for it in self._reached.values()), default=0.0)
        self.response_times.whole_since(max(oldest, since))

    def _take(self, fields: dict[bytes, bytes]) -> Sample | None:
        try:
            report = decode_entry(fields)
        except ContractError as error:
            self._unreadable = str(error)
            return None
        self.response_times.take(report)
        return report

    def _failed(self, said: str) -> None:
        self._wrong = said
