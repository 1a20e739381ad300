"""What the latency agents of a running cluster have written to Redis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from eyewall_contracts.errors import ContractError
from eyewall_contracts.latency import (
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    decode_host,
    decode_rtt,
)
from redis import Redis
from redis.exceptions import RedisError

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyewall_deploy.endpoint import Endpoint

_SECONDS = 5.0
_Record = TypeVar("_Record", HostCoordinate, RttRecord)


@dataclass(frozen=True, slots=True)
class Registry:
    """Records as they were at one moment.

    Parameters
    ----------
    now
        Redis's time.
    hosts
        What each host says of itself.
    rtts
        Target → source → what the source's probes to the target came to.
    unreadable
        How many values the contract does not allow; they are left out.
    """

    now: float
    hosts: Mapping[str, HostCoordinate]
    rtts: Mapping[str, Mapping[str, RttRecord]]
    unreadable: int

    def probed(self, a: str, b: str) -> dict[str, RttRecord]:
        """What the two hosts' probes to each other came to, by the one that probed."""
        ends = {a: self.rtts.get(b, {}).get(a), b: self.rtts.get(a, {}).get(b)}
        return {source: record for source, record in ends.items() if record is not None}


def read(endpoint: Endpoint, prefix: str, hosts: Sequence[str]) -> Registry | Failure:
    """Read all that is known of these hosts, at once."""
    keys = LatencyKeys(prefix)
    client: Any = Redis(endpoint.host, endpoint.port, socket_timeout=_SECONDS)
    try:
        with client.pipeline(transaction=True) as pipe:
            pipe.time()
            pipe.mget([keys.host(host) for host in hosts])
            for host in hosts:
                pipe.hgetall(keys.rtts(host))
            (seconds, micros), records, *rtts = pipe.execute()
    except RedisError as error:
        return Failure(f"no answer from Redis at {endpoint}: {error}")
    finally:
        client.close()
    found = dict(zip(hosts, records, strict=True))
    known = _decoded(found, decode_host)
    to = {
        target: _decoded(
            {source.decode(errors="replace"): value for source, value in reports.items()}, _rtt
        )
        for target, reports in zip(hosts, rtts, strict=True)
    }
    there = sum(value is not None for value in records) + sum(map(len, rtts))
    unreadable = there - len(known) - sum(map(len, to.values()))
    return Registry(seconds + micros / 1e6, known, to, unreadable)


_rtt = decode_rtt


def _decoded(
    values: Mapping[str, bytes | None], decode: Callable[[bytes], _Record]
) -> dict[str, _Record]:
    records = {}
    for name, value in values.items():
        try:
            if value is not None:
                records[name] = decode(value)
        except ContractError:
            continue
    return records
