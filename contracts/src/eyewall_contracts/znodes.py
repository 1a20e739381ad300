"""Every znode of Eyewall's: its path and what it holds.

| znode | written by | holds |
| --- | --- | --- |
| ROOT/v1/samples/HOST | the agent of that host; ephemeral | the latest `Sample` |
| ROOT/v1/rates/TOPOLOGY | the rates job | a document: that topology's data rates |
| ROOT/v1/decisions/DAY/ID | the sidecar | a document: a `DecisionRecord`; DAY is of UTC |
| ROOT/v1/switches | operators | a document: `Switches` |

A document is a JSON object with the version of what it holds, and bounded in size. ROOT is
`/eyewall` unless several Storm clusters share one ZooKeeper.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.checked import HOST

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = "/eyewall"
VERSION: Final = 1
MOST_BYTES: Final = 512 * 1024

_ROOT: Final = re.compile(r"(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){1,8}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TOPOLOGY: Final = re.compile(r"[^/\s\x00-\x1f\x7f-\x9f.][^/\s\x00-\x1f\x7f-\x9f]{0,254}")


class ZnodeError(ValueError):
    """A path that cannot be, or bytes that are no such document; says why."""


class NewerVersionError(ZnodeError):
    """A document of a later version than this reader knows."""


@dataclass(frozen=True, slots=True)
class Znodes:
    """The paths of one Storm cluster."""

    root: str = ROOT

    def __post_init__(self) -> None:
        if _ROOT.fullmatch(self.root) is None:
            raise ZnodeError(
                f"ZooKeeper root {self.root!r:.100}: it must be like {ROOT} or /storm-1/eyewall"
            )

    @property
    def samples(self) -> str:
        """Parent of the hosts' samples."""
        return f"{self.root}/v{VERSION}/samples"

    def sample(self, host: str) -> str:
        """Where a host's latest sample is (`sample.encode`, `sample.decode`)."""
        if HOST.fullmatch(host) is None:
            raise ZnodeError(f"host {host!r:.100}: no name for a znode")
        return f"{self.samples}/{host}"

    @property
    def all_rates(self) -> str:
        """Parent of the topologies' rates."""
        return f"{self.root}/v{VERSION}/rates"

    def rates(self, topology: str) -> str:
        """Where the rates of a topology are; it is named by Storm's id of it."""
        if _TOPOLOGY.fullmatch(topology) is None:
            raise ZnodeError(f"topology {topology!r:.100}: no name for a znode")
        return f"{self.all_rates}/{topology}"

    @property
    def decisions(self) -> str:
        """Parent of the days."""
        return f"{self.root}/v{VERSION}/decisions"

    def decisions_of(self, day: str) -> str:
        """Parent of the decisions of one day, such as 2026-01-31."""
        if not is_day(day):
            raise ZnodeError(f"day {day!r:.40}: it must be like 2026-01-31")
        return f"{self.decisions}/{day}"

    @property
    def switches(self) -> str:
        """Where the switches are."""
        return f"{self.root}/v{VERSION}/switches"


def is_day(text: str) -> bool:
    """Whether this is a day such as 2026-01-31."""
    return _DAY.fullmatch(text) is not None


def encode_document(content: Mapping[str, Any], version: int = VERSION) -> bytes:
    """JSON of a document; ZnodeError if it is too large for a znode or no JSON."""
    try:
        text = json.dumps({"version": version, **content}, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ZnodeError(f"document: {error}") from None
    if len(text) > MOST_BYTES:
        raise ZnodeError(f"document: {len(text)} bytes; at most {MOST_BYTES}")
    return text.encode("ascii")


def decode_document(data: bytes, version: int = VERSION) -> dict[str, Any]:
    """Read a document; what is in it is the reader's to check."""
    if len(data) > MOST_BYTES:
        raise ZnodeError(f"document: {len(data)} bytes; at most {MOST_BYTES}")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ZnodeError(f"document: not JSON: {error}") from None
    if not isinstance(content, dict):
        raise ZnodeError("document: not a JSON object")
    found = content.pop("version", None)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ZnodeError(f"document: version {found!r:.50}; this reader knows {version}")
    if found > version:
        raise NewerVersionError(f"document: version {found}; this reader knows {version}")
    return content
