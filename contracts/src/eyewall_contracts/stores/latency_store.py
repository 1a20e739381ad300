"""Reads the latency agents' Redis: hosts' coordinates and round-trip times.

A value that the contract does not allow is left out and named; it harms no other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from redis.exceptions import RedisError, ResponseError

from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.latency import (
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    decode_host,
    decode_rtt,
    newer_version,
)
from eyewall_contracts.stores.redis_client import connect, reason, redis_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

MOST_HOSTS: Final = 10_000
"""That are read, the last to report first: a bound on what a store gone wrong costs."""
BUCKETS: Final = 65_536
"""Of a target's hash that are scanned: more than one of 10,000 RTTs has."""
AT_ONCE: Final = 20
"""Targets whose RTTs one round trip fetches."""

Record = TypeVar("Record", HostCoordinate, RttRecord)
RawRtts = dict[bytes, bytes]
"""Source → `RttRecord`, neither decoded."""


@dataclass(frozen=True, slots=True)
class HostsReading:
    """The hosts that there are.

    Parameters
    ----------
    now
        Redis's time.
    members
        Hosts that reported lately, the last one first.
    coordinates
        Of those members whose record can be used.
    left_out
        Values that the contract does not allow: which, and why.
    newer_version
        The version of the contract that someone writes, if it is newer than what is read here.
    """

    now: float
    members: tuple[str, ...] = ()
    coordinates: Mapping[str, HostCoordinate] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    newer_version: int | None = None


class LatencyStore:
    """A connection, for one thread at a time; reading raises RedisAwayError if Redis is away."""

    def __init__(self, url: str, prefix: str) -> None:
        """Connect when first used."""
        self.keys = LatencyKeys(prefix)
        self.redis: Any = connect(url)
        self._hosts: DecodedValues[HostCoordinate] = DecodedValues(decode_host)

    def close(self) -> None:
        """End the connection."""
        self.redis.close()

    @property
    def rejected(self) -> int:
        """How many coordinates were not allowed, ever."""
        return self._hosts.rejected

    def read_hosts(self, within: float = math.inf) -> HostsReading:
        """Return the hosts that reported within so many seconds."""
        with redis_errors(), self.redis.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.get(self.keys.version)
            pipe.zrange(self.keys.members, 0, MOST_HOSTS - 1, desc=True, withscores=True)
            (seconds, micros), version, members = _answers(pipe, required=(0, 2))
            now = seconds + micros / 1e6
            names = [_text(name) for name, at in members if at >= now - within]
            strange = [f"host {it!r:.60}: no host's name" for it in names if not is_host_name(it)]
            names = [it for it in names if is_host_name(it)]
            values = self.redis.mget([self.keys.host(it) for it in names]) if names else []
        if isinstance(version, RedisError):
            strange.append(f"version: {reason(version)}")
            version = None
        coordinates = self._hosts.decode(zip(names, values, strict=True))
        wrong = (f"coordinate of {host}: {why}" for host, why in self._hosts.wrong.items())
        return HostsReading(
            now, tuple(names), coordinates, (*strange, *wrong), newer_version(version)
        )

    def read_rtts(
        self, sources_of: Mapping[str, Collection[str]]
    ) -> tuple[dict[str, dict[str, RttRecord]], tuple[str, ...]]:
        """Return target → source → RTT for these sources of each target, and what was left out."""
        targets = sorted(it for it in sources_of if is_host_name(it))
        rtts: dict[str, dict[str, RttRecord]] = {}
        left_out: list[str] = []
        for some in _batches(targets):
            with redis_errors(), self.redis.pipeline(transaction=False) as pipe:
                for target in some:
                    pipe.hmget(self.keys.rtts(target), sorted(sources_of[target]))
                answers = _answers(pipe)
            for target, values in zip(some, answers, strict=True):
                if isinstance(values, RedisError):
                    left_out.append(f"RTTs to {target}: {reason(values)}")
                    continue
                found = DecodedValues(decode_rtt)
                rtts[target] = found.decode(zip(sorted(sources_of[target]), values, strict=True))
                left_out += (f"RTT from {it} to {target}: {why}" for it, why in found.wrong.items())
        return rtts, tuple(left_out)

    def fetch_rtts(self, targets: Sequence[str]) -> Iterator[tuple[str, RawRtts | str]]:
        """Yield each target with all RTTs to it, or with what is wrong with them."""
        for some in _batches(targets):
            with redis_errors(), self.redis.pipeline(transaction=False) as pipe:
                for target in some:
                    pipe.hscan(self.keys.rtts(target), count=BUCKETS)
                answers = _answers(pipe)
            for target, answer in zip(some, answers, strict=True):
                if isinstance(answer, RedisError):
                    yield target, reason(answer)
                elif answer[0]:
                    yield target, f"more than {MOST_HOSTS}"
                else:
                    yield target, answer[1]


class DecodedValues(Generic[Record]):
    """Decodes values, each only when it changed."""

    def __init__(self, decode: Callable[[bytes], Record]) -> None:
        self._decode: Callable[[bytes], Record] = decode
        self._values: dict[str, bytes] = {}
        self.records: dict[str, Record] = {}
        """Of the last values, those that are allowed."""
        self.wrong: dict[str, str] = {}
        """Why others are not."""
        self.rejected = 0
        """How many were not, ever."""

    def decode(self, values: Iterable[tuple[str, bytes | None]]) -> dict[str, Record]:
        """Return the records of those values that are there and allowed."""
        present = {name: value for name, value in values if value is not None}
        records: dict[str, Record] = {}
        wrong: dict[str, str] = {}
        for name, value in present.items():
            if self._values.get(name) == value:
                if name in self.records:
                    records[name] = self.records[name]
                else:
                    wrong[name] = self.wrong[name]
                continue
            try:
                records[name] = self._decode(value)
            except ContractError as error:
                wrong[name] = str(error)
                self.rejected += 1
        self._values, self.records, self.wrong = present, records, wrong
        return records


def _batches(targets: Sequence[str]) -> Iterator[Sequence[str]]:
    return (targets[first : first + AT_ONCE] for first in range(0, len(targets), AT_ONCE))


def _answers(pipe: Any, required: Collection[int] = ()) -> list[Any]:
    """Return a pipeline's answers; a key of another type spoils only what it would have held."""
    answers: list[Any] = pipe.execute(raise_on_error=False)
    for index, answer in enumerate(answers):
        if isinstance(answer, RedisError) and (index in required or not _is_wrong_type(answer)):
            raise answer
    return answers


def _is_wrong_type(answer: RedisError) -> bool:
    return isinstance(answer, ResponseError) and str(answer).startswith("WRONGTYPE")


def _text(name: bytes) -> str:
    return name.decode("ascii", errors="replace")
