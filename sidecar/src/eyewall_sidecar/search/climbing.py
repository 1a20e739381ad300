"""Hill climbing on a state: the best step of the first neighbourhood that has one, until none has.

Ecker et al. (paper 002), section 4.3.1.
"""

from collections.abc import Sequence

from eyewall_sidecar.search.evaluation_state import State
from eyewall_sidecar.search.neighbourhoods import NO_STEP, Neighbourhood, Step
from eyewall_sidecar.search.stopping import Progress, StoppingCriterion

AT_ONCE = 1_000_000
"""Changes times operators that are looked at before it is asked whether to stop: milliseconds."""


def climb(state: State, neighbourhoods: Sequence[Neighbourhood], stop: StoppingCriterion) -> bool:
    """Take steps until a local optimum, and say whether it was reached before `stop`."""
    steps = 0
    while not stop(Progress(steps)):
        found = best_step(state, neighbourhoods, stop, Progress(steps))
        if found is None:
            return not stop(Progress(steps))
        neighbourhood, step = found
        neighbourhood.make(state, step.one, step.other)
        steps += 1
    return False


def best_step(
    state: State,
    neighbourhoods: Sequence[Neighbourhood],
    stop: StoppingCriterion,
    progress: Progress,
) -> tuple[Neighbourhood, Step] | None:
    """Return the best step of the first neighbourhood that has one; what was found if stopped."""
    at_once = max(1, AT_ONCE // max(1, len(state.places)))
    for neighbourhood in neighbourhoods:
        best, size = NO_STEP, neighbourhood.size(state)
        for first in range(0, size, at_once):
            best = neighbourhood.best(state, first, min(first + at_once, size), best)
            if stop(progress):
                break
        if best.one != NO_STEP.one:
            return neighbourhood, best
        if stop(progress):
            return None
    return None
