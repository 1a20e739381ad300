"""The contract on Redis: every key, every encoding, and how a delay is read from them.

Imports nothing else of ours, so that any reader may import it. Times are those of the Redis
server (its TIME), so that ages hold whatever the hosts' own clocks say.

| key | type | content |
| --- | --- | --- |
| `PREFIX:latency:version` | string | the newest version that anyone writes |
| `PREFIX:latency:v1:members` | sorted set | host → when it last gave a sign of life |
| `PREFIX:latency:v1:host:HOST` | string, expires | `HostRecord` as JSON |
| `PREFIX:latency:v1:rtts:TARGET` | hash, expires | source → `RttRecord` of its probes to TARGET |

Clusters that share a Redis have a PREFIX each (`Keys`); it is the monitor's, under the same rules.
"""

import ipaddress
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NoReturn

VERSION = 1
PREFIX = "eyewall"

FRESH_SECONDS = 120.0
"""How long a pair that was probed has its measured delay, unless a reader says otherwise."""
EXPIRY_SECONDS = 60.0
"""How long a host's coordinate is used after its last sign of life, unless a reader says so."""
LONGEST_RTT = 60.0
"""Seconds; what claims to be longer is a mistake."""
FARTHEST = 600.0
"""Seconds on one axis; a coordinate beyond is a mistake."""
MOST_DIMENSIONS = 16
LARGEST_VALUE = 2_048
"""Bytes of one encoded record; a longer one is not looked into."""

HOST_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})")
_PREFIX = re.compile(r"[A-Za-z0-9_.-]{1,100}(?::[A-Za-z0-9_.-]{1,100}){0,8}")

type_of_delay = Literal["measured", "estimated", "unknown"]


class ContractError(ValueError):
    """A value that this version of the contract does not allow; says which and why."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one Storm cluster; ContractError if there can be no such prefix."""

    prefix: str = PREFIX

    def __post_init__(self) -> None:
        if _PREFIX.fullmatch(self.prefix) is None:
            raise ContractError(
                f"prefix {self.prefix!r:.100}: it must be like {PREFIX} or storm-1:{PREFIX}"
            )

    @property
    def version(self) -> str:
        """The key of the newest version that anyone writes."""
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

    def distance(self, other: "Coordinate") -> float:
        """Return the round-trip time to expect, in seconds."""
        return math.dist(self.position, other.position) + self.height + other.height


@dataclass(frozen=True, slots=True)
class HostRecord:
    """What a host says of itself.

    Parameters
    ----------
    address, port
        Where it may be probed: an IP address, and a TCP port that accepts connections.
    coordinate
        Where it believes to be.
    error
        How far its coordinate is off the RTTs it knows, as a fraction of them (their median).
    resets
        How often it had to start anew because its coordinate was unsound.
    at
        Redis's time when it was written.
    """

    address: str
    port: int
    coordinate: Coordinate
    error: float
    resets: int
    at: float


@dataclass(frozen=True, slots=True)
class RttRecord:
    """What one host's probes to another one came to.

    Parameters
    ----------
    seconds
        Smoothed round-trip time.
    spread
        Seconds that the last samples differ from their median, in the median.
    at
        Redis's time at the last sample.
    """

    seconds: float
    spread: float
    at: float


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
        Seconds since what it rests on was measured or written.
    confidence
        0 (know nothing) to 1.
    spread
        Seconds that it may well be off without anything having changed: what samples scatter,
        one way, or what the two coordinates' own errors come to.
    """

    seconds: float | None
    kind: type_of_delay
    age: float
    confidence: float
    spread: float


UNKNOWN = Delay(None, "unknown", math.inf, 0.0, 0.0)


def is_host_name(name: str) -> bool:
    """Tell whether a host may be called so."""
    return HOST_NAME.fullmatch(name) is not None


def is_rtt(seconds: float) -> bool:
    """Tell whether a round trip can have taken so long; zero is a coarse clock's right."""
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


def encode_host(record: HostRecord) -> bytes:
    """Write a host's record; ContractError if it must not be written."""
    _check_host(record)
    return _encode(
        {
            "v": VERSION,
            "at": round(record.at, 3),
            "address": record.address,
            "port": record.port,
            "position": [round(axis, 7) for axis in record.coordinate.position],
            "height": round(record.coordinate.height, 7),
            "error": round(record.error, 4),
            "resets": record.resets,
        }
    )


def decode_host(value: bytes) -> HostRecord:
    """Read a host's record; ContractError says what is wrong with it."""
    fields = _decode(value)
    position = fields.get("position")
    if not isinstance(position, list) or len(position) > MOST_DIMENSIONS:
        raise ContractError(f"position: {_short(position)} is no list of numbers")
    record = HostRecord(
        address=_text(fields, "address"),
        port=_whole(fields, "port"),
        coordinate=Coordinate(
            tuple(_as_number("position", axis) for axis in position), _number(fields, "height")
        ),
        error=_number(fields, "error"),
        resets=_whole(fields, "resets"),
        at=_number(fields, "at"),
    )
    _check_host(record)
    return record


