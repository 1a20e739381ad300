"""The trial file: a cluster, topologies, their load, and the schedulers to compare.

Each table of the file is a dataclass, as in the cluster file.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from eyewall_contracts.setting_keys import MOVES
from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    Strict,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from eyewall_deploy import cluster_file
from eyewall_deploy.cluster_file import Cluster, ClusterFileError
from eyewall_deploy.failure import name_choices
from eyewall_deploy.host.cgroups import host_share
from eyewall_deploy.state import LatencyAlgorithm  # noqa: TC001 - pydantic reads it
from eyewall_deploy.trial.rate_profile import RateProfile, RateProfileError, read_profile
from eyewall_deploy.trial.shipped import shipped_trials
from eyewall_deploy.trial.trial_checks import find_overcommit, find_problems
from eyewall_deploy.trial.trial_event import TrialEvent
from eyewall_deploy.validation import (
    Number,
    Text,
    TomlError,
    Whole,
    describe_error,
    read_toml,
    toml_table,
    toml_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

LOAD_CLASS: Final = "io.eyewall.topologies.LoadTopology"
RATE: Final = "{rate}"
"""In an argument of a jar's class: the rate profile."""

_NAME = r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$"
_Name = Annotated[
    str,
    Strict(),
    Field(pattern=_NAME, description="letters, digits, '.', '_' and '-', at most 63 characters"),
]
_Settings = dict[str, Any]


def _read_arguments(value: Any) -> dict[str, Any] | list[str]:
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and all(isinstance(it, str) for it in value):
        return value
    raise PydanticCustomError("arguments", "allowed is a table, or a list of texts")


_Seconds = Annotated[Number, Field(ge=5, le=86_400)]
_Repetitions = Annotated[Whole, Field(ge=1, le=1_000)]
_Load = Annotated[Number, Field(gt=0, le=1_000)]
_Cores = Annotated[Number, Field(gt=0, le=1_024)]


class TrialFileError(ValueError):
    """A trial file that cannot be used: file, key, value and what is allowed."""


@toml_table
@dataclass(frozen=True, slots=True)
class TrialTopology:
    """One `[[topologies]]`: a load topology's shape, a class of any jar, or a streamparse topology.

    Parameters
    ----------
    arguments
        Of the class: by name, or as a list; `{rate}` in one of them is the rate profile.
    options
        Settings in the topology's configuration; `{rate}` as one of them is the constant rate.
    """

    name: _Name
    streamparse: Text | None = None
    project: Text | None = None
    shape: Text | None = None
    jar: Text | None = None
    main_class: Annotated[Text | None, Field(alias="class")] = None
    arguments: Annotated[dict[str, Any] | list[str], PlainValidator(_read_arguments)] = field(
        default_factory=dict
    )
    options: _Settings = field(default_factory=dict)


@toml_table
@dataclass(frozen=True, slots=True)
class TrialScheduler:
    """One of `schedulers`: a scheduler, and for Eyewall its settings for all topologies.

    Parameters
    ----------
    plan_every
        Seconds, from the start of the measurement and then from plan to plan: each is what the
        topology's policy finds, and is applied whatever it gains. None makes no plans.
    """

    scheduler: Text
    name: _Name | None = None
    policy: Text | None = None
    objective: Text | None = None
    options: _Settings = field(default_factory=dict)
    plan_every: Annotated[Number | None, Field(ge=5, le=86_400)] = None

    @property
    def label(self) -> str:
        """What tables and pictures call it."""
        return self.name or self.scheduler

    @property
    def settings(self) -> _Settings:
        """Settings that it adds to each topology's configuration."""
        given = {"eyewall.policy": self.policy, "eyewall.objective": self.objective}
        return {key: value for key, value in given.items() if value is not None} | self.options


_Scheduler = Annotated[
    TrialScheduler, BeforeValidator(lambda it: {"scheduler": it} if isinstance(it, str) else it)
]
"""A name alone is the table with nothing but it."""


