"""Coordinates and round-trip times in Redis: keys, records, and the delay that follows from them.

Times are those of the Redis server (its TIME), so that ages hold whatever a host's own clock says.

| key | type | content |
| --- | --- | --- |
| `PREFIX:latency:version` | string | the newest version that any agent writes |
| `PREFIX:latency:v1:members` | sorted set | host → when it last reported |
| `PREFIX:latency:v1:host:HOST` | string, expires | `HostCoordinate` as JSON |
| `PREFIX:latency:v1:rtts:TARGET` | hash, expires | source → `RttRecord` of its probes to TARGET |

Clusters that share a Redis have a PREFIX each; the reports' history uses the same one.
"""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import Count, Share, Time
from eyewall_contracts.redis_prefix import PREFIX, require_prefix

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION: Final = 1
FRESH_SECONDS: Final = 120.0
"""How long a pair that was probed has its measured delay."""
EXPIRY_SECONDS: Final = 60.0
"""How long a host's coordinate is used after its last report."""
LONGEST_RTT: Final = 60.0
"""Seconds; a longer one is a mistake."""
FARTHEST: Final = 600.0
"""Seconds on one axis; a coordinate beyond is a mistake."""
MOST_DIMENSIONS: Final = 16
LARGEST_VALUE: Final = 2_048
"""Bytes of one encoded record; a longer one is not looked into."""

DelayKind = Literal["measured", "estimated", "unknown"]
Rtt = Annotated[float, Meta(ge=0.0, le=LONGEST_RTT, description="a number of seconds from 0 to 60")]
Axis = Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST, description="seconds from -600 to 600")]


@dataclass(frozen=True, slots=True)
class LatencyKeys:
    """The keys of one Storm cluster; ContractError if there can be no such prefix."""

    prefix: str = PREFIX

    def __post_init__(self) -> None:
        require_prefix(self.prefix)

    @property
    def version(self) -> str:
        """The key of the newest version that any agent writes."""
        return f"{self.prefix}:latency:version"

    @property
    def members(self) -> str:
        """The sorted set of hosts."""
        return f"{self.prefix}:latency:v{VERSION}:members"

    def host(self, host: str) -> str:
        """Return the key of a host's own record."""
        return f"{self.prefix}:latency:v{VERSION}:host:{host}"

    def rtts(self, target: str) -> str:
        """Return the key of what others measured to `target`."""
        return f"{self.prefix}:latency:v{VERSION}:rtts:{target}"


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A place in the latency space.

    Parameters
    ----------
    position
        Seconds on each axis.
    height
        Seconds from the host to the network's core: part of every distance from it.
    """

    position: tuple[float, ...]
    height: float

    def distance(self, other: Coordinate) -> float:
        """Return the round-trip time to expect, in seconds."""
        return math.dist(self.position, other.position) + self.height + other.height


class HostCoordinate(Struct, frozen=True):
    """Where a host is in the latency space, and where it can be probed."""

    address: str
    """An IP address."""
    port: Annotated[int, Meta(ge=1, le=65_535, description="a TCP port from 1 to 65535")]
    """Accepts connections, and closes them."""
    position: Annotated[
        tuple[Axis, ...],
        Meta(min_length=1, max_length=MOST_DIMENSIONS, description="a list of 1 to 16 numbers"),
    ]
    """Seconds on each axis."""
    at: Time
    """Redis's time when it was written."""
    height: Annotated[float, Meta(ge=0.0, le=FARTHEST, description="seconds from 0 to 600")] = 0.0
    """Seconds from the host to the network's core."""
    error: Share = 1.0
    """How far the coordinate is off the known RTTs, as a fraction of them (their median)."""
    resets: Count = 0
    """How often the host began again because its coordinate was unsound."""

    @property
    def coordinate(self) -> Coordinate:
        """The host's place."""
        return Coordinate(self.position, self.height)


