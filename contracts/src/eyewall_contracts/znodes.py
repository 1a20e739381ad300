"""The paths of Eyewall's znodes, and what each znode holds.

| znode | written by | holds |
| --- | --- | --- |
| ROOT/v1/samples/HOST | the agent of that host; ephemeral | the latest `Sample` |
| ROOT/v1/rates/TOPOLOGY | the rates job | that topology's `Rates` |
| ROOT/v1/decisions/DAY/ID | the sidecar | a `DecisionRecord`; DAY is of UTC |
| ROOT/v1/switches | operators | `Switches` |
| ROOT/v1/waits | the sidecar | a `WaitRecord` |
| ROOT/v1/crossings | the sidecar | a `CrossingCostRecord` |
| ROOT/v1/starts | the sidecar | a `WorkerStartRecord` |

Each holds one record as JSON (`codec`). ROOT is `/eyewall` unless several Storm clusters share one
ZooKeeper.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name

ROOT: Final = "/eyewall"
VERSION: Final = 1

_ROOT: Final = re.compile(r"(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){1,8}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TOPOLOGY: Final = re.compile(
    r"[^/\s\x00-\x1f\x7f-\x9f\ud800-\udfff.][^/\s\x00-\x1f\x7f-\x9f\ud800-\udfff]{0,254}"
)


@dataclass(frozen=True, slots=True)
class Znodes:
    """The paths of one Storm cluster."""

    root: str = ROOT

    def __post_init__(self) -> None:
        if _ROOT.fullmatch(self.root) is None:
            raise ContractError(
                f"ZooKeeper root {self.root!r:.100}: it must be like {ROOT} or /storm-1/eyewall"
            )

    @property
    def samples(self) -> str:
        """Parent of the hosts' samples."""
        return f"{self.root}/v{VERSION}/samples"

    def sample(self, host: str) -> str:
        """Where a host's latest sample is."""
        if not is_host_name(host):
            raise ContractError(f"host {host!r:.100}: it must be a host's name")
        return f"{self.samples}/{host}"

    @property
    def all_rates(self) -> str:
        """Parent of the topologies' rates."""
        return f"{self.root}/v{VERSION}/rates"

    def rates(self, topology: str) -> str:
        """Where the rates of a topology are; it is named by Storm's id of it."""
        if _TOPOLOGY.fullmatch(topology) is None:
            raise ContractError(
                f"topology {topology!r:.100}: it must be an id without slash, space or leading dot"
            )
        return f"{self.all_rates}/{topology}"

    @property
    def decisions(self) -> str:
        """Parent of the days."""
        return f"{self.root}/v{VERSION}/decisions"

    def decisions_of(self, day: str) -> str:
        """Parent of the decisions of one day, such as 2026-01-31."""
        if not is_day(day):
            raise ContractError(f"day {day!r:.40}: it must be like 2026-01-31")
        return f"{self.decisions}/{day}"

    @property
    def switches(self) -> str:
        """Where the switches are."""
        return f"{self.root}/v{VERSION}/switches"

    @property
    def waits(self) -> str:
        """Where what was learned of waits for CPU is."""
        return f"{self.root}/v{VERSION}/waits"

    @property
    def crossings(self) -> str:
        """Where what was learned of the cost of crossings is."""
        return f"{self.root}/v{VERSION}/crossings"

    @property
    def starts(self) -> str:
        """Where what was learned of workers' starts is."""
        return f"{self.root}/v{VERSION}/starts"


def is_day(text: str) -> bool:
    """Whether this is a day such as 2026-01-31."""
    return _DAY.fullmatch(text) is not None