@toml_table
@dataclass(frozen=True, slots=True)
class _TrialTable:
    """A trial file as it is written."""

    version: Annotated[Whole, Field(ge=1, le=1, description="1")]
    name: _Name
    cluster: Text
    seconds: _Seconds
    schedulers: Annotated[
        tuple[_Scheduler, ...], Field(min_length=1, description="at least one scheduler")
    ]
    topologies: Annotated[
        tuple[TrialTopology, ...],
        Field(min_length=1, description="at least one [[topologies]] with a name"),
    ]
    rate: Any
    warm_up: Annotated[Number, Field(alias="warm_up_seconds", ge=0, le=3_600)] = 30.0
    repetitions: _Repetitions = 1
    loads: Annotated[tuple[_Load, ...], Field(min_length=1, description="at least one")] = (1.0,)
    one_start: Annotated[bool, Strict()] = False
    cores: _Cores | None = None
    overcommit: Annotated[bool, Strict()] = False
    latency_algorithm: LatencyAlgorithm | None = None
    events: tuple[TrialEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial.

    Parameters
    ----------
    seconds, warm_up
        How long each run is measured, and how long its sources run before at the first rate.
    loads
        Multiples of the rate profile; each is measured.
    one_start
        Whether one start of the topologies has all loads, one after another, in this order.
    cores
        Of this machine, that all hosts share in the cluster file's proportions; None is as much as
        the cluster file says.
    overcommit
        Whether that may be more than the machine has.
    latency_algorithm
        By which the latency agents place hosts; None is their default. A cluster that is up already
        has the one that it was brought up with.
    folder
        Where the file's own paths begin.
    declared
        All schedulers of the file, also those that the command line leaves out.
    """

    name: str
    cluster_name: str
    cluster: Cluster
    seconds: float
    warm_up: float
    repetitions: int
    schedulers: tuple[TrialScheduler, ...]
    topologies: tuple[TrialTopology, ...]
    rate: RateProfile
    loads: tuple[float, ...]
    one_start: bool
    cores: float | None
    overcommit: bool
    latency_algorithm: LatencyAlgorithm | None
    events: tuple[TrialEvent, ...]
    folder: Path
    declared: tuple[TrialScheduler, ...]

    @property
    def is_steady(self) -> bool:
        """Whether nothing changes in a run but by chance."""
        return self.rate.is_constant and not self.events

    @property
    def drains(self) -> bool:
        """Whether hosts are drained in it."""
        return any(it.drain is not None for it in self.events)

    @property
    def overlaps(self) -> bool:
        """Whether workers of a topology serve on until their successors carry tuples."""
        settings = [it.options for it in self.topologies]
        settings += [it.settings for it in self.schedulers]
        return any(it.get(MOVES.name) == "overlap" for it in settings)

    def host_cores(self) -> dict[str, float]:
        """Return the cores of this machine that each host may use."""
        shares = {host.name: host_share(self.cluster, host).cpu for host in self.cluster.hosts}
        factor = 1.0 if self.cores is None else self.cores / sum(shares.values())
        return {host: share * factor for host, share in shares.items()}


_TABLES: Final[dict[str, type]] = {
    "topologies": TrialTopology,
    "schedulers": TrialScheduler,
    "events": TrialEvent,
}


def load(
    path_or_name: str, cores: int, *, cluster: str | None = None, share: float | None = None
) -> Trial:
    """Read a trial file, given by path or by a shipped trial's name.

    Parameters
    ----------
    cores
        Of this machine: the hosts may use no more together, unless the trial overcommits it.
    cluster, share
        In place of the file's `cluster` and `cores`.

    Raises
    ------
    TrialFileError
        With one line that names the file, the key, its value and what is allowed.
    """
    path = Path(path_or_name)
    if not _is_file(path):
        shipped = shipped_trials()
        if path_or_name not in shipped:
            raise TrialFileError(
                f"trial {path_or_name}: no such file, and "
                f"{name_choices('shipped trials', shipped, path_or_name)}"
            )
        with resources.as_file(resources.files("eyewall_deploy") / "trials") as folder:
            path = folder / f"{path_or_name}.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TrialFileError(f"{path}: {error}") from None
    return parse(text, path, cores, cluster=cluster, share=share)


def parse(
    text: str,
    path: Path,
    cores: int,
    *,
    cluster: str | None = None,
    share: float | None = None,
) -> Trial:
    """Check a trial file's text; see `load`."""
    try:
        table = _adapter().validate_python(read_toml(text))
        if cluster is not None:
            table = replace(table, cluster=cluster)
        if share is not None:
            table = replace(table, cores=_check_option("--cores", _Cores, share))
        trial = _resolve(table, path.parent)
    except ValidationError as error:
        reason = describe_error(error, _TrialTable, _TABLES)
        raise TrialFileError(f"{path}: {reason}") from None
    except (TomlError, ClusterFileError, RateProfileError) as error:
        raise TrialFileError(f"{path}: {error}") from None
    for problem in find_problems(trial):
        raise TrialFileError(f"{path}: {problem}")
    if (overcommit := find_overcommit(trial, cores)) is not None:
        raise TrialFileError(f"{path}: {overcommit}")
    return trial


def restrict(
    trial: Trial,
    *,
    seconds: float | None = None,
    repetitions: int | None = None,
    schedulers: Sequence[str] = (),
    loads: Sequence[float] = (),
    one_start: bool = False,
) -> Trial:
    """Return the trial with what the command line says in place of the file."""
    labels = [it.label for it in trial.schedulers]
    for label in schedulers:
        if label not in labels:
            raise TrialFileError(
                f"--scheduler {label}: {trial.name} has no such scheduler; "
                f"{name_choices('its schedulers', labels, label)}"
            )
    given: dict[str, Any] = {}
    options = [f"--scheduler {label}" for label in schedulers]
    if schedulers:
        given["schedulers"] = tuple(it for it in trial.schedulers if it.label in schedulers)
    if seconds is not None:
        given["seconds"] = _check_option("--seconds", _Seconds, seconds)
        options.append(f"--seconds {seconds:g}")
    if repetitions is not None:
        given["repetitions"] = _check_option("--repetitions", _Repetitions, repetitions)
    if loads:
        given["loads"] = tuple(_check_option("--load", _Load, load) for load in loads)
        options += [f"--load {load:g}" for load in loads]
    if one_start:
        given["one_start"] = True
        options.append("--one-start")
    changed = replace(trial, **given)
    for problem in find_problems(changed):
        raise TrialFileError(f"{trial.name} with {' '.join(options)}: {problem}")
    return changed


def _check_option(option: str, kind: Any, value: float) -> Any:
    """Return a value of the command line if the file may have it, too."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        message = toml_words(error.errors()[0]["msg"])
        raise TrialFileError(f"{option} {value:g}: {message}") from None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # as where the name is too long to be one
        return False


@cache
def _adapter() -> TypeAdapter[_TrialTable]:
    return TypeAdapter(_TrialTable)


def _resolve(table: _TrialTable, folder: Path) -> Trial:
    own_cluster = folder / table.cluster
    cluster_name = str(own_cluster) if _is_file(own_cluster) else table.cluster
    return Trial(
        name=table.name,
        cluster_name=cluster_name,
        cluster=cluster_file.load(cluster_name),
        seconds=table.seconds,
        warm_up=table.warm_up,
        repetitions=table.repetitions,
        schedulers=table.schedulers,
        topologies=table.topologies,
        rate=read_profile(table.rate, folder),
        loads=table.loads,
        one_start=table.one_start,
        cores=table.cores,
        overcommit=table.overcommit,
        latency_algorithm=table.latency_algorithm,
        events=table.events,
        folder=folder,
        declared=table.schedulers,
    )
