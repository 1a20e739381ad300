"""The load topologies' shapes and arguments, and what their operators cost: see LoadOptions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eyewall_deploy.failure import name_choices
from eyewall_deploy.trial.operation_graph import OperationGraph, OperationGraphError, parse_graph

if TYPE_CHECKING:
    from collections.abc import Iterator

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class LoadArgument:
    """A number that a load topology takes: what it is if it is not given, and its range."""

    usual: float
    least: float
    most: float
    whole: bool = False

    @property
    def allowed(self) -> str:
        """Say its range to a person."""
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {self.least:.15g} to {self.most:.15g}"

    def allows(self, value: Any) -> bool:
        """Whether the topology takes a value; it is given its text."""
        text = str(value)
        if self.whole and not _WHOLE.fullmatch(text):
            return False
        try:
            return self.least <= float(text) <= self.most
        except ValueError:
            return False


SHAPES: Final = ("chain", "fan-out", "fan-in", "diamond", "word-count", "mix", "graph")
ARGUMENTS: Final = {
    "cpu-us": LoadArgument(1_000, 0, 1e7),
    "payload": LoadArgument(100, 0, 1_000_000, whole=True),
    "selectivity": LoadArgument(1, 0, 100),
    "stages": LoadArgument(3, 1, 64, whole=True),
    "parallelism": LoadArgument(2, 1, 1_000, whole=True),
    "ackers": LoadArgument(1, 0, 1_000, whole=True),
    "pending": LoadArgument(500, 1, 1_000_000, whole=True),
    "declared": LoadArgument(0, 0, 10_000),
    "workers": LoadArgument(0, 0, 1_000, whole=True),
    "timeout": LoadArgument(10, 1, 3_600, whole=True),
    "memory-mb": LoadArgument(96, 16, 65_536, whole=True),
    "words": LoadArgument(5, 1, 1_000, whole=True),
    "vocabulary": LoadArgument(1_000, 1, 1_000_000, whole=True),
    "skew": LoadArgument(1, 0, 10),
    "heavy-share": LoadArgument(0.1, 0, 1),
    "heavy-factor": LoadArgument(10, 0, 1_000),
}
"""By name; a trial gives shape, name, rate and settle itself."""
TEXTS: Final = ("graph", "back", "selectivities")
"""Arguments of the shape `graph`, see `OperationGraph`."""


@dataclass(frozen=True, slots=True)
class OperatorWork:
    """One operator of a load topology.

    Parameters
    ----------
    seconds
        CPU time that it spends for each tuple of the source.
    executors
        Threads that it has; each can use one core.
    """

    name: str
    seconds: float
    executors: int


def named_arguments(given: dict[str, Any] | list[str]) -> dict[str, Any]:
    """Return the arguments of a load topology by name, also where they are a list."""
    if isinstance(given, dict):
        return dict(given)
    pairs = zip(given[::2], given[1::2], strict=True)
    return {name.removeprefix("--"): value for name, value in pairs}


def find_load_problems(shape: str, given: dict[str, Any] | list[str]) -> Iterator[str]:
    """Yield what a load topology would refuse, each beginning with the key."""
    if shape not in SHAPES:
        yield f"shape = {shape!r}: no such shape; {name_choices('shapes', SHAPES, shape)}"
    if not isinstance(given, dict):
        names = given[::2]
        if len(given) % 2 or not all(it.startswith("--") for it in names):
            yield f"arguments = {given}: those of a shape are pairs of --NAME and VALUE"
            return
    for name, value in named_arguments(given).items():
        argument = ARGUMENTS.get(name)
        if name in TEXTS:
            if not isinstance(value, str):
                yield f"arguments.{name} = {value!r}: it must be a text"
                return
        elif argument is None:
            choices = name_choices("arguments", [*ARGUMENTS, *TEXTS], name)
            yield f"arguments.{name} = {value!r}: a shape has no such argument; {choices}"
        elif not argument.allows(value):
            yield f"arguments.{name} = {value!r}: it must be {argument.allowed}"
    try:
        _graph_of(named_arguments(given))
    except OperationGraphError as error:
        yield f"arguments.{error}"


def _graph_of(arguments: dict[str, Any]) -> OperationGraph:
    return parse_graph(**{name: arguments[name] for name in TEXTS if name in arguments})


def load_argument(name: str, given: dict[str, Any] | list[str]) -> float:
    """Return the number that a shape takes for an argument, given or usual."""
    return float(named_arguments(given).get(name, ARGUMENTS[name].usual))


def operator_work(shape: str, given: dict[str, Any] | list[str]) -> tuple[OperatorWork, ...]:
    """Return what the operators of a shape cost, with arguments that it takes."""
    arguments = {name: float(it.usual) for name, it in ARGUMENTS.items()}
    graph = _graph_of(named_arguments(given))
    arguments |= {n: float(it) for n, it in named_arguments(given).items() if n not in TEXTS}
    cost, executors = arguments["cpu-us"] / 1e6, int(arguments["parallelism"])
    stages, selectivity = int(arguments["stages"]), arguments["selectivity"]
    heavy_share = arguments["heavy-share"]
    branches = {f"branch-{it}": selectivity for it in range(1, stages + 1)}
    # Operator → tuples that it gets for each one of the source; a heavy one counts for several.
    tuples: dict[str, dict[str, float]] = {
        "chain": {f"operator-{it + 1}": selectivity**it for it in range(stages)},
        "fan-out": {"operator": 1.0, **branches},
        "fan-in": {"operator": 1.0},
        "diamond": {"operator": 1.0, **branches, "join": stages * selectivity**2},
        "word-count": {"split": 1.0, "count": arguments["words"]},
        "mix": {"heavy": heavy_share * arguments["heavy-factor"], "light": 1 - heavy_share},
        "graph": graph.tuples(selectivity),
    }
    return tuple(OperatorWork(name, cost * it, executors) for name, it in tuples[shape].items())
