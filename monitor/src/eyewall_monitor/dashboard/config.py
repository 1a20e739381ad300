"""The configuration of `eyewall-monitor dashboard`: a TOML file in which every key is optional."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, ClassVar

from eyewall_contracts.redis_prefix import PREFIX
from eyewall_contracts.znodes import ROOT
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from eyewall_monitor import config_file
from eyewall_monitor.addresses import (
    ListenAddress,
    RedisPrefix,
    RedisUrl,
    Root,
    Servers,
    split_address,
)
from eyewall_monitor.config_file import Section

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,252}")


def _sidecar_address(text: str) -> str:
    address = split_address(text)
    if address is None or address[1] == 0:
        raise PydanticCustomError("address", "it must be HOST:PORT, with […] around IPv6")
    return text


def _host_name(text: str) -> str:
    if _NAME.fullmatch(text) is None:
        allowed = "it must be a name without scheme and port, such as dash.example.com"
        raise PydanticCustomError("name", allowed)
    return text


class SidecarAddress(Section):
    """Who is asked for plans and reasons."""

    address: Annotated[str, AfterValidator(_sidecar_address)] = "127.0.0.1:7077"


class DashboardZooKeeper(Section):
    """Where reports, rates, decisions and switches are."""

    servers: Servers | None = None
    root: Root = ROOT


class DashboardRedis(Section):
    """Where coordinates, RTTs and the history of reports are."""

    secret: ClassVar = frozenset({"url"})

    url: RedisUrl | None = None
    prefix: RedisPrefix = PREFIX


class Access(Section):
    """What people may do, and under which names they find it."""

    read_only: bool = False
    allowed_hosts: tuple[Annotated[str, AfterValidator(_host_name)], ...] = Field(
        default=(), strict=False
    )
    """Names under which browsers reach it, in addition to addresses and localhost."""


class DashboardConfig(Section):
    """The whole file."""

    listen: ListenAddress = "127.0.0.1:8089"
    sidecar: SidecarAddress = SidecarAddress()
    zookeeper: DashboardZooKeeper = DashboardZooKeeper()
    redis: DashboardRedis = DashboardRedis()
    access: Access = Access()


def read_config(path: Path | None) -> DashboardConfig:
    """Read the file; without one, every key has its default."""
    return config_file.read(DashboardConfig, path)
