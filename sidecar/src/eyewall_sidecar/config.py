"""The sidecar's configuration: a TOML file in which every key is optional."""

import re
import reprlib
import tomllib
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from eyewall_latency.contract import PREFIX, ContractError, Keys
from eyewall_monitor import znodes
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from eyewall_sidecar.storm import Mode, Settings, SettingsError
from eyewall_sidecar.storm.settings import (
    MOST_EXECUTORS_PER_SLOT,
    Choices,
    read_mode,
    read_objective,
    read_policy,
    require_taken,
)

Positive = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]

_LABEL = "[A-Za-z0-9_-]{1,63}"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?\]"
_ADDRESS = re.compile(rf"(?:{_HOST}):([0-9]{{1,5}})")
_SHORT = reprlib.Repr()
_SHORT.maxstring = 100


def _address(text: str) -> str:
    """Refuse what is not HOST:PORT; port 0 takes any that is free."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[1]) > 65_535:
        raise PydanticCustomError(
            "address",
            "it must be HOST:PORT, with a name or address ([…] around IPv6) in ASCII and a port "
            "from 1 to 65535 (0: any that is free)",
        )
    return text


def _file_name(text: str) -> str:
    """Refuse what cannot name a file."""
    if not text or "\0" in text:
        raise PydanticCustomError("file", "it must name a file")
    return text


def _servers(text: str) -> str:
    """Refuse what is not HOST:PORT, or several with commas between."""
    for server in text.split(","):
        found = _ADDRESS.fullmatch(server)
        if found is None or not 1 <= int(found[1]) <= 65_535:
            raise PydanticCustomError(
                "servers", "it must be HOST:PORT, or several of them with commas between"
            )
    return text


def _root(text: str) -> str:
    """Refuse what cannot be a znode."""
    try:
        znodes.Znodes(text)
    except znodes.ZnodeError:
        raise PydanticCustomError(
            "root", "it must be a znode such as /eyewall or /storm-1/eyewall"
        ) from None
    return text


def _redis(text: str) -> str:
    """Refuse what is no Redis server."""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("redis", "rediss", "unix") and bool(parts.hostname or parts.path)
        good = good and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise PydanticCustomError(
            "redis", "it must be redis://HOST:PORT/DB, rediss://… or unix://…"
        )
    return text


def _prefix(text: str) -> str:
    """Refuse what Redis keys of the latency agents cannot begin with."""
    try:
        Keys(text)
    except ContractError as error:
        why = str(error).rpartition(": ")[2]
        raise PydanticCustomError("prefix", "{why}", {"why": why}) from None
    return text


class ConfigError(ValueError):
    """A configuration that cannot be used; names file, key, value and what is allowed."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Delays(_Section):
    """Where delays come from."""

    file: Annotated[str, AfterValidator(_file_name)] | None = None
    redis: Annotated[str, AfterValidator(_redis)] | None = None
    prefix: Annotated[str, AfterValidator(_prefix)] = PREFIX
    minimum_confidence: Annotated[float, Field(ge=0, le=1)] = 0.3

    @model_validator(mode="after")
    def _has_one_source(self) -> "Delays":
        if self.file is not None and self.redis is not None:
            raise PydanticCustomError(
                "sources", "file and redis are both set; delays come from one of them"
            )
        return self


class Metrics(_Section):
    """Where rates, costs and loads come from."""

    zookeeper: Annotated[str, AfterValidator(_servers)] | None = None
    root: Annotated[str, AfterValidator(_root)] = znodes.ROOT
    minimum_confidence: Annotated[float, Field(ge=0, le=1)] = 0.5


class Defaults(_Section):
    """Cluster-wide defaults of the topologies' `eyewall.*` settings."""

    policy: str = "odp"
    objective: str = "R=1"
    mode: str = "auto"
    executors_per_slot: Annotated[int, Field(ge=1, le=MOST_EXECUTORS_PER_SLOT)] = 4


class Solver(_Section):
    """How long may be solved."""

    first_placement_seconds: Positive = 1.2
    improvement_seconds: Positive = 10.0
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class Replacement(_Section):
    """When a running topology may be moved."""

    minimum_gain: Annotated[float, Field(ge=0, le=1)] = 0.1
    cool_down_seconds: NotNegative = 30.0
    frozen: bool = False


class Config(_Section):
    """The whole file."""

    listen: Annotated[str, AfterValidator(_address)] = "127.0.0.1:7077"
    delays: Delays = Delays()
    metrics: Metrics = Metrics()
    defaults: Defaults = Defaults()
    solver: Solver = Solver()
    replacement: Replacement = Replacement()


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


def default_settings(config: Config, policies: Choices) -> Settings:
    """Return the settings of a topology that sets nothing itself."""
    given = config.defaults
    try:
        settings = Settings(
            mode=Mode(read_mode("[defaults] mode", given.mode)),
            policy=read_policy("[defaults] policy", given.policy, policies),
            objective=read_objective("[defaults] objective", given.objective),
            executors_per_slot=given.executors_per_slot,
        )
        require_taken("[defaults] policy", settings, policies)
    except SettingsError as error:
        raise ConfigError(str(error)) from None
    return settings


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    *section, key = (str(part) for part in first["loc"])
    where = f"[{'.'.join(section)}] {key}" if section else key
    if first["type"] == "sources":
        where = f"[{key}]"
    if first["type"] == "extra_forbidden":
        return f"no key {where}; keys there are {', '.join(_keys(section))}"
    if first["type"] in ("redis", "sources"):
        return f"{where}: {first['msg']}"  # the value may hold a password
    value = _SHORT.repr(first["input"])
    return f"{where} is {value}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _keys(section: list[str]) -> list[str]:
    fields = Config.model_fields
    for name in section:
        inner = fields[name].annotation
        assert inner is not None  # noqa: S101 - every section is a model
        fields = inner.model_fields
    return list(fields)
