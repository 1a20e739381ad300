"""The configuration of `eyewall-monitor rates`: a TOML file in which every key is optional."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from eyewall_contracts.redis_prefix import PREFIX
from eyewall_contracts.znodes import ROOT
from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from eyewall_monitor import config_file
from eyewall_monitor.addresses import RedisPrefix, RedisUrl, Root, Servers
from eyewall_monitor.config_file import Section

if TYPE_CHECKING:
    from pathlib import Path

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Path_ = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
LEAST_MEGABYTES: Final = 512
"""Of memory, with which Spark starts."""
STATE: Final = "~/.local/state/eyewall"


def _heap(text: str) -> str:
    if int(text[:-1]) * (1024 if text.endswith("g") else 1) < LEAST_MEGABYTES:
        raise PydanticCustomError(
            "heap", f"it must be at least {LEAST_MEGABYTES}m, for Spark to start"
        )
    return text


class RatesRedis(Section):
    """Where the history is."""

    secret: ClassVar = frozenset({"url"})

    url: RedisUrl = "redis://127.0.0.1:6379/0"
    prefix: RedisPrefix = PREFIX


class RatesZooKeeper(Section):
    """Where rates go."""

    servers: Servers = "127.0.0.1:2181"
    root: Root = ROOT
    timeout_seconds: Seconds = 10.0


class Windows(Section):
    """What estimates are over."""

    seconds: Seconds = 60.0
    slide_seconds: Seconds = 20.0
    late_seconds: Seconds = 60.0
    """A report written later than this after its own time is counted, not used."""
    forget_seconds: Seconds = 600.0

    @model_validator(mode="after")
    def _fit(self) -> Windows:
        if not (self.seconds / self.slide_seconds).is_integer():
            why = f"seconds is {self.seconds}, no multiple of slide_seconds {self.slide_seconds}"
            raise PydanticCustomError("fit", why)
        return self


class Batches(Section):
    """How often, and how much at a time."""

    every_seconds: Seconds = 2.0
    most_reports: Annotated[int, Field(ge=1, le=100_000)] = 200
    """Of one host."""
    checkpoints: Path_ = f"{STATE}/rates/checkpoints"


class Archive(Section):
    """The raw history as Parquet."""

    folder: Path_ = f"{STATE}/rates/archive"
    """Any file system that Spark knows; workers of a Spark cluster must all see it."""
    every_seconds: Seconds = 60.0
    enabled: bool = True


class Spark(Section):
    """Where it runs."""

    master: Annotated[str, Field(min_length=1)] = "local[2]"
    memory: Annotated[str, Field(pattern=r"^[0-9]{1,6}[mg]$"), AfterValidator(_heap)] = "1g"
    """Of the driver, LEAST_MEGABYTES at least."""
    partitions: Annotated[int, Field(ge=1, le=1000)] = 1
    """Of the state; fixed once there is a checkpoint. Each costs a task in every batch."""
    conf: dict[str, str] = Field(default_factory=dict)
    """Handed over to Spark as it is."""


class RatesConfig(Section):
    """The whole file."""

    redis: RatesRedis = RatesRedis()
    zookeeper: RatesZooKeeper = RatesZooKeeper()
    windows: Windows = Windows()
    batches: Batches = Batches()
    archive: Archive = Archive()
    spark: Spark = Spark()


def read_config(path: Path | None) -> RatesConfig:
    """Read the file; without one, every key has its default."""
    return config_file.read(RatesConfig, path)
