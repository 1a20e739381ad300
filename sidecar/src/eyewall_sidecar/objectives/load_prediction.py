"""What the load model expects of a move, whatever its inputs really are (docs/design/load.md)."""

from dataclasses import dataclass
from math import inf

from eyewall_sidecar.model import Placement, PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.objectives.load_scenarios import (
    AS_ESTIMATED,
    SCENARIOS,
    SETTLING,
    LoadScenario,
)

MORE_DEMAND = LoadScenario(demand=1.0)
NEARLY_FULL = 1.15
"""What is saturated carries by its estimates no more than this multiple of what it carries now: an
error as large as a small demand makes nothing saturated."""
LEAST_TIME = 1e-12
"""Seconds; avoids 0 / 0 where tuples take no time."""
ROOMY = 2.0
"""What carries at least this multiple of today's rates by its estimates has room whatever their
errors are."""


@dataclass(frozen=True, slots=True)
class LoadPrediction:
    """What is expected over all of `SCENARIOS`.

    Parameters
    ----------
    gain
        The least and the greatest number of seconds by which tuples arrive earlier. Headroom is
        not in it: what runs with little of it is not moved for that alone.
    least_relief, expected_relief
        The multiple of the rate carried now that is carried after the move: the least, and the one
        by the estimates.
    saturated
        Whether what runs carries no more than it does now, within the error of its demand.
    sustainable
        The multiple of today's rates that is carried after the move: the least over all of
        `SCENARIOS`, or the estimated one if that is `ROOMY`.
    carried
        The multiple of today's rates that what runs carries, by the estimates.
    saved_part
        The least part of the time that tuples take now by which they arrive earlier; negative if
        they may arrive later.
    """

    gain: tuple[float, float]
    least_relief: float
    expected_relief: float
    saturated: bool
    sustainable: float = inf
    carried: float = 1.0
    saved_part: float = 1.0


def predict_move(problem: PlacementProblem, before: Placement, after: Placement) -> LoadPrediction:
    """Predict what a move from one placement to another changes."""
    arrays = ProblemArrays.of(problem)
    first, second = places_of(problem, before), places_of(problem, after)
    gains, parts, reliefs, carried = [], [], [], []
    for scenario in SCENARIOS:
        loads = LoadArrays.of(arrays, scenario=scenario)
        was, then = evaluate_load(loads, first), evaluate_load(loads, second)
        gains.append(was.response_time - then.response_time)
        parts.append(gains[-1] / max(was.response_time, LEAST_TIME))
        reliefs.append(then.sustainable / was.sustainable)
        carried.append(then.sustainable)
    least, estimated = (
        evaluate_load(LoadArrays.of(arrays, scenario=it), first).sustainable
        for it in (MORE_DEMAND, AS_ESTIMATED)
    )
    saturated = least <= 1.0 and estimated <= NEARLY_FULL
    as_estimated = SCENARIOS.index(AS_ESTIMATED)
    room = carried[as_estimated]
    return LoadPrediction(
        gain=(min(gains), max(gains)),
        least_relief=min(reliefs),
        expected_relief=reliefs[as_estimated],
        saturated=saturated,
        sustainable=room if room >= ROOMY else min(carried),
        carried=estimated,
        saved_part=min(parts),
    )


def least_gain_once_settled(
    problem: PlacementProblem, before: Placement, after: Placement
) -> float:
    """Return the least number of seconds by which tuples arrive earlier in any of `SETTLING`."""
    arrays = ProblemArrays.of(problem)
    first, second = places_of(problem, before), places_of(problem, after)
    loads = [LoadArrays.of(arrays, scenario=it) for it in SETTLING]
    return min(
        evaluate_load(it, first).response_time - evaluate_load(it, second).response_time
        for it in loads
    )
