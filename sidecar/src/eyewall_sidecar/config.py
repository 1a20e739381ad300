"""The sidecar's configuration: a TOML file in which every key is optional."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

from eyewall_contracts.config_file import ConfigError
from eyewall_contracts.operations import MOST_SEED
from eyewall_contracts.redis_prefix import PREFIX
from eyewall_contracts.setting_keys import MOST_EXECUTORS_PER_SLOT
from eyewall_contracts.znodes import ROOT
from eyewall_monitor import config_file
from eyewall_monitor.addresses import ListenAddress, RedisPrefix, RedisUrl, Root, Servers
from eyewall_monitor.config_file import Section
from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from eyewall_sidecar.storm import Mode, SettingsError, TopologySettings
from eyewall_sidecar.storm.settings import (
    Choices,
    read_mode,
    read_objective,
    read_policy,
    require_taken,
    with_usual_objective,
)

USUAL_ZOOKEEPER = "127.0.0.1:2181"
"""Where a ZooKeeper is if nobody says otherwise; the sidecar itself uses none unasked."""

Positive = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
Workers = Annotated[int, Field(ge=0, le=1_000_000)]


def _file_name(text: str) -> str:
    """Refuse what cannot name a file."""
    if not text or "\0" in text:
        raise PydanticCustomError("file", "it must name a file")
    return text


class Delays(Section):
    """Where delays come from."""

    secret: ClassVar = frozenset({"redis"})

    file: Annotated[str, AfterValidator(_file_name)] | None = None
    redis: RedisUrl | None = None
    prefix: RedisPrefix = PREFIX
    minimum_confidence: Annotated[float, Field(ge=0, le=1)] = 0.3

    @model_validator(mode="after")
    def _has_one_source(self) -> "Delays":
        if self.file is not None and self.redis is not None:
            raise PydanticCustomError(
                "sources", "file and redis are both set; delays come from one of them"
            )
        return self


class _ZooKeeper(Section):
    """Where rates, costs, loads and switches come from, and decisions go to."""

    servers: Servers | None = None
    root: Root = ROOT


class _Metrics(Section):
    """What is believed of rates, costs and loads."""

    minimum_confidence: Annotated[float, Field(ge=0, le=1)] = 0.5


class _Defaults(Section):
    """Cluster-wide defaults of the topologies' `eyewall.*` settings."""

    policy: str = "odp"
    objective: str = "L=1"
    mode: str = "auto"
    executors_per_slot: Annotated[int, Field(ge=1, le=MOST_EXECUTORS_PER_SLOT)] = 16


class SolverLimits(Section):
    """Time limits of the policies, in seconds, and the seed of everything random."""

    first_placement_seconds: Positive = 1.2
    improvement_seconds: Positive = 10.0
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] = 0


class MoveLimits(Section):
    """When a running topology may be moved without an order."""

    minimum_gain: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Relative gain of the objective below which nothing moves; L and THETA have a price alone."""
    cool_down_seconds: NotNegative = 30.0
    """How long an assignment runs before anything of it moves, be it measured or not."""
    frozen: bool = False
    """Nothing that runs is moved."""
    workers_per_round: Workers | None = None
    """Worker processes that moves may start in the whole cluster; None: any number."""
    workers_per_hour: Workers | None = None
    horizon_seconds: NotNegative = 3600.0
    """Within which a move has to save more than it costs; 0: a move costs nothing."""


class SidecarConfig(Section):
    """The whole file."""

    listen: ListenAddress = "127.0.0.1:7077"
    delays: Delays = Delays()
    zookeeper: _ZooKeeper = _ZooKeeper()
    metrics: _Metrics = _Metrics()
    defaults: _Defaults = _Defaults()
    solver: SolverLimits = SolverLimits()
    replacement: MoveLimits = MoveLimits()


def read_config(path: Path | None) -> SidecarConfig:
    """Read the file; without one, every key has its default."""
    return config_file.read(SidecarConfig, path)


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """What rounds are decided by.

    Parameters
    ----------
    defaults
        For a topology that sets nothing itself.
    solver, moves
        How long a policy may solve, and when a running topology may be moved.
    minimum_confidence
        From 0 to 1; an estimate with less is not believed.
    """

    defaults: TopologySettings = field(default_factory=TopologySettings)
    solver: SolverLimits = field(default_factory=SolverLimits)
    moves: MoveLimits = field(default_factory=MoveLimits)
    minimum_confidence: float = 0.5


def service_settings(
    config: SidecarConfig, policies: Choices, path: Path | None = None
) -> ServiceSettings:
    """Return what rounds are decided by; ConfigError if a topology's default cannot be used.

    `path` is the file that the configuration was read from.
    """
    given = config.defaults
    try:
        defaults = TopologySettings(
            mode=Mode(read_mode("[defaults] mode", given.mode)),
            policy=read_policy("[defaults] policy", given.policy, policies),
            objective=read_objective("[defaults] objective", given.objective),
            executors_per_slot=given.executors_per_slot,
        )
        if "objective" not in given.model_fields_set:
            defaults = with_usual_objective(defaults, policies)
        require_taken("[defaults] policy", defaults, policies)
    except SettingsError as error:
        raise ConfigError(f"{path}: {error}" if path else str(error)) from None
    return ServiceSettings(
        defaults, config.solver, config.replacement, config.metrics.minimum_confidence
    )
