"""Steepest descent by moves of whole groups of operators: of a topology's workers, for Storm.

What moves with all of its group starts one worker, and no other one has to start again.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from eyewall_sidecar.model import Placement, PlacementProblem, violations
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate

LEAST_GAIN = 0.1
"""Part of its value by which the objective has to get better for one more group to move."""


def move_groups(
    problem: PlacementProblem,
    objective: Objective,
    groups: Sequence[Sequence[str]],
    rooms: Mapping[str, int],
    is_late: Callable[[], bool],
) -> tuple[Placement, int]:
    """Return the current placement with groups moved, and how many placements were evaluated.

    In each step the group moves to the node where that gains the most; none moves twice.

    Parameters
    ----------
    objective
        Of one term.
    groups
        Operators that move together, all of which run.
    rooms
        Node → how many groups may come there.
    is_late
        Whether time is over: the groups that have moved by then have.
    """
    placement: dict[str, str] = dict(problem.current or {})
    value, evaluated = evaluate(problem, placement, objective, {}).value, 1
    waiting, left = [tuple(it) for it in groups], dict(rooms)
    while True:
        best, best_value = None, value
        for group, node in product(waiting, [it for it, room in left.items() if room > 0]):
            if is_late():
                break
            moved = {**placement, **dict.fromkeys(group, node)}
            if moved == placement or violations(problem, moved):
                continue
            found = evaluate(problem, moved, objective, {}).value
            evaluated += 1
            if found > best_value if objective.maximised else found < best_value:
                best, best_value = (group, node), found
        if best is None or abs(best_value - value) < LEAST_GAIN * abs(value):
            return placement, evaluated
        (group, node), value = best, best_value
        placement |= dict.fromkeys(group, node)
        waiting.remove(group)
        left[node] -= 1
