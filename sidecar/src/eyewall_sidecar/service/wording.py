"""The texts that people read in Storm UI and in the log."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from eyewall_sidecar.model import Evaluation, Solution, Status
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.storm import Slot

_FIGURES = re.compile(r"(?<!\S)-?\d[\d.]*(?:e[+-]\d+)?")  # not those that are part of a name

_METRICS: dict[Term, Callable[[Evaluation], str]] = {
    Term.R: lambda it: f"{milliseconds(it.response_time)} ms",
    Term.A: lambda it: f"{100 * it.availability:.4g} %",
    Term.T: lambda it: f"{it.inter_node_traffic:.4g} tuples/s",
    Term.N: lambda it: f"{it.network_usage:.3g} tuples",
    Term.EE: lambda it: f"{it.elastic_energy:.3g} tuples·s",
}


def placed(
    solution: Solution,
    objective: Objective,
    *,
    before: Evaluation | None = None,
    remarks: Sequence[str] = (),
) -> str:
    """Word a placement: `placed by eyewall: odp, optimal, R 41 ms`."""
    parts = [solution.policy, how_good(solution), worth(solution, objective, before)]
    if before is not None:
        parts.append(f"{counted(solution.moves, 'executor')} moved")
    return "; ".join(["placed by eyewall: " + ", ".join(parts), *remarks])


def nothing(solution: Solution, assumptions: Sequence[str]) -> str:
    """Word why there is no placement; what was left out may be why nothing fits."""
    beside = assumptions if solution.status is Status.INFEASIBLE else ()
    return f"{solution.policy} {solution.status}: {'; '.join((*solution.reasons, *beside))}"


def how_good(solution: Solution) -> str:
    """Word the solver's status, with the gap where it is no proven optimum."""
    if solution.status is Status.OPTIMAL or solution.gap is None:
        return str(solution.status)
    return f"{solution.status}, gap {100 * solution.gap:.2g} %"


def worth(solution: Solution, objective: Objective, before: Evaluation | None = None) -> str:
    """Word the objective's terms: `R 26 ms (was 61)`."""
    after = solution.evaluation
    if after is None:
        return "; ".join(solution.reasons) or "no placement"
    terms = []
    for term in objective.weights:
        was = f" (was {_METRICS[term](before).split()[0]})" if before is not None else ""
        terms.append(f"{term} {_METRICS[term](after)}{was}")
    if objective.ecker:
        was = f" (was {before.value:.4g})" if before is not None else ""
        terms.append(f"ecker {after.value:.4g}{was}")
    return ", ".join(terms)


def looked_at(solution: Solution) -> str:
    """Word what was looked at, and what the constraints leave."""
    said = f"evaluated {solution.evaluated:,}"
    if (beside := solution.alternatives) is None:
        return said
    moves = "single moves" if solution.placement is not None else "ways to place one operator alone"
    rejected = ", ".join(f"{name} {count:,}" for name, count in beside.rejected.items())
    rest = f"; rejected by {rejected}" if rejected else ""
    return f"{said}; {beside.possible:,} of {beside.considered:,} {moves} possible{rest}"


def reused(slots: Sequence[Slot], host_of: Mapping[str, str]) -> Iterator[str]:
    """Word which slots change hands within the topology; nothing if none does."""
    if slots:
        named = [f"{host_of[it.supervisor]}:{it.port}" for it in slots]
        yield f"no fresh slot left, reused {listed(named)}"


def counted(number: int, noun: str) -> str:
    """Word a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def milliseconds(seconds: float) -> str:
    """Word seconds as milliseconds, without the unit: `26`, `3.5`, `3`."""
    value = seconds * 1000
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}"


def is_alike(one: str, other: str) -> bool:
    """Whether two texts differ in figures alone."""
    return _FIGURES.sub("", one) == _FIGURES.sub("", other)
