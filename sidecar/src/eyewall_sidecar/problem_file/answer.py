"""A solution as the JSON that `eyewall solve --json` prints."""

from math import exp, isfinite
from typing import Any

from eyewall_contracts.objective_terms import TERMS, Term

from eyewall_sidecar.model import Alternatives, Evaluation, Range, Solution


def answer(solution: Solution, assumptions: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the answer's keys in the order of docs/user/problem-format.md."""
    return {
        "policy": solution.policy,
        "decided_by": solution.decided_by,
        "status": str(solution.status),
        "placement": None if solution.placement is None else dict(solution.placement),
        "objective": None if solution.evaluation is None else _objective(solution.evaluation),
        "bound": solution.bound,
        "gap": solution.gap,
        "seconds": round(solution.seconds, 6),
        "moves": solution.moves,
        "evaluated": solution.evaluated,
        "alternatives": _alternatives(solution.alternatives),
        "reasons": [*solution.reasons, *assumptions],
    }


def _alternatives(found: Alternatives | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"possible": found.possible, "rejected": dict(found.rejected)}


def _objective(evaluation: Evaluation) -> dict[str, Any]:
    values: dict[str, Any] = {
        "value": evaluation.value if isfinite(evaluation.value) else None,
        **{TERMS[term].key: metric for term, metric in evaluation.metrics.items()},
        "distinct_availability": evaluation.distinct_availability,
        "data_unit": str(evaluation.data_unit),
    }
    if evaluation.ranges:
        values["bounds"] = {term: _range(term, it) for term, it in evaluation.ranges.items()}
    return values


def _range(term: Term, values: Range) -> dict[str, Any]:
    """Return both ends in the term's own unit; `better_is` says what is known about the first."""
    unit = exp if term is Term.A else float
    return {
        "better": unit(values.better),
        "worse": unit(values.worse),
        "better_is": "optimum" if values.proven else "proven bound",
    }
