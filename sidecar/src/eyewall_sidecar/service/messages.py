"""Figures and solutions in words, and messages about them."""

import re
from collections.abc import Iterator, Sequence

from eyewall_contracts.objective_terms import TERMS, DataUnit, describe

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import Evaluation, Solution, Status
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.storm import Topology

LARGEST = 1e15
"""A larger number is not reported: a placement of availability 0 is infinitely bad."""

_FIGURE = re.compile(r"(?<!\S)-?\d[\d.]*(?:e[+-]\d+)?")  # not those that are part of a name


def differs_in_figures_alone(one: str, other: str) -> bool:
    """Whether two texts differ in figures alone, as those with ages do in every round."""
    return _FIGURE.sub("", one) == _FIGURE.sub("", other)


def metric(term: Term, value: float, data: DataUnit = DataUnit.TUPLES) -> str:
    """Return a metric with its unit: `41 ms`; `data` is what T, N and EE count."""
    it = TERMS[term].counting(data)
    number = milliseconds(value) if term is Term.R else f"{value * it.factor:.4g}"
    return f"{number} {it.display_unit}"


def metric_difference(term: Term, value: float, data: DataUnit = DataUnit.TUPLES) -> str:
    """Return by how much a metric differs: `+3 ms`."""
    return f"{'+' if value > 0 else '−'}{metric(term, abs(value), data)}"


def foreign_unit(name: str, data: DataUnit) -> str:
    """Return the unit of a metric if it is not the term's own; empty for `objective`."""
    known = describe(name)
    unit = known.counting(data).unit if known else ""
    return "" if known is None or unit == known.unit else unit


def reportable(value: float | None) -> float | None:
    """Return a number that records and replies hold; None if it is unknown or infinite."""
    return value if value is not None and abs(value) <= LARGEST else None


def no_decision_message(topology: Topology) -> Message | None:
    """Return why nothing is decided about a topology, whatever its settings; None if it is."""
    if topology.refused:
        return message(Code.BAD_DEFINITION, definition_error=topology.refused)
    if topology.isolated:
        strategy = topology.strategy.rpartition(".")[2]
        return message(Code.LEFT_TO_STORM, strategy=strategy)
    return None


def solution_message(
    solution: Solution, objective: Objective, before: Evaluation | None = None
) -> Message:
    """Return how good a solution is; with `before`, which is what runs, also what it moves."""
    values = {
        "policy": solution.policy,
        "quality": quality(solution),
        "worth": worth(solution, objective, before),
    }
    if before is None:
        return message(Code.SOLUTION, **values)
    return message(Code.MOVING_SOLUTION, **values, moves=solution.moves)


def no_placement_message(solution: Solution, assumptions: Sequence[Message | str]) -> Message:
    """Return why there is no placement; hosts that were left out may be why nothing fits."""
    possible_causes = assumptions if solution.status is Status.INFEASIBLE else ()
    return message(
        Code.NO_PLACEMENT,
        policy=solution.policy,
        status=solution.status,
        reasons=(*solution.reasons, *possible_causes),
    )


def quality(solution: Solution) -> str:
    """Return the solver's status, with the gap where it is not a proven optimum."""
    if solution.status is Status.OPTIMAL or solution.gap is None:
        return str(solution.status)
    return f"{solution.status}, gap {100 * solution.gap:.2g} %"


def worth(solution: Solution, objective: Objective, before: Evaluation | None = None) -> str:
    """Return the objective's terms: `R 26 ms (was 61)`."""
    after = solution.evaluation
    if after is None:
        return "; ".join(solution.reasons) or "no placement"
    return ", ".join(_terms(after, objective, before))


def _terms(after: Evaluation, objective: Objective, before: Evaluation | None) -> Iterator[str]:
    for term in objective.weights:
        was = ""
        if before is not None:
            was = f" (was {metric(term, before.metrics[term], before.data_unit).split()[0]})"
        yield f"{term} {metric(term, after.metrics[term], after.data_unit)}{was}"
    if objective.ecker:
        was = f" (was {before.value:.4g})" if before is not None else ""
        yield f"ecker {after.value:.4g}{was}"


def search_summary(solution: Solution) -> str:
    """Return how much was evaluated, and what the constraints leave."""
    evaluated = f"evaluated {solution.evaluated:,}"
    if (moves := solution.alternatives) is None:
        return evaluated
    kind = "single moves" if solution.placement is not None else "ways to place one operator alone"
    rejected = ", ".join(f"{name} {count:,}" for name, count in moves.rejected.items())
    rest = f"; rejected by {rejected}" if rejected else ""
    return f"{evaluated}; {moves.possible:,} of {moves.considered:,} {kind} possible{rest}"


def milliseconds(seconds: float) -> str:
    """Return seconds as milliseconds, without the unit: `26`, `3.5`, `3`."""
    value = seconds * 1000
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}"
