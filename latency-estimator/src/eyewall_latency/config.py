"""The configuration of the agent: TOML, every key optional; errors name key, value and range."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from eyewall_contracts.config_file import (
    ConfigError,
    name_key,
    no_table,
    read_toml,
    unknown_key,
    wrong_value,
)
from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.latency import EXPIRY_SECONDS, LatencyKeys
from eyewall_contracts.redis_prefix import PREFIX
from eyewall_contracts.redis_url import require_redis_url

from eyewall_latency.algorithms import EstimatorSettings
from eyewall_latency.pace import Pace
from eyewall_latency.setting import Allowed, choice, number

Section = TypeVar("Section")


@dataclass(frozen=True, slots=True)
class RegistrySettings:
    """Where the registry is.

    Parameters
    ----------
    url
        Of the Redis server: redis://, rediss:// or unix://.
    prefix
        What keys begin with: another one for each Storm cluster that shares the server.
    expiry_seconds
        How long after its last sign of life a host is dead to the others.
    """

    url: str = "redis://127.0.0.1:6379/0"
    prefix: str = PREFIX
    expiry_seconds: float = number(EXPIRY_SECONDS, 1.0, 86_400.0)


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """How this host probes and is probed.

    Parameters
    ----------
    method
        `auto`: ICMP where the kernel allows it and the network lets it through, else TCP.
    address
        The IP address at which others reach this host; empty: the one that Redis is reached from.
    listen
        Where handshakes of others are answered, HOST:PORT.
    timeout_seconds
        How long an echo may take.
    networks
        If there are any, only addresses in these networks are ever probed.
    """

    method: str = choice("auto", "icmp", "tcp")
    address: str = ""
    listen: str = "0.0.0.0:7078"
    timeout_seconds: float = number(1.0, 0.01, 60.0)
    networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LatencyConfig(EstimatorSettings):
    """Everything that can be set.

    Parameters
    ----------
    host
        What Storm calls this host (storm.local.hostname); empty: its canonical name.
    """

    host: str = ""
    redis: RegistrySettings = field(default_factory=RegistrySettings)
    probe: ProbeSettings = field(default_factory=ProbeSettings)
    pace: Pace = field(default_factory=Pace)


def read_config(path: Path | None) -> LatencyConfig:
    """Return the configuration in a file; without one the defaults."""
    if path is None:
        return LatencyConfig()
    try:
        config = _fill(LatencyConfig(), read_toml(path), "")
        _check(config)
    except _ContentError as error:
        raise ConfigError(f"{path}: {error}") from None
    return config


class _ContentError(ConfigError):
    """What is wrong within the file."""


def split_address(address: str, key: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; ConfigError names `key`."""
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        requirement = "it must be HOST:PORT, with a port from 0 to 65535"
        raise _ContentError(wrong_value(key, address, requirement))
    return host, int(port)


def _fill(section: Section, content: Mapping[str, Any], table: str) -> Section:
    known = {it.name: it for it in fields(section)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key not in known:
            raise _ContentError(unknown_key(key, table, known))
        default = getattr(section, key)
        if not is_dataclass(default):
            values[key] = _value(name_key(key, table), value, default, known[key])
        elif isinstance(value, dict):
            values[key] = _fill(default, value, key)
        else:
            raise _ContentError(no_table(key))
    return replace(section, **values)  # type: ignore[type-var]


def _value(where: str, value: object, default: object, known: "Field[Any]") -> object:
    allowed: Allowed | None = known.metadata.get("allowed")
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(it, str) for it in value):
            raise _ContentError(wrong_value(where, value, "it must be a list of texts"))
        return tuple(value)
    wanted = type(default)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 10**15 else value
    if type(value) is not wanted or not (allowed is None or allowed.has(value)):
        kind = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
        must_be = kind[wanted] if allowed is None else str(allowed)
        if allowed is not None and not allowed.words:
            must_be = f"{kind[wanted]} from {allowed}"
        raise _ContentError(wrong_value(where, value, f"it must be {must_be}"))
    return value


def _check(config: LatencyConfig) -> None:
    """Check what no range expresses."""
    if config.host and not is_host_name(config.host):
        requirement = "it must be letters, digits and . _ -, 253 at most"
        raise _ContentError(wrong_value("host", config.host, requirement))
    _check_redis(config)
    split_address(config.probe.listen, "[probe] listen")
    if config.probe.address:
        _require_ip("[probe] address", config.probe.address)
    for network in config.probe.networks:
        try:
            ip_network(network)
        except ValueError as error:
            reason = f"it must be networks such as 10.0.0.0/8: {error}"
            raise _ContentError(wrong_value("[probe] networks", network, reason)) from None
    pace, fading, paper = config.pace, config.fading, config.paper
    least = 3 * pace.interval_seconds
    _require_range(
        "[redis] expiry_seconds",
        config.redis.expiry_seconds,
        least=least,
        of="3 times [pace] interval_seconds",
    )
    _require_range(
        "[fading] forget_seconds",
        fading.forget_seconds,
        least=fading.half_life_seconds,
        of="half_life_seconds",
    )
    if paper.keep > paper.peers:
        requirement = f"it must be from 0 to [paper] peers, {paper.peers}"
        raise _ContentError(wrong_value("[paper] keep", paper.keep, requirement))


def _require_range(where: str, value: float, *, least: float, of: str) -> None:
    if value < least:
        raise _ContentError(wrong_value(where, value, f"it must be at least {of}, {least:g}"))


def _check_redis(config: LatencyConfig) -> None:
    try:
        require_redis_url(config.redis.url)
    except ContractError as error:  # without the value: it may hold a password
        raise _ContentError(f"[redis] url: {error}") from None
    if urlsplit(config.redis.url).scheme == "unix" and not config.probe.address:
        raise _ContentError(
            "[redis] url is a unix socket, which gives no address of this host: "
            "[probe] address is needed"
        )
    try:
        LatencyKeys(config.redis.prefix)
    except ContractError:
        requirement = (
            "it must be letters, digits and _ . -, with : between parts, like "
            f"{PREFIX} or storm-1:{PREFIX}"
        )
        raise _ContentError(
            wrong_value("[redis] prefix", config.redis.prefix, requirement)
        ) from None


def _require_ip(key: str, address: str) -> None:
    try:
        ip_address(address)
    except ValueError:
        raise _ContentError(wrong_value(key, address, "it must be an IP address")) from None
