"""The agent's configuration: a TOML file in which every key is optional."""

from __future__ import annotations

import ipaddress
import re
import reprlib
import socket
import tomllib
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from eyewall_monitor import history, znodes
from eyewall_monitor.checked import HOST
from eyewall_monitor.history import Keys
from eyewall_monitor.znodes import ZnodeError, Znodes

if TYPE_CHECKING:
    from pathlib import Path

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = 100
_SERVER: Final = re.compile(r"(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_LARGEST_PORT: Final = 65_535


class ConfigError(ValueError):
    """A configuration that cannot be used; names file, key, value and what is allowed."""


def _loopback(text: str) -> str:
    """Refuse what others than this host's workers could reach."""
    host, port = split_address(text)
    try:
        own = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        own = False
    if not own or port is None:
        raise PydanticCustomError(
            "address", "it must be HOST:PORT on loopback, such as 127.0.0.1:2003 (0: any port)"
        )
    return text


def split_address(text: str) -> tuple[str, int | None]:
    """Split HOST:PORT; None for what is no port."""
    host, _, port = text.rpartition(":")
    number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else None
    whole = number is not None and number <= _LARGEST_PORT
    return host.removeprefix("[").removesuffix("]"), number if whole else None


def _host(text: str) -> str:
    if HOST.fullmatch(text) is None:
        raise PydanticCustomError("host", "it must be a host's name, as in storm.local.hostname")
    return text


def _servers(text: str) -> str:
    found = [_SERVER.fullmatch(server) for server in text.split(",")]
    if not all(match and 0 < int(match[1]) <= _LARGEST_PORT for match in found):
        raise PydanticCustomError("servers", "it must be HOST:PORT, or several with commas between")
    return text


def _redis(text: str) -> str:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("redis", "rediss", "unix") and bool(parts.hostname or parts.path)
        good = good and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise PydanticCustomError("url", "it must be redis://HOST:PORT/DB, rediss://… or unix://…")
    return text


def _root(text: str) -> str:
    try:
        Znodes(text)
    except ZnodeError as error:
        raise PydanticCustomError("root", "{why}", {"why": _why(error)}) from None
    return text


def _prefix(text: str) -> str:
    try:
        Keys(text)
    except ValueError as error:
        raise PydanticCustomError("prefix", "{why}", {"why": _why(error)}) from None
    return text


def _why(error: ValueError) -> str:
    return str(error).rpartition(": ")[2]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ZooKeeper(_Section):
    """Where the latest report goes."""

    servers: Annotated[str, AfterValidator(_servers)] = "127.0.0.1:2181"
    root: Annotated[str, AfterValidator(_root)] = znodes.ROOT


class RedisTable(_Section):
    """Where the history goes."""

    url: Annotated[str, AfterValidator(_redis)] = "redis://127.0.0.1:6379/0"
    prefix: Annotated[str, AfterValidator(_prefix)] = history.PREFIX
    keep_hours: Annotated[float, Field(gt=0, le=8_784, allow_inf_nan=False)] = (
        history.KEEP_SECONDS / 3600
    )
    most_entries: Annotated[int, Field(ge=10, le=10_000_000)] = history.MOST_ENTRIES
    backlog: Annotated[int, Field(ge=1, le=100_000)] = 720


class Storm(_Section):
    """Which workers are this host's."""

    local_dir: str | None = None


class Config(_Section):
    """The whole file."""

    host: Annotated[str, AfterValidator(_host)] = Field(default_factory=socket.gethostname)
    listen: Annotated[str, AfterValidator(_loopback)] = "127.0.0.1:2003"
    report_seconds: Annotated[float, Field(ge=0.5, le=300, allow_inf_nan=False)] = 5.0
    zookeeper: ZooKeeper = ZooKeeper()
    redis: RedisTable = RedisTable()
    storm: Storm = Storm()


def read_config(path: Path | None) -> Config:
    """Read the file; without one, every key has its default."""
    if path is None:
        return Config()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ConfigError(f"{path}: values are nested too deep") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    *section, key = (str(part) for part in first["loc"])
    where = f"[{'.'.join(section)}] {key}" if section else key
    if first["type"] == "extra_forbidden":
        return f"no key {where}; keys there are {', '.join(_keys(section))}"
    if key == "url":
        return f"{where}: {first['msg']}"  # it may hold a password
    value = _SHORT.repr(first["input"])
    return f"{where} is {value}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _keys(section: list[str]) -> list[str]:
    fields = Config.model_fields
    for name in section:
        inner = fields[name].annotation
        assert inner is not None  # noqa: S101 - every section is a model
        fields = inner.model_fields
    return list(fields)
