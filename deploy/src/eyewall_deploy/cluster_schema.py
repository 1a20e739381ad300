"""What a cluster file may hold: keys, types and ranges, in the file's own units."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

# A name becomes a host name, a network namespace and a folder.
NAME: Final = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
Name = Annotated[str, Field(pattern=NAME)]
# What begins with a digit may be read as an address: the host 10 would be 0.0.0.10.
HostName = Annotated[str, Field(pattern=NAME.replace("[a-z0-9]", "[a-z]", 1))]
Milliseconds = Annotated[float, Field(ge=0, le=60_000)]
Mbit = Annotated[float, Field(gt=0, le=1_000_000)]
Pair = Annotated[list[Name], Field(min_length=2, max_length=2)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class SiteTable(_Table):
    """One `[[sites]]`."""

    name: Name


class HostTable(_Table):
    """One `[[hosts]]`."""

    name: HostName
    site: Name
    slots: int = Field(ge=1, le=64)
    cpu: float = Field(default=1.0, gt=0, le=1024)
    memory_mb: int = Field(default=1024, ge=64)
    labels: list[Name] = []
    availability: float = Field(default=1.0, gt=0, le=1)
    speed: float = Field(default=1.0, gt=0, le=16)
    uplink_mbit: Mbit | None = None
    downlink_mbit: Mbit | None = None


class DelayTable(_Table):
    """One `[[delays]]`; either `between`, or `from` and `to`."""

    between: Pair | None = None
    source: Name | None = Field(default=None, alias="from")
    target: Name | None = Field(default=None, alias="to")
    one_way_ms: Milliseconds
    deviation_ms: Milliseconds = 0.0
    bandwidth_mbit: Mbit | None = None


class DedicatedTable(_Table):
    """One `[[dedicated]]`: a leased line between two hosts, the same both ways."""

    between: Pair
    one_way_ms: Milliseconds
    bandwidth_mbit: Mbit
    price_per_mb: float = Field(default=0.0, ge=0, le=1_000_000)


class PublicTable(_Table):
    """The `[public]` table; without it the public network is steady."""

    log2_deviation: float = Field(default=1.0, ge=0, le=4)
    redrawn_every_ms: float = Field(default=10.0, ge=1, le=60_000)


class ClusterTable(_Table):
    """The whole file."""

    version: int = Field(ge=1, le=1)
    name: Name
    executors_per_slot: int = Field(default=4, ge=1, le=1024)
    cpu_scale: float = Field(default=1.0, gt=0, le=16)
    sites: list[SiteTable] = Field(min_length=1)
    hosts: list[HostTable] = Field(min_length=1, max_length=1024)
    delays: list[DelayTable] = []
    dedicated: list[DedicatedTable] = []
    public: PublicTable | None = None
