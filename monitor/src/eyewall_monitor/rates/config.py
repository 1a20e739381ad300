"""The configuration of `eyewall-monitor rates`: a TOML file in which every key is optional."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from eyewall_monitor.history import PREFIX as REDIS_PREFIX
from eyewall_monitor.history import Keys
from eyewall_monitor.znodes import ROOT as ZOOKEEPER_ROOT
from eyewall_monitor.znodes import ZnodeError, Znodes

if TYPE_CHECKING:
    from pathlib import Path

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Path_ = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
LEAST_MEGABYTES: Final = 512
"""Of memory, with which Spark starts."""
STATE: Final = "~/.local/state/eyewall"


class ConfigError(ValueError):
    """A configuration that cannot be used; names file, key, value and what is allowed."""


def _prefix(text: str) -> str:
    try:
        return Keys(text).prefix
    except ValueError as error:
        raise PydanticCustomError("prefix", "{why}", {"why": str(error)}) from None


def _root(text: str) -> str:
    try:
        return Znodes(text).root
    except ZnodeError as error:
        raise PydanticCustomError("root", "{why}", {"why": str(error)}) from None


def _heap(text: str) -> str:
    if int(text[:-1]) * (1024 if text.endswith("g") else 1) < LEAST_MEGABYTES:
        raise PydanticCustomError("heap", f"Spark needs {LEAST_MEGABYTES}m at least")
    return text


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Redis(_Section):
    """Where the history is."""

    url: Annotated[str, Field(pattern=r"^(rediss?|unix)://")] = "redis://127.0.0.1:6379"
    prefix: Annotated[str, AfterValidator(_prefix)] = REDIS_PREFIX


class Zookeeper(_Section):
    """Where rates go."""

    hosts: Annotated[str, Field(min_length=1)] = "127.0.0.1:2181"
    root: Annotated[str, AfterValidator(_root)] = ZOOKEEPER_ROOT
    timeout_seconds: Seconds = 10.0


class Windows(_Section):
    """What estimates are over."""

    seconds: Seconds = 60.0
    slide_seconds: Seconds = 20.0
    late_seconds: Seconds = 60.0
    """A report that is written later than this after what it tells is counted, not used."""
    forget_seconds: Seconds = 600.0

    @model_validator(mode="after")
    def _fit(self) -> Windows:
        if not (self.seconds / self.slide_seconds).is_integer():
            raise PydanticCustomError("fit", "seconds must be a multiple of slide_seconds")
        return self


class Batches(_Section):
    """How often, and how much at a time."""

    every_seconds: Seconds = 2.0
    most_reports: Annotated[int, Field(ge=1, le=100_000)] = 200
    """Of one host."""
    checkpoints: Path_ = f"{STATE}/rates/checkpoints"


class Archive(_Section):
    """The raw history as Parquet."""

    folder: Path_ = f"{STATE}/rates/archive"
    """Any file system that Spark knows; workers of a Spark cluster must all see it."""
    every_seconds: Seconds = 60.0
    enabled: bool = True


class Spark(_Section):
    """Where it runs."""

    master: Annotated[str, Field(min_length=1)] = "local[2]"
    memory: Annotated[str, Field(pattern=r"^[0-9]{1,6}[mg]$"), AfterValidator(_heap)] = "1g"
    """Of the driver, LEAST_MEGABYTES at least."""
    partitions: Annotated[int, Field(ge=1, le=1000)] = 1
    """Of the state; fixed once there is a checkpoint. Each costs a task in every batch."""
    conf: dict[str, str] = Field(default_factory=dict)
    """Handed over to Spark as it is."""


class Config(_Section):
    """The whole file."""

    redis: Redis = Redis()
    zookeeper: Zookeeper = Zookeeper()
    windows: Windows = Windows()
    batches: Batches = Batches()
    archive: Archive = Archive()
    spark: Spark = Spark()


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
    *section, key = ("", *(str(part) for part in first["loc"]))
    where = f"[{'.'.join(section[1:])}] {key}" if section[1:] else key
    if first["type"] == "extra_forbidden":
        return f"no key {where}"
    return f"{where} is {first['input']!r:.100}: {first['msg'][0].lower()}{first['msg'][1:]}"
