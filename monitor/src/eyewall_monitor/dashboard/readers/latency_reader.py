"""Reads coordinates of hosts, and RTTs of the pairs that are shown, from Redis."""

from __future__ import annotations

import time as _time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.latency import (
    VERSION,
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    decode_host,
    decode_rtt,
    newer_version,
)
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from eyewall_monitor.addresses import redis_server
from eyewall_monitor.dashboard.readers.reader import RepeatingThread, pause_after
from eyewall_monitor.dashboard.snapshot import RedisSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EVERY_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 2.0
MOST_HOSTS: Final = 2_000
"""That are read: those that reported last."""
AT_ONCE: Final = 200
"""Hosts whose RTTs one round trip asks for."""

Record = TypeVar("Record", HostCoordinate, RttRecord)


def connect(url: str) -> Any:
    """Return a client that connects when first needed, and again after the connection broke."""
    return Redis.from_url(
        url,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


def describe(error: RedisError) -> str:
    """Return the error's first line."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


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
        self._redis = connect(url)
        self._keys = LatencyKeys(prefix)
        self._pairs = pairs
        self._steady = steady
        self._last = _Reading(
            RedisSnapshot(configured=True, server=redis_server(url), error="no answer yet")
        )
        self._thread = RepeatingThread("coordinates in Redis", self.poll, self._failed)
        self.start = self._thread.start

    def close(self) -> None:
        """Read no more."""
        self._thread.close()
        self._redis.close()

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
        except RedisError as error:
            self._failed(describe(error))
        return pause_after(self._steady() - began, EVERY_SECONDS)

    def _read(self) -> _Reading:
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.get(self._keys.version)
            pipe.zrange(self._keys.members, 0, MOST_HOSTS - 1, desc=True, withscores=True)
            time, version, members = pipe.execute(raise_on_error=False)
        for it in (time, members):
            if isinstance(it, ResponseError):
                raise it  # nothing else can be read without these
        seconds, microseconds = time
        names = [it.decode("ascii", errors="replace") for it, _ in members]
        names = [it for it in names if is_host_name(it)]
        errors: list[str] = []
        if isinstance(version, ResponseError):
            errors.append(f"version: {describe(version)}")
            version = None
        values = self._redis.mget([self._keys.host(it) for it in names]) if names else []
        records = zip((f"record of {it}" for it in names), values, strict=True)
        hosts = _decode(records, decode_host, errors)
        at = self._steady()
        rtts = self._rtts(errors)
        remarks = []
        if errors:
            remarks.append(f"{len(errors)} values left out, the first: {errors[0]}")
        newer = newer_version(version)
        if newer is not None:
            remarks.append(
                f"the latency contract's version there is {newer}, the dashboard's {VERSION}"
            )
        snapshot = replace(
            self._last.snapshot,
            age=0.0,
            now=seconds + microseconds / 1e6,
            hosts={name.removeprefix("record of "): it for name, it in hosts.items()},
            rtts=rtts,
            error="",
            remarks=tuple(remarks),
        )
        return _Reading(snapshot, at)

    def _rtts(self, errors: list[str]) -> dict[str, dict[str, RttRecord]]:
        """Return target → source → RTT of the pairs that are shown."""
        sources: dict[str, set[str]] = {}
        for a, b in self._pairs():
            sources.setdefault(a, set()).add(b)
            sources.setdefault(b, set()).add(a)
        targets = sorted(it for it in sources if is_host_name(it))
        found: dict[str, dict[str, RttRecord]] = {}
        for first in range(0, len(targets), AT_ONCE):
            some = targets[first : first + AT_ONCE]
            with self._redis.pipeline(transaction=False) as pipe:
                for target in some:
                    pipe.hmget(self._keys.rtts(target), sorted(sources[target]))
                answers = pipe.execute(raise_on_error=False)
            for target, values in zip(some, answers, strict=True):
                if isinstance(values, ResponseError):
                    errors.append(f"RTTs of {target}: {describe(values)}")
                    continue
                named = zip(sorted(sources[target]), values, strict=True)
                found[target] = _decode(named, decode_rtt, errors)
        return found

    def _failed(self, error: str) -> None:
        self._last = self._last._replace(snapshot=replace(self._last.snapshot, error=error))


def _decode(
    values: Iterable[tuple[str, bytes | None]],
    decode: Callable[[bytes], Record],
    errors: list[str],
) -> dict[str, Record]:
    """Decode the values that exist; `errors` gets those that the contract does not allow."""
    records: dict[str, Record] = {}
    for name, value in values:
        if value is None:
            continue
        try:
            records[name] = decode(value)
        except ContractError as error:
            errors.append(f"{name}: {error}")
    return records
