"""Writes a host's reports to its Redis stream, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from eyewall_contracts.errors import ContractError
from eyewall_contracts.metric_history import decode_entry, encode_entry, next_id, oldest_id, read_id
from redis import Redis, RedisError, ResponseError

from eyewall_monitor.agent.delivery import StoreAwayError

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.metric_history import EntryId, HistoryKeys
    from eyewall_contracts.sample import Sample


ANSWER_SECONDS = 5.0
"""For an answer of Redis's; a report that was not written is written again."""


class HistoryWriter:
    """Knows the last id of a stream, and what id the report on its way has.

    Parameters
    ----------
    clock
        Seconds since the epoch.
    """

    def __init__(
        self,
        redis: Redis,
        keys: HistoryKeys,
        host: str,
        keep_seconds: float,
        most_entries: int,
        clock: Callable[[], float],
    ) -> None:
        self._redis = redis
        self._hosts = keys.hosts
        self._stream = keys.stream(host)
        self._host = host
        self._keep_seconds = keep_seconds
        self._most_entries = most_entries
        self._clock = clock
        self._last: EntryId | None = None
        self._on_its_way: tuple[Sample, EntryId] | None = None

    def send(self, report: Sample) -> None:
        """Write a report; after StoreAwayError the same one may be sent again."""
        try:
            if self._on_its_way is None or self._on_its_way[0] is not report:
                self._on_its_way = report, self._new_id()
            _, entry_id = self._on_its_way
            try:
                self._write(report, entry_id)
            except ResponseError as error:
                if "equal or smaller" not in str(error):
                    raise
                if not self._is_there(report, entry_id):
                    # Another writer has this host's name; both get their reports in.
                    self._last = None
                    entry_id = self._new_id()
                    self._on_its_way = report, entry_id
                    self._write(report, entry_id)
        except (RedisError, OSError, ContractError) as error:
            raise StoreAwayError(str(error).partition("\n")[0]) from None
        self._last = entry_id

    def _new_id(self) -> EntryId:
        if self._last is None:
            newest = cast("list[Any]", self._redis.xrevrange(self._stream, count=1))
            self._last = read_id(newest[0][0]) if newest else None
        return next_id(self._clock(), self._last)

    def _write(self, report: Sample, entry_id: EntryId) -> None:
        now = self._clock()
        fields = cast("dict[Any, Any]", encode_entry(report))
        oldest = oldest_id(now, self._keep_seconds)
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.xadd(self._stream, fields, id=str(entry_id), minid=str(oldest))
            pipeline.xtrim(self._stream, maxlen=self._most_entries, approximate=True)
            pipeline.expire(self._stream, int(2 * self._keep_seconds) + 1)
            pipeline.zadd(self._hosts, {self._host: now})
            pipeline.execute()

    def _is_there(self, report: Sample, entry_id: EntryId) -> bool:
        """Whether an earlier attempt did arrive."""
        found = cast("list[Any]", self._redis.xrange(self._stream, str(entry_id), str(entry_id)))
        try:
            return any(decode_entry(fields) == report for _, fields in found)
        except ContractError:
            return False
