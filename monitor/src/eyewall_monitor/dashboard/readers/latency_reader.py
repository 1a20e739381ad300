"""Coordinates of hosts, and RTTs of the pairs that are shown, from the latency agents' Redis."""

from __future__ import annotations

import time as _time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

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
from eyewall_monitor.dashboard.known import NoResponseTimes, RedisKnown
from eyewall_monitor.dashboard.readers.pace import pause_after
from eyewall_monitor.dashboard.readers.thread import RepeatingThread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from eyewall_monitor.dashboard.known import ResponseTimes

EVERY_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 2.0
MOST_HOSTS: Final = 2_000
"""That are looked at, those last heard of first."""
AT_ONCE: Final = 200
"""Pairs' targets that one round trip asks for."""

Record = TypeVar("Record", HostCoordinate, RttRecord)


def connected(url: str) -> Any:
    """Make a client; it connects when first needed, and again after the connection broke."""
    return Redis.from_url(
        url,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


def said_of(error: RedisError) -> str:
    """Return what is wrong, in one line."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read last, and when by the steady clock."""

    at: float | None = None
    now: float = 0.0
    hosts: Mapping[str, HostCoordinate] | None = None
    rtts: Mapping[str, Mapping[str, RttRecord]] | None = None
    wrong: str = "not read yet"
    remarks: tuple[str, ...] = ()


class LatencyReader:
    """Reads until it is closed.

    Parameters
    ----------
    pairs
        Tells which pairs of hosts are shown, each in any order: RTTs are read of these alone.
    """

    def __init__(
        self,
        url: str,
        prefix: str,
        pairs: Callable[[], Iterable[tuple[str, str]]],
        steady: Callable[[], float] = _time.monotonic,
    ) -> None:
        self._server = redis_server(url)
        self._redis = connected(url)
        self._keys = LatencyKeys(prefix)
        self._pairs = pairs
        self._steady = steady
        self._read = _Read()
        self._thread = RepeatingThread("coordinates in Redis", self.look, self._failed)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Read no more."""
        self._thread.close()
        self._redis.close()

    def read(
        self,
        response_times: ResponseTimes | None = None,
        history_age: float | None = None,
        remarks: tuple[str, ...] = (),
    ) -> RedisKnown:
        """Return what was read last, beside what was read of the history; never waits."""
        read = self._read
        since = 0.0 if read.at is None else self._steady() - read.at
        return RedisKnown(
            wanted=True,
            server=self._server,
            age=None if read.at is None else since,
            now=read.now + since,
            hosts=read.hosts or {},
            rtts=read.rtts or {},
            response_times=response_times or NoResponseTimes(),
            history_age=history_age,
            wrong=read.wrong,
            remarks=(*read.remarks, *remarks),
        )

    def look(self) -> float:
        """Read once."""
        began = self._steady()
        try:
            self._read = self._looked()
        except RedisError as error:
            self._failed(said_of(error))
        return pause_after(self._steady() - began, EVERY_SECONDS)

    def _looked(self) -> _Read:
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.get(self._keys.version)
            pipe.zrange(self._keys.members, 0, MOST_HOSTS - 1, desc=True, withscores=True)
            told, version, members = pipe.execute(raise_on_error=False)
        for it in (told, members):
            if isinstance(it, ResponseError):
                raise it  # without these nothing else can be read
        seconds, micros = told
        now = seconds + micros / 1e6
        names = [it.decode("ascii", errors="replace") for it, _ in members]
        names = [it for it in names if is_host_name(it)]
        wrong: list[str] = []
        if isinstance(version, ResponseError):
            wrong.append(f"version: {said_of(version)}")
            version = None
        values = self._redis.mget([self._keys.host(it) for it in names]) if names else []
        found = zip((f"record of {it}" for it in names), values, strict=True)
        hosts = _decoded(found, decode_host, wrong)
        at = self._steady()
        rtts = self._rtts(wrong)
        newer = newer_version(version)
        remarks = []
        if wrong:
            remarks.append(f"{len(wrong)} values left out, of which the first is {wrong[0]}")
        if newer is not None:
            remarks.append(
                f"version {newer} of the latency contract is written there, {VERSION} is read here"
            )
        named = {it.removeprefix("record of "): record for it, record in hosts.items()}
        return _Read(at, now, named, rtts, wrong="", remarks=tuple(remarks))

    def _rtts(self, wrong: list[str]) -> dict[str, dict[str, RttRecord]]:
        """Return target → source → RTT of the pairs that are shown."""
        wanted: dict[str, set[str]] = {}
        for a, b in self._pairs():
            wanted.setdefault(a, set()).add(b)
            wanted.setdefault(b, set()).add(a)
        targets = sorted(it for it in wanted if is_host_name(it))
        found: dict[str, dict[str, RttRecord]] = {}
        for first in range(0, len(targets), AT_ONCE):
            some = targets[first : first + AT_ONCE]
            with self._redis.pipeline(transaction=False) as pipe:
                for target in some:
                    pipe.hmget(self._keys.rtts(target), sorted(wanted[target]))
                answers = pipe.execute(raise_on_error=False)
            for target, values in zip(some, answers, strict=True):
                if isinstance(values, ResponseError):
                    wrong.append(f"RTTs of {target}: {said_of(values)}")
                    continue
                named = zip(sorted(wanted[target]), values, strict=True)
                found[target] = _decoded(named, decode_rtt, wrong)
        return found

    def _failed(self, said: str) -> None:
        self._read = replace(self._read, wrong=said)


def _decoded(
    values: Iterable[tuple[str, bytes | None]],
    decode: Callable[[bytes], Record],
    wrong: list[str],
) -> dict[str, Record]:
    """Decode what is there; what the contract does not allow is left out, and named in `wrong`."""
    records: dict[str, Record] = {}
    for name, value in values:
        if value is None:
            continue
        try:
            records[name] = decode(value)
        except ContractError as error:
            wrong.append(f"{name}: {error}")
    return records
