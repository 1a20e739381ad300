"""What the latency agents of a running cluster have written to Redis."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_contracts.stores.redis_client import RedisAwayError

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from eyewall_contracts.latency import HostCoordinate, RttRecord

    from eyewall_deploy.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class LatencyRecords:
    """Records as they were at one moment.

    Parameters
    ----------
    now
        Redis's time.
    hosts
        Each host's own record.
    rtts
        Target → source → what the source's probes to the target measured.
    unreadable
        How many values the contract does not allow; they are left out.
    """

    now: float
    hosts: Mapping[str, HostCoordinate]
    rtts: Mapping[str, Mapping[str, RttRecord]]
    unreadable: int

    def probed(self, a: str, b: str) -> dict[str, RttRecord]:
        """What the two hosts' probes to each other measured, by the one that probed."""
        ends = {a: self.rtts.get(b, {}).get(a), b: self.rtts.get(a, {}).get(b)}
        return {source: record for source, record in ends.items() if record is not None}


def read(endpoint: Endpoint, prefix: str, hosts: Collection[str]) -> LatencyRecords | Failure:
    """Read all that is known of these hosts."""
    try:
        with closing(LatencyStore(f"redis://{endpoint}/0", prefix)) as store:
            found = store.read_hosts()
            rtts, left_out = store.read_rtts({it: [x for x in hosts if x != it] for it in hosts})
    except RedisAwayError as error:
        return Failure(f"no answer from Redis at {endpoint}: {error}")
    known = {it: record for it, record in found.coordinates.items() if it in hosts}
    return LatencyRecords(found.now, known, rtts, len(found.left_out) + len(left_out))
