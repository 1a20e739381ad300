"""The registry on Redis: the hosts' records and RTTs, as the contract lays them down.

Three round trips a round, whatever the number of hosts. What another one wrote and the contract
does not allow is counted and left out; it harms nobody.
"""

import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.latency import (
    VERSION,
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    decode_host,
    decode_rtt,
    encode_host,
    encode_rtt,
    newer_version,
)
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from eyewall_latency.registry import View

TIMEOUT = 2.0
"""Seconds for connecting, and for an answer."""
MOST_HOSTS = 10_000
"""Members that are looked at: a bound on what a store gone wrong can cost."""
MEMBERS_KEPT = 10
"""Times the expiry that a dead host stays in the sorted set; readers look at its score."""

Record = TypeVar("Record", HostCoordinate, RttRecord)


class RegistryAwayError(Exception):
    """Redis does not answer, or not as it should; says why."""


class RedisRegistry:
    """One host's connection to the registry.

    Parameters
    ----------
    url
        Of the Redis server: redis://, rediss:// or unix://.
    keys
        Of the Storm cluster.
    expiry_seconds
        How long after its last sign of life a host is dead.
    rtt_seconds
        How long RTTs are kept after the last probe.
    """

    def __init__(
        self, url: str, keys: LatencyKeys, expiry_seconds: float, rtt_seconds: float
    ) -> None:
        """Connect when first used; ValueError if redis-py cannot make anything of `url`."""
        self._keys = keys
        self._redis: Any = Redis.from_url(
            url,
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            retry=Retry(NoBackoff(), 0),
        )
        self._expiry = expiry_seconds
        self._rtt_seconds = rtt_seconds
        self._hosts: _Decoded[HostCoordinate] = _Decoded(decode_host)
        self._reports: _Decoded[RttRecord] = _Decoded(decode_rtt)
        self.newer_version: int | None = None

    @property
    def rejected(self) -> int:
        """How many values of others the contract did not allow."""
        return self._hosts.rejected + self._reports.rejected

    def read(self, host: str) -> View:
        """Return what `host` is told now."""
        with _away(), self._redis.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.get(self._keys.version)
            pipe.hgetall(self._keys.rtts(host))
            pipe.zrange(self._keys.members, 0, MOST_HOSTS - 1, desc=True, withscores=True)
            (seconds, micros), version, reports, members = pipe.execute()
            now = seconds + micros / 1e6
            names = [_text(name) for name, at in members if at >= now - self._expiry]
            names = [name for name in names if is_host_name(name)]
            values = self._redis.mget([self._keys.host(it) for it in names]) if names else []
        self.newer_version = newer_version(version)
        hosts = self._hosts.take(zip(names, values, strict=True))
        named = ((_text(source), value) for source, value in reports.items())
        return View(now, hosts, self._reports.take(it for it in named if it[0] in hosts))

    def write(self, host: str, record: HostCoordinate, rtts: Mapping[str, RttRecord]) -> None:
        """Keep what `host` says of itself, and what its probes came to, by target."""
        value = encode_host(record)
        reports = {target: encode_rtt(rtt) for target, rtt in rtts.items()}
        with _away(), self._redis.pipeline(transaction=False) as pipe:
            if self.newer_version is None:
                pipe.set(self._keys.version, VERSION)
            pipe.set(self._keys.host(host), value, px=int(self._expiry * 1000))
            pipe.zadd(self._keys.members, {host: record.at})
            for target, report in reports.items():
                pipe.hset(self._keys.rtts(target), host, report)
                pipe.pexpire(self._keys.rtts(target), int(self._rtt_seconds * 1000))
            pipe.execute()

    def tidy(self, host: str, now: float) -> None:
        """Drop hosts long dead, and old reports to `host`."""
        old = [
            source
            for source, report in self._reports.records.items()
            if report.at < now - self._rtt_seconds
        ]
        with _away(), self._redis.pipeline(transaction=False) as pipe:
            dead = now - MEMBERS_KEPT * self._expiry
            pipe.zremrangebyscore(self._keys.members, "-inf", dead)
            if old:
                pipe.hdel(self._keys.rtts(host), *old)
            pipe.execute()

    def leave(self, host: str) -> None:
        """Take `host` out, as an agent that ends does; what it measured expires by itself."""
        with _away(), self._redis.pipeline(transaction=False) as pipe:
            pipe.zrem(self._keys.members, host)
            pipe.delete(self._keys.host(host))
            pipe.execute()

    def local_address(self) -> str:
        """Return the address of this machine from which Redis is reached; OSError if none is."""
        server = self._redis.connection_pool.connection_kwargs
        if "path" in server:
            raise OSError("a unix socket tells no address; set [probe] address")
        found = socket.getaddrinfo(server["host"], server["port"], type=socket.SOCK_DGRAM)
        (family, _, _, _, there) = found[0]
        with socket.socket(family, socket.SOCK_DGRAM) as unsent:  # connecting sends nothing
            unsent.connect(there)
            return str(unsent.getsockname()[0])

    def close(self) -> None:
        """End the connection."""
        self._redis.close()


class _Decoded(Generic[Record]):
    """Decodes values, each only when it changed."""

    def __init__(self, decode: Callable[[bytes], Record]) -> None:
        self._decode: Callable[[bytes], Record] = decode
        self._values: dict[str, bytes] = {}
        self.records: dict[str, Record] = {}
        self.rejected = 0

    def take(self, values: Iterable[tuple[str, bytes | None]]) -> dict[str, Record]:
        """Return the records of those values that are there and allowed."""
        held = {name: value for name, value in values if value is not None}
        records: dict[str, Record] = {}
        for name, value in held.items():
            if self._values.get(name) == value:
                if name in self.records:
                    records[name] = self.records[name]
                continue
            try:
                records[name] = self._decode(value)
            except ContractError:
                self.rejected += 1
        self._values, self.records = held, records
        return records


@contextmanager
def _away() -> Iterator[None]:
    """Turn what redis raises into one error of ours."""
    try:
        yield
    except RedisError as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RegistryAwayError(reason) from None


def _text(name: bytes) -> str:
    return name.decode("ascii", errors="replace")
