"""The configuration of the agent: TOML, every key optional; errors name key, value and range."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.latency import EXPIRY_SECONDS, LatencyKeys
from eyewall_contracts.redis_prefix import PREFIX

from eyewall_latency.algorithms import EstimatorSettings
from eyewall_latency.pace import Pace
from eyewall_latency.setting import Allowed, choice, number

LARGEST_FILE = 1024 * 1024

Section = TypeVar("Section")


class ConfigError(ValueError):
    """A configuration that cannot be used; says which key, and what is allowed."""


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

    @property
    def server(self) -> str:
        """The server as people may read it: the URL without account and options."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


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
        if path.stat().st_size > LARGEST_FILE:
            raise ConfigError(f"{path}: more than {LARGEST_FILE} bytes")
        content = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: values are nested too deep") from None
    except ValueError as error:  # TOML, UTF-8, or a path that cannot be one
        raise error if isinstance(error, ConfigError) else ConfigError(f"{path}: {error}") from None
    config = _filled(LatencyConfig(), content, "")
    _check(config)
    return config


def split_address(address: str, key: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; ConfigError names `key`."""
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ConfigError(f"{key} is {address[:60]!r}: HOST:PORT is allowed, PORT 0 to 65535")
    return host, int(port)


def _filled(section: Section, content: Mapping[str, Any], name: str) -> Section:
    known = {it.name: it for it in fields(section)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key not in known:
            raise ConfigError(_unknown(key, list(known), name))
        default = getattr(section, key)
        where = f"{name} {key}".strip()
        if is_dataclass(default):
            if not isinstance(value, dict):
                raise ConfigError(f"{where} is {_short(value)}: a section [{key}] is allowed")
            values[key] = _filled(default, value, f"[{key}]")
        else:
            values[key] = _value(where, value, default, known[key])
    return replace(section, **values)  # type: ignore[type-var]


def _value(where: str, value: object, default: object, known: "Field[Any]") -> object:
    allowed: Allowed | None = known.metadata.get("allowed")
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(it, str) for it in value):
            raise ConfigError(f"{where} is {_short(value)}: a list of texts is allowed")
        return tuple(value)
    wanted = type(default)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 10**15 else value
    if type(value) is not wanted:
        kind = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
        raise ConfigError(f"{where} is {_short(value)}: {allowed or kind[wanted]} is allowed")
    if allowed is None:
        return value
    fits = (
        value in allowed.words
        if isinstance(value, str)
        else isinstance(value, int | float) and allowed.low <= value <= allowed.high
    )
    if not fits:
        raise ConfigError(f"{where} is {_short(value)}: {allowed} is allowed")
    return value


def _check(config: LatencyConfig) -> None:
    """Check what no range expresses."""
    if config.host and not is_host_name(config.host):
        raise ConfigError(
            f"host is {_short(config.host)}: letters, digits and . _ - are allowed, 253 at most"
        )
    _check_redis(config)
    split_address(config.probe.listen, "[probe] listen")
    if config.probe.address:
        _is_ip("[probe] address", config.probe.address)
    for network in config.probe.networks:
        try:
            ip_network(network)
        except ValueError as error:
            raise ConfigError(f"[probe] networks has {_short(network)}: {error}") from None
    if config.redis.expiry_seconds < 3 * config.pace.interval_seconds:
        raise ConfigError(
            f"[redis] expiry_seconds is {config.redis.expiry_seconds:g}: at least 3 intervals are "
            f"needed ([pace] interval_seconds is {config.pace.interval_seconds:g})"
        )
    if config.fading.forget_seconds < config.fading.half_life_seconds:
        raise ConfigError(
            f"[fading] forget_seconds is {config.fading.forget_seconds:g}: no less than "
            f"half_life_seconds is allowed, {config.fading.half_life_seconds:g}"
        )
    if config.paper.keep > config.paper.peers:
        raise ConfigError(
            f"[paper] keep is {config.paper.keep}: 0 to peers is allowed, {config.paper.peers}"
        )


def _check_redis(config: LatencyConfig) -> None:
    try:
        parts = urlsplit(config.redis.url)
        good = parts.scheme in ("redis", "rediss", "unix") and bool(parts.hostname or parts.path)
        good = good and (parts.port is None or parts.port > 0)
        # A password with a slash that is not written %2F would pass for a path, and be shown.
        good = good and "@" not in f"{parts.path}{parts.query}{parts.fragment}"
        good = good and (
            parts.scheme == "unix" or re.fullmatch("(/[0-9]*)?", parts.path) is not None
        )
    except ValueError:
        good = False
    if not good:  # without its value: it may hold a password
        raise ConfigError(
            "[redis] url: redis://HOST:PORT/DB, rediss://… or unix://… is allowed, with %2F for / "
            "and %40 for @ in a password"
        )
    if parts.scheme == "unix" and not config.probe.address:
        raise ConfigError(
            "[redis] url is a unix socket, which gives no address of this host: "
            "[probe] address is needed"
        )
    try:
        LatencyKeys(config.redis.prefix)
    except ContractError:
        raise ConfigError(
            f"[redis] prefix is {_short(config.redis.prefix)}: letters, digits and _ . - are "
            f"allowed, with : between parts, like {PREFIX} or storm-1:{PREFIX}"
        ) from None


def _is_ip(key: str, address: str) -> None:
    try:
        ip_address(address)
    except ValueError:
        raise ConfigError(f"{key} is {_short(address)}: an IP address is allowed") from None


def _unknown(key: str, known: list[str], name: str) -> str:
    near = get_close_matches(key, known, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return f"no key {name} {key[:60]}; keys are {', '.join(known)}{hint}".replace("key  ", "key ")


def _short(value: object) -> str:
    try:
        return repr(value)[:60]
    except ValueError:  # an integer of thousands of digits
        return "a number too long to print"
