"""The registry on Redis: one agent's view of the hosts, and what it writes.

Four round trips a round, whatever the number of hosts.
"""

import socket
from collections.abc import Mapping

from eyewall_contracts.latency import (
    VERSION,
    HostCoordinate,
    RttRecord,
    decode_rtt,
    encode_host,
    encode_rtt,
)
from eyewall_contracts.stores.latency_store import DecodedValues, LatencyStore
from eyewall_contracts.stores.redis_client import redis_errors

from eyewall_latency.registry import RegistryView

MEMBERS_KEPT = 10
"""Times the expiry that a dead host stays in the sorted set; readers look at its score."""


class RedisRegistry:
    """One host's connection to the registry. All raise RedisAwayError if Redis is away.

    Parameters
    ----------
    store
        Of the Storm cluster.
    expiry_seconds
        How long after its last report a host is dead.
    rtt_seconds
        How long RTTs are kept after the last probe.
    """

    def __init__(self, store: LatencyStore, expiry_seconds: float, rtt_seconds: float) -> None:
        self._store = store
        self._expiry = expiry_seconds
        self._rtt_seconds = rtt_seconds
        self._reports: DecodedValues[RttRecord] = DecodedValues(decode_rtt)
        self.newer_version: int | None = None
        self.rejected = 0
        """How many values of others the contract did not allow."""

    def read(self, host: str) -> RegistryView:
        """Return the registry as `host` reads it now."""
        found = self._store.read_hosts(within=self._expiry)
        self.newer_version = found.newer_version
        ((_, reports),) = self._store.fetch_rtts([host])
        values = {} if isinstance(reports, str) else reports
        named = ((it.decode("ascii", errors="replace"), value) for it, value in values.items())
        known = self._reports.decode(it for it in named if it[0] in found.coordinates)
        self.rejected = self._store.rejected + self._reports.rejected
        return RegistryView(found.now, found.coordinates, known)

    def write(self, host: str, record: HostCoordinate, rtts: Mapping[str, RttRecord]) -> None:
        """Keep the host's own record, and what its probes measured, by target."""
        value = encode_host(record)
        reports = {target: encode_rtt(rtt) for target, rtt in rtts.items()}
        keys = self._store.keys
        with redis_errors(), self._store.redis.pipeline(transaction=False) as pipe:
            if self.newer_version is None:
                pipe.set(keys.version, VERSION)
            pipe.set(keys.host(host), value, px=int(self._expiry * 1000))
            pipe.zadd(keys.members, {host: record.at})
            for target, report in reports.items():
                pipe.hset(keys.rtts(target), host, report)
                pipe.pexpire(keys.rtts(target), int(self._rtt_seconds * 1000))
            pipe.execute()

    def tidy(self, host: str, now: float) -> None:
        """Drop hosts long dead, and old reports to `host`."""
        old = [
            source
            for source, report in self._reports.records.items()
            if report.at < now - self._rtt_seconds
        ]
        keys = self._store.keys
        with redis_errors(), self._store.redis.pipeline(transaction=False) as pipe:
            pipe.zremrangebyscore(keys.members, "-inf", now - MEMBERS_KEPT * self._expiry)
            if old:
                pipe.hdel(keys.rtts(host), *old)
            pipe.execute()

    def leave(self, host: str) -> None:
        """Remove `host`, as an agent that ends does; what it measured expires by itself."""
        keys = self._store.keys
        with redis_errors(), self._store.redis.pipeline(transaction=False) as pipe:
            pipe.zrem(keys.members, host)
            pipe.delete(keys.host(host))
            pipe.execute()

    def local_address(self) -> str:
        """Return the address of this machine from which Redis is reached; OSError if none is."""
        server = self._store.redis.connection_pool.connection_kwargs
        if "path" in server:
            raise OSError("a unix socket has no address; set [probe] address")
        found = socket.getaddrinfo(server["host"], server["port"], type=socket.SOCK_DGRAM)
        (family, _, _, _, there) = found[0]
        with socket.socket(family, socket.SOCK_DGRAM) as unsent:  # connecting sends nothing
            unsent.connect(there)
            return str(unsent.getsockname()[0])

    def close(self) -> None:
        """End the connection."""
        self._store.close()