class RttRecord(Struct, frozen=True):
    """What one host's probes to another one measured."""

    seconds: Rtt = field(name="rtt")
    """Smoothed round-trip time."""
    spread: Rtt
    """Median distance of the last samples from their median, in seconds."""
    at: Time
    """Redis's time at the last sample."""


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay from one host to another, one way, and how much it is worth.

    Parameters
    ----------
    seconds
        Half a round-trip time; None where it is unknown, which is never zero.
    kind
        Whether it was measured lately, or is the distance of two coordinates.
    age
        Seconds since its source was measured or written.
    confidence
        0 (nothing is known) to 1.
    spread
        Seconds that it may be off without any change: the scatter of its samples, one way, or the
        two coordinates' own errors.
    """

    seconds: float | None
    kind: DelayKind
    age: float
    confidence: float
    spread: float


UNKNOWN = Delay(None, "unknown", math.inf, 0.0, 0.0)


def is_rtt(seconds: float) -> bool:
    """Whether a round trip can take so long; with a coarse clock it can take 0."""
    return 0.0 <= seconds <= LONGEST_RTT  # false for NaN


def is_sound(coordinate: Coordinate) -> bool:
    """Tell whether all of a coordinate is finite and in range."""
    return (
        1 <= len(coordinate.position) <= MOST_DIMENSIONS
        and all(-FARTHEST <= axis <= FARTHEST for axis in coordinate.position)
        and 0.0 <= coordinate.height <= FARTHEST
    )


@lru_cache(maxsize=4_096)
def is_probeable(address: str, port: int) -> bool:
    """Tell whether a host's address is that of one machine."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    one_machine = not (ip.is_multicast or ip.is_unspecified or ip.is_reserved)
    return one_machine and str(ip) != "255.255.255.255" and 0 < port < 65_536


def encode_host(record: HostCoordinate) -> bytes:
    """Write a host's coordinate; ContractError if it must not be written."""
    return HOST_CODEC.encode(
        replace(
            record,
            at=round(record.at, 3),
            position=tuple(round(axis, 7) for axis in record.position),
            height=round(record.height, 7),
            error=round(record.error, 4),
        )
    )


def encode_rtt(record: RttRecord) -> bytes:
    """Write what probes measured; ContractError if it must not be written."""
    return RTT_CODEC.encode(
        RttRecord(round(record.seconds, 7), round(record.spread, 7), round(record.at, 3))
    )


def newer_version(value: bytes | None) -> int | None:
    """Return the version that someone writes, if it is newer than what is read here."""
    if value is None or not value.isdigit() or len(value) > 9 or int(value) <= VERSION:
        return None
    return int(value)


def delay_between(
    source: HostCoordinate | None,
    target: HostCoordinate | None,
    probed: Mapping[str, RttRecord],
    *,
    now: float,
) -> Delay:
    """Return the delay between two hosts: as measured while that is fresh, else as estimated.

    Parameters
    ----------
    source, target
        The records of both hosts, as far as there are any.
    probed
        What the two ends' own probes to each other came to, by the end that probed.
    now
        Redis's time.
    """
    latest = max(probed.values(), key=lambda it: it.at, default=None)
    if latest is not None:
        age = max(0.0, now - latest.at)
        if age <= FRESH_SECONDS:
            steady = latest.seconds / (latest.seconds + latest.spread) if latest.spread else 1.0
            aged = 1.0 - 0.5 * age / FRESH_SECONDS
            confidence = steady * aged
            return Delay(latest.seconds / 2, "measured", age, confidence, latest.spread / 2)
    if source is None or target is None:
        return UNKNOWN
    age = max(0.0, now - min(source.at, target.at))
    same_space = len(source.coordinate.position) == len(target.coordinate.position)
    if age > EXPIRY_SECONDS or not same_space:
        return UNKNOWN
    doubt = min(1.0, source.error + target.error)
    aged = 1.0 - 0.5 * age / EXPIRY_SECONDS
    seconds = source.coordinate.distance(target.coordinate) / 2
    return Delay(seconds, "estimated", age, (1.0 - doubt) * aged, seconds * doubt)


def _require_address(record: HostCoordinate) -> None:
    if not is_probeable(record.address, record.port):
        raise ContractError(
            f"coordinate: address is {record.address!r:.80}; it must be the IP address of one host"
        )


HOST_CODEC: Final = RecordCodec(
    "coordinate",
    HostCoordinate,
    version=VERSION,
    version_key="v",
    most_bytes=LARGEST_VALUE,
    check=_require_address,
)
RTT_CODEC: Final = RecordCodec(
    "RTT", RttRecord, version=VERSION, version_key="v", most_bytes=LARGEST_VALUE
)
decode_host: Final = HOST_CODEC.decode
decode_rtt: Final = RTT_CODEC.decode
