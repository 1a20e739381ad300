"""What the load topologies' operators cost: see LoadTopology, which builds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_STAGES, _LARGEST_SELECTIVITY = 64, 100
"""As LoadOptions has them: what is beyond makes no topology."""


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


def operator_work(shape: str, arguments: Mapping[str, Any]) -> tuple[OperatorWork, ...] | None:
    """Return what a shape's operators cost; None for arguments or a shape that it refuses itself.

    Parameters
    ----------
    arguments
        Those given; what is missing is as in LoadOptions.
    """
    try:
        cost = float(arguments.get("cpu-us", 1000)) / 1e6
        executors = int(arguments.get("parallelism", 2))
        stages = int(arguments.get("stages", 3))
        selectivity = float(arguments.get("selectivity", 1))
        words = int(arguments.get("words", 5))
        heavy_share = float(arguments.get("heavy-share", 0.1))
        heavy_factor = float(arguments.get("heavy-factor", 10))
    except (TypeError, ValueError):
        return None
    if not (1 <= stages <= _MOST_STAGES and 0 <= selectivity <= _LARGEST_SELECTIVITY):
        return None
    branches = {f"branch-{it}": selectivity for it in range(1, stages + 1)}
    # Operator → tuples that it gets for each one of the source; a heavy one counts for several.
    tuples: dict[str, dict[str, float]] = {
        "chain": {f"operator-{it + 1}": selectivity**it for it in range(stages)},
        "fan-out": {"operator": 1.0, **branches},
        "fan-in": {"operator": 1.0},
        "diamond": {"operator": 1.0, **branches, "join": stages * selectivity**2},
        "word-count": {"split": 1.0, "count": float(words)},
        "mix": {"heavy": heavy_share * heavy_factor, "light": 1 - heavy_share},
    }
    if shape not in tuples or executors < 1:
        return None
    return tuple(OperatorWork(name, cost * it, executors) for name, it in tuples[shape].items())
