"""What the latency agents keep in Redis, as their contract lays it down, read all at once.

What the contract does not allow is left out and said; it harms nobody.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.latency import (
    FRESH_SECONDS,
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

from eyewall_sidecar.stores.held_delays import LatencyRecords

TIMEOUT = 2.0
"""Seconds for connecting, and for an answer."""
MOST_HOSTS = 2_000
"""Hosts that are looked at, those last heard of first: a bound on what a store gone wrong costs."""
MOST_RTTS = 2 * MOST_HOSTS
"""To one host; agents keep those from dead hosts for a while."""
AT_ONCE = 20
"""Hosts whose RTTs one round trip fetches."""

Record = TypeVar("Record", HostCoordinate, RttRecord)


class RegistryAwayError(Exception):
    """Redis does not answer, or not as it should; says why."""


class StoppedError(Exception):
    """Reading was given up, as it was asked for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, and what of it was not used.

    Parameters
    ----------
    records
        What can be used.
    left_out
        What the contract does not allow: which value, and why.
    newer_version
        The version of the contract that someone writes, if it is newer than what is read here.
    """

    records: LatencyRecords
    left_out: tuple[str, ...]
    newer_version: int | None


class LatencyRegistry:
    """A connection to the agents' Redis; used by one thread."""

    def __init__(self, url: str, prefix: str) -> None:
        """Connect when first read; ValueError if redis-py cannot make anything of `url`."""
        self._keys = LatencyKeys(prefix)
        self._redis: Any = Redis.from_url(
            url,
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            retry=Retry(NoBackoff(), 0),
        )
        self._hosts: _Decoded[HostCoordinate] = _Decoded(decode_host, "record of {}")
        self._rtts: dict[str, _Decoded[RttRecord]] = {}

    def read(self, stopped: Callable[[], bool] = lambda: False) -> Reading:
        """Return what is there; RegistryAwayError, or StoppedError once `stopped` says so."""
        try:
            return self._read(stopped)
        except RedisError as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RegistryAwayError(reason.rstrip(".")) from None

    def close(self) -> None:
        """End the connection."""
        self._redis.close()

    def _read(self, stopped: Callable[[], bool]) -> Reading:
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.get(self._keys.version)
            pipe.zrange(self._keys.members, 0, MOST_HOSTS - 1, desc=True, withscores=True)
            (seconds, micros), version, members = pipe.execute()
        now = seconds + micros / 1e6
        # What a host measured is worth something for longer than its own record.
        names = [_text(name) for name, at in members if at >= now - FRESH_SECONDS]
        strange = tuple(f"host {it!r:.60}: no name" for it in names if not _is_name(it))
        names = list(filter(_is_name, names))
        values, sizes = self._read_hosts(names)
        hosts = self._hosts.take(zip(names, values, strict=True))
        self._rtts = {it: self._rtts.get(it) or _rtts_to(it) for it in names}
        known = {it.encode(): it for it in names}
        usable = [it for it, size in zip(names, sizes, strict=True) if _is_allowed(size)]
        rtts: dict[str, Mapping[str, RttRecord]] = {}
        for first in range(0, len(usable), AT_ONCE):
            if stopped():
                raise StoppedError
            rtts |= self._read_rtts(usable[first : first + AT_ONCE], known)
        return Reading(
            records=LatencyRecords(now, {it: hosts.get(it) for it in names}, rtts),
            left_out=(
                *strange,
                *self._hosts.left_out,
                *(
                    f"RTTs to {it}: {size}, where a hash of at most {MOST_RTTS} is allowed"
                    for it, size in zip(names, sizes, strict=True)
                    if not _is_allowed(size)
                ),
                *(said for it in self._rtts.values() for said in it.left_out),
            ),
            newer_version=newer_version(version),
        )

    def _read_hosts(self, names: Sequence[str]) -> tuple[list[bytes | None], list[Any]]:
        """Return each host's record, and how many RTTs to it there are."""
        if not names:
            return [], []
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.mget([self._keys.host(it) for it in names])
            for it in names:
                pipe.hlen(self._keys.rtts(it))
            values, *sizes = pipe.execute(raise_on_error=False)
        for answer in (values, *sizes):
            # A key of another type spoils what it would have held; any other error, the reading.
            if isinstance(answer, RedisError) and not _is_wrong_type(answer):
                raise answer
        return values, sizes

    def _read_rtts(
        self, targets: Sequence[str], known: Mapping[bytes, str]
    ) -> dict[str, Mapping[str, RttRecord]]:
        """Return target → source → RTT, for sources that are hosts themselves."""
        with self._redis.pipeline(transaction=False) as pipe:
            for target in targets:
                pipe.hgetall(self._keys.rtts(target))
            fetched = pipe.execute()
        return {
            target: self._rtts[target].take(
                (known[source], value) for source, value in fields.items() if source in known
            )
            for target, fields in zip(targets, fetched, strict=True)
        }


class _Decoded(Generic[Record]):
    """Decodes values, each only when it changed."""

    def __init__(self, decode: Callable[[bytes], Record], what: str) -> None:
        self._decode: Callable[[bytes], Record] = decode
        self._what = what
        self._values: dict[str, bytes] = {}
        self._records: dict[str, Record] = {}
        self._wrong: dict[str, str] = {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """Which values of those last taken are not allowed, and why."""
        return tuple(self._wrong.values())

    def take(self, values: Iterable[tuple[str, bytes | None]]) -> dict[str, Record]:
        """Return the records of those values that are there and allowed."""
        held = {name: value for name, value in values if value is not None}
        records: dict[str, Record] = {}
        wrong: dict[str, str] = {}
        for name, value in held.items():
            if self._values.get(name) == value:
                if name in self._records:
                    records[name] = self._records[name]
                else:
                    wrong[name] = self._wrong[name]
                continue
            try:
                records[name] = self._decode(value)
            except ContractError as error:
                wrong[name] = f"{self._what.format(name)}: {error}"
        self._values, self._records, self._wrong = held, records, wrong
        return records


def _rtts_to(target: str) -> _Decoded[RttRecord]:
    return _Decoded(decode_rtt, f"RTT from {{}} to {target}")


def _is_wrong_type(answer: RedisError) -> bool:
    return isinstance(answer, ResponseError) and str(answer).startswith("WRONGTYPE")


def _is_allowed(size: object) -> bool:
    return isinstance(size, int) and size <= MOST_RTTS


def _is_name(name: str) -> bool:
    return is_host_name(name)


def _text(name: bytes) -> str:
    return name.decode("ascii", errors="replace")
