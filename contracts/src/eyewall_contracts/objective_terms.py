"""The terms of an objective: letter, name, unit and direction, the same in every part.

The formulas are in `eyewall_sidecar.objectives`, one file a term.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Term(StrEnum):
    """A metric of a placement that can be optimised, by its letter; `TERMS` describes it."""

    R = "R"
    A = "A"
    T = "T"
    N = "N"
    EE = "EE"


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
        meaning="tuples/s between hosts",
        unit="tuples/s",
        display_unit="tuples/s",
        depends_on_rates=True,
    ),
    Term.N: TermDescription(
        key="network_usage",
        name="network usage",
        meaning="traffic times delay",
        unit="tuples",
        display_unit="tuples",
        depends_on_rates=True,
    ),
    Term.EE: TermDescription(
        key="elastic_energy",
        name="elastic energy",
        meaning="traffic times delay squared",
        unit="tuples·s",
        display_unit="tuples·s",
        depends_on_rates=True,
    ),
}

LETTERS: Final = f"{', '.join(list(TERMS)[:-1])} and {list(TERMS)[-1]}"
"""All terms, for a sentence."""


def describe(metric: str) -> TermDescription | None:
    """Return the description of a metric by its letter; None for `objective`, which is no term."""
    return TERMS[Term(metric)] if metric in TERMS else None
