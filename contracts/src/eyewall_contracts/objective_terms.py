"""The terms of an objective: letter, name, unit and direction, the same in every part.

The formulas are in `eyewall_sidecar.objectives`, one file a term.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class Term(StrEnum):
    """A metric of a placement that can be optimised, by its letter; `TERMS` describes it."""

    R = "R"
    A = "A"
    T = "T"
    N = "N"
    EE = "EE"
    L = "L"
    THETA = "THETA"


class DataUnit(StrEnum):
    """What the data rate of a stream counts: λ of T, N and EE."""

    TUPLES = "tuples"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class TermDescription:
    """What code and people need to know of a term, apart from its formula.

    Parameters
    ----------
    key
        Its name in JSON.
    name
        Its name in a sentence.
    meaning
        What it measures, in a few words.
    unit
        Of its values; empty for a probability.
    display_unit, factor
        The unit that people read; a value times `factor` is in it.
    less_is_better
        Whether it is minimised.
    depends_on_rates
        Whether a stream's rate changes it.
    """

    key: str
    name: str
    meaning: str
    unit: str
    display_unit: str
    factor: float = 1.0
    less_is_better: bool = True
    depends_on_rates: bool = False

    def measured_in(self, unit: str) -> TermDescription:
        """Return the description of values in another unit; an empty one is the term's own."""
        if unit in ("", self.unit):
            return self
        return replace(self, unit=unit, display_unit=unit, factor=1.0)

    def counting(self, data: DataUnit) -> TermDescription:
        """Return the description of values that count bytes, or tuples as `TERMS` has it."""
        return self.measured_in(self.unit.replace(DataUnit.TUPLES, data))


TERMS: Final[Mapping[Term, TermDescription]] = {
    Term.R: TermDescription(
        key="response_time",
        name="response time",
        meaning="the slowest path from a source to a sink",
        unit="s",
        display_unit="ms",
        factor=1e3,
    ),
    Term.A: TermDescription(
        key="availability",
        name="availability",
        meaning="the probability that all hosts and links in use are up",
        unit="",
        display_unit="%",
        factor=1e2,
        less_is_better=False,
    ),
    Term.T: TermDescription(
        key="inter_node_traffic",
        name="inter-node traffic",
        meaning="data rate between hosts",
        unit="tuples/s",
        display_unit="tuples/s",
        depends_on_rates=True,
    ),
    Term.N: TermDescription(
        key="network_usage",
        name="network usage",
        meaning="data rate times delay",
        unit="tuples",
        display_unit="tuples",
        depends_on_rates=True,
    ),
    Term.EE: TermDescription(
        key="elastic_energy",
        name="elastic energy",
        meaning="data rate times delay squared",
        unit="tuples·s",
        display_unit="tuples·s",
        depends_on_rates=True,
    ),
    Term.L: TermDescription(
        key="load_response_time",
        name="response time under load",
        meaning="the mean path with waiting for CPU, and what lacking headroom costs",
        unit="s",
        display_unit="ms",
        factor=1e3,
        depends_on_rates=True,
    ),
    Term.THETA: TermDescription(
        key="sustainable_rate",
        name="sustainable multiple of today's rate",
        meaning="the rate at which the first host or executor is saturated",
        unit="× today's rate",
        display_unit="× today's rate",
        less_is_better=False,
        depends_on_rates=True,
    ),
}

LOAD_TERMS: Final = (Term.L, Term.THETA)
"""Terms of the load model; an objective has one of them alone, or none."""
PAPER_TERMS: Final = tuple(term for term in Term if term not in LOAD_TERMS)
"""Terms of the papers, on idle hosts; an objective may mix them."""

LETTERS: Final = f"{', '.join(list(TERMS)[:-1])} and {list(TERMS)[-1]}"
"""All terms, for a sentence."""
ALLOWED_OBJECTIVES: Final = (
    f"{LETTERS}, with weights that sum to 1, as L=1 or R=0.5,A=0.5; or ecker"
)
"""What an objective may be, for a sentence."""
_ROUNDING: Final = 1e-9


def describe(metric: str, unit: str = "") -> TermDescription | None:
    """Return the description of a metric by its letter; None for `objective`, which is no term.

    Parameters
    ----------
    unit
        Of the values; empty: the term's own.
    """
    return TERMS[Term(metric)].measured_in(unit) if metric in TERMS else None


def is_objective(text: str) -> bool:
    """Whether it names terms that may be mixed, with weights that sum to 1, or Ecker's score.

    The sidecar, which reads it, also knows the weights of Ecker's score and what policies take.
    """
    if text.partition("=")[0].strip() == "ecker":
        return True
    parts = [part.partition("=") for part in text.split(",")]
    terms = [term.strip() for term, _, _ in parts]
    try:
        weights = [float(weight) for _, _, weight in parts]
    except ValueError:
        return False
    weigh = {term for term, weight in zip(terms, weights, strict=True) if weight}
    return (
        set(terms) <= set(Term)
        and len(set(terms)) == len(terms)
        and all(0 <= weight <= 1 for weight in weights)
        and abs(sum(weights) - 1) <= _ROUNDING
        and (len(weigh) == 1 or weigh.isdisjoint(LOAD_TERMS))
    )
