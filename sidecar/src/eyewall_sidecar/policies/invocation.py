"""Calling a policy by its name; the answer of another distribution's policy is checked.

A policy may come from anybody, so what it returns is taken apart: a placement must name every
operator, keep to every constraint, and is valued here.
"""

from collections.abc import Mapping
from math import inf, isfinite
from numbers import Integral
from time import perf_counter
from typing import Any

from eyewall_sidecar.heuristic.ranges import ranges_of
from eyewall_sidecar.model import PlacementProblem, Range, Solution, Status, violations
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, ObjectiveError, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.ecker import with_headroom
from eyewall_sidecar.plugins import described
from eyewall_sidecar.policies.catalogue import OWN, PolicyError, load_policy, policy_catalogue

PLACED = (Status.OPTIMAL, Status.FEASIBLE, Status.HEURISTIC)
"""Statuses of an answer with a placement."""
MOST_EVALUATED = 2**53
"""As many as a decision's record can hold."""


def invoke_policy(
    name: str, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
) -> Solution:
    """Let a policy of the catalogue place the operators within `time_limit` seconds.

    ObjectiveError if it declines the objective. PolicyError if a policy of another distribution
    raises, or answers with what is not a solution of the problem.
    """
    policy = load_policy(name)
    if name in OWN:
        return policy(problem, objective, time_limit=time_limit, seed=seed)
    if not (entry := policy_catalogue()[name]).takes(objective):
        raise ObjectiveError(
            f"objective {objective}: policy {name} optimises {entry.objectives}; ask it for that, "
            "or take another policy"
        )
    began = perf_counter()
    try:
        found = policy(problem, objective, time_limit=time_limit, seed=seed)
    except (ObjectiveError, PolicyError):
        raise
    except (Exception, SystemExit) as error:
        raise PolicyError(f"policy {name} failed: {described(error)}") from error
    seconds = perf_counter() - began
    try:
        return _checked(name, problem, objective, found, seconds)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise PolicyError(f"policy {name} answered nonsense: {described(error)}") from error


def _checked(
    name: str, problem: PlacementProblem, objective: Objective, found: Solution, seconds: float
) -> Solution:
    """Return the answer in plain values, with its evaluation and moves."""
    status, reasons = Status(found.status), tuple(map(str, found.reasons))
    if (found.placement is None) == (status in PLACED):
        has = "no placement" if found.placement is None else "a placement"
        raise PolicyError(f"policy {name} answered {status} with {has}")
    decided_by = str(found.decided_by)
    if found.placement is None:
        return Solution(status, name, decided_by, seconds=seconds, reasons=reasons)
    evaluated: Any = found.evaluated
    if not isinstance(evaluated, Integral) or not 0 <= int(evaluated) <= MOST_EVALUATED:
        raise PolicyError(
            f"policy {name} answered evaluated {evaluated!r}; "
            f"it must be a whole number from 0 to {MOST_EVALUATED}"
        )
    placement = {str(operator): str(node) for operator, node in found.placement.items()}
    limited = with_headroom(problem) if objective.ecker else problem
    if broken := violations(limited, placement):
        raise PolicyError(f"policy {name} answered an illegal placement: {broken[0]}")
    placement = {it.id: placement[it.id] for it in problem.operators}
    ranges = ranges_of(ProblemArrays.of(limited), objective)
    if found.evaluation is not None and found.evaluation.ranges.keys() == ranges.keys():
        ranges = _checked_ranges(name, {it: found.evaluation.ranges[it] for it in ranges})
    value = evaluate(limited, placement, objective, ranges)
    bound = None if found.bound is None or not isfinite(found.bound) else float(found.bound)
    return Solution(
        status,
        name,
        decided_by,
        placement,
        value,
        bound,
        None if bound is None else abs(value.value - bound) / max(abs(value.value), 1e-9),
        seconds,
        problem.moves(placement),
        int(evaluated),
        reasons=reasons,
    )


def _checked_ranges(name: str, ranges: Mapping[Term, Range]) -> dict[Term, Range]:
    """Return the ranges in plain values; PolicyError for one that would value a placement wrongly.

    A reversed range makes worse placements better, and NaN compares with nothing.
    """
    checked = {}
    for term, it in ranges.items():
        found = checked[term] = Range(float(it.better), float(it.worse), bool(it.proven))
        if term is Term.A:
            rule = "finite logarithms, better ≥ worse"
            # log A of a topology that fails on every node is −∞: see `Range.coincide`.
            allowed = found.better == -inf or (isfinite(found.better) and isfinite(found.worse))
            width = found.better - found.worse
        else:
            rule = "finite, 0 ≤ better ≤ worse"
            # A solver's bound may be a little below 0.
            allowed = -1e-6 <= found.better < inf and isfinite(found.worse)
            width = found.worse - found.better
        if not allowed or not (found.coincide or width > 0):
            raise PolicyError(
                f"policy {name} answered range {term} from better {found.better:g} to "
                f"worse {found.worse:g}; ranges must be {rule}"
            )
    return checked
