"""Hill climbing on a state: the best step of the first neighbourhood that has one, until none has.

Ecker et al. (paper 002), section 4.3.1.
"""

from collections.abc import Sequence
from typing import NamedTuple

from eyewall_sidecar.heuristic.evaluation_state import State
from eyewall_sidecar.heuristic.neighbourhoods import NO_STEP, Neighbourhood, NeighbourhoodStep
from eyewall_sidecar.heuristic.stopping_criteria import SearchProgress, StoppingCriterion

AT_ONCE = 1_000_000
"""Changes times operators that are looked at before it is asked whether to stop: milliseconds."""


class ClimbResult(NamedTuple):
    """How a climb went: whether it reached a local optimum, and how many changes it looked at."""

    arrived: bool
    evaluated: int


class _BestStep(NamedTuple):
    """The best step, if there is one, its neighbourhood, and how many changes were looked at."""

    best: tuple[Neighbourhood, NeighbourhoodStep] | None
    evaluated: int


def climb(
    state: State, neighbourhoods: Sequence[Neighbourhood], stop: StoppingCriterion
) -> ClimbResult:
    """Take steps until a local optimum, or until `stop` says so."""
    steps = evaluated = 0
    while not stop(SearchProgress(steps)):
        found = _best_step(state, neighbourhoods, stop, SearchProgress(steps))
        evaluated += found.evaluated
        if found.best is None:
            return ClimbResult(not stop(SearchProgress(steps)), evaluated)
        neighbourhood, step = found.best
        neighbourhood.make(state, step.one, step.other)
        steps += 1
    return ClimbResult(arrived=False, evaluated=evaluated)


def _best_step(
    state: State,
    neighbourhoods: Sequence[Neighbourhood],
    stop: StoppingCriterion,
    progress: SearchProgress,
) -> _BestStep:
    """Return the best step of the first neighbourhood that has one; what was found if stopped."""
    at_once = max(1, AT_ONCE // max(1, len(state.places)))
    evaluated = 0
    for neighbourhood in neighbourhoods:
        best, size = NO_STEP, neighbourhood.size(state)
        for first in range(0, size, at_once):
            last = min(first + at_once, size)
            best = neighbourhood.best(state, first, last, best)
            evaluated += last - first
            if stop(progress):
                break
        if best.one != NO_STEP.one:
            return _BestStep((neighbourhood, best), evaluated)
        if stop(progress):
            break
    return _BestStep(None, evaluated)
