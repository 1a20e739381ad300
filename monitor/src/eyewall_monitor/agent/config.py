"""The agent's configuration: a TOML file in which every key is optional."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Annotated, ClassVar

from eyewall_contracts.field_types import HOST_NAME
from eyewall_contracts.metric_history import KEEP_SECONDS, MOST_ENTRIES
from eyewall_contracts.redis_prefix import PREFIX
from eyewall_contracts.znodes import ROOT
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from eyewall_monitor import config_file
from eyewall_monitor.addresses import RedisPrefix, RedisUrl, Root, Servers, split_address
from eyewall_monitor.config_file import Section

if TYPE_CHECKING:
    from pathlib import Path


def _loopback(text: str) -> str:
    """Refuse what others than this host's workers could reach."""
    host, _ = split_address(text) or ("", 0)
    try:
        own = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        own = False
    if not own:
        raise PydanticCustomError(
            "address", "it must be HOST:PORT on loopback, such as 127.0.0.1:2003 (0: any port)"
        )
    return text


def _host(text: str) -> str:
    if HOST_NAME.fullmatch(text) is None:
        raise PydanticCustomError("host", "it must be a host's name, as in storm.local.hostname")
    return text


class AgentZooKeeper(Section):
    """Where the latest report goes."""

    servers: Servers = "127.0.0.1:2181"
    root: Root = ROOT


class AgentRedis(Section):
    """Where the history goes."""

    secret: ClassVar = frozenset({"url"})

    url: RedisUrl = "redis://127.0.0.1:6379/0"
    prefix: RedisPrefix = PREFIX
    keep_hours: Annotated[float, Field(gt=0, le=8_784, allow_inf_nan=False)] = KEEP_SECONDS / 3600
    most_entries: Annotated[int, Field(ge=10, le=10_000_000)] = MOST_ENTRIES
    backlog: Annotated[int, Field(ge=1, le=100_000)] = 720


class Storm(Section):
    """Which workers are this host's."""

    local_dir: str | None = None


class AgentConfig(Section):
    """The whole file."""

    host: Annotated[str, AfterValidator(_host)] = Field(default_factory=socket.gethostname)
    listen: Annotated[str, AfterValidator(_loopback)] = "127.0.0.1:2003"
    report_seconds: Annotated[float, Field(ge=0.5, le=300, allow_inf_nan=False)] = 5.0
    zookeeper: AgentZooKeeper = AgentZooKeeper()
    redis: AgentRedis = AgentRedis()
    storm: Storm = Storm()


def read_config(path: Path | None) -> AgentConfig:
    """Read the file; without one, every key has its default."""
    return config_file.read(AgentConfig, path)


def listen_address(config: AgentConfig) -> tuple[str, int]:
    """Return host and port of `listen`."""
    found = split_address(config.listen)
    assert found is not None  # noqa: S101 - the model refuses what cannot be split
    return found