def encode_rtt(record: RttRecord) -> bytes:
    """Write what probes came to; ContractError if it must not be written."""
    _check_rtt(record)
    return _encode(
        {
            "v": VERSION,
            "at": round(record.at, 3),
            "rtt": round(record.seconds, 7),
            "spread": round(record.spread, 7),
        }
    )


def decode_rtt(value: bytes) -> RttRecord:
    """Read what probes came to; ContractError says what is wrong with it."""
    fields = _decode(value)
    record = RttRecord(_number(fields, "rtt"), _number(fields, "spread"), _number(fields, "at"))
    _check_rtt(record)
    return record


def newer_version(value: bytes | None) -> int | None:
    """Return the version that someone writes, if it is newer than what is read here."""
    if value is None or not value.isdigit() or len(value) > 9 or int(value) <= VERSION:
        return None
    return int(value)


def delay_between(
    source: HostRecord | None,
    target: HostRecord | None,
    probed: Mapping[str, RttRecord],
    *,
    now: float,
    fresh_seconds: float = FRESH_SECONDS,
    expiry_seconds: float = EXPIRY_SECONDS,
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
    fresh_seconds
        How old a measured delay may be.
    expiry_seconds
        How long after its last sign of life a host's coordinate may be used.
    """
    latest = max(probed.values(), key=lambda it: it.at, default=None)
    if latest is not None:
        age = max(0.0, now - latest.at)
        if age <= fresh_seconds:
            steady = latest.seconds / (latest.seconds + latest.spread) if latest.spread else 1.0
            aged = 1.0 - 0.5 * age / fresh_seconds
            confidence = steady * aged
            return Delay(latest.seconds / 2, "measured", age, confidence, latest.spread / 2)
    if source is None or target is None:
        return UNKNOWN
    age = max(0.0, now - min(source.at, target.at))
    same_space = len(source.coordinate.position) == len(target.coordinate.position)
    if age > expiry_seconds or not same_space:
        return UNKNOWN
    doubt = min(1.0, source.error + target.error)
    aged = 1.0 - 0.5 * age / expiry_seconds
    seconds = source.coordinate.distance(target.coordinate) / 2
    return Delay(seconds, "estimated", age, (1.0 - doubt) * aged, seconds * doubt)


def _check_host(record: HostRecord) -> None:
    if not is_probeable(record.address, record.port):
        raise ContractError(
            f"address: {_short(record.address)} port {record.port} is not that of one machine"
        )
    if not is_sound(record.coordinate):
        raise ContractError(f"coordinate: {_short(record.coordinate)} is not finite or too far")
    if not 0.0 <= record.error <= 1.0:
        raise ContractError(f"error: {record.error} is not from 0 to 1")
    if record.resets < 0:
        raise ContractError(f"resets: {record.resets} is less than 0")
    _check_time(record.at)


def _check_rtt(record: RttRecord) -> None:
    if not is_rtt(record.seconds):
        raise ContractError(f"rtt: {record.seconds} is not from 0 to {LONGEST_RTT:g} s")
    if not is_rtt(record.spread):
        raise ContractError(f"spread: {record.spread} is not from 0 to {LONGEST_RTT:g} s")
    _check_time(record.at)


def _check_time(at: float) -> None:
    if not 0.0 <= at < 1e11:
        raise ContractError(f"at: {at} is no time since the epoch, in seconds")


def _encode(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, allow_nan=False, separators=(",", ":")).encode()


def _decode(value: bytes) -> dict[str, Any]:
    if len(value) > LARGEST_VALUE:
        raise ContractError(f"{len(value)} bytes; a record has at most {LARGEST_VALUE}")
    try:
        fields = json.loads(value, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ContractError(f"no JSON: {error}") from None
    if not isinstance(fields, dict):
        raise ContractError(f"{_short(fields)} is no JSON object")
    if fields.get("v") != VERSION:
        raise ContractError(f"v: {_short(fields.get('v'))} is not {VERSION}, which is read here")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ContractError(f"{name} is no number")


def _number(fields: dict[str, Any], key: str) -> float:
    return _as_number(key, fields.get(key))


def _as_number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ContractError(f"{key}: {_short(value)} is no number")
    try:
        return float(value)
    except OverflowError:
        raise ContractError(f"{key}: {_short(value)} is too large") from None


def _whole(fields: dict[str, Any], key: str) -> int:
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ContractError(f"{key}: {_short(value)} is no whole number")
    return value


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        raise ContractError(f"{key}: {_short(value)} is no text")
    return value


def _short(value: object) -> str:
    return repr(value)[:60]
