"""The objective's grammar, the same words everywhere: `R=0.5,A=0.2,N=0.3`."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Self

_ALLOWED = "R, A, T, N and EE, each with a weight, as R=0.5,A=0.2,N=0.3"


class ObjectiveError(ValueError):
    """An objective that cannot be read; the message names term, value and what is allowed."""


class Term(StrEnum):
    """One metric that can be optimised."""

    R = "R"
    """Response time, seconds, minimised."""
    A = "A"
    """Availability, maximised."""
    T = "T"
    """Inter-node traffic, tuples/s, minimised."""
    N = "N"
    """Network usage, tuples, minimised."""
    EE = "EE"
    """Elastic energy, tuples · s, minimised."""


@dataclass(frozen=True, slots=True)
class Objective:
    """Terms with weights > 0 that sum to 1.

    One term alone is optimised as it is; several are the normalised weighted sum of paper 000,
    equations (9) and (22), maximised.
    """

    weights: Mapping[Term, float]

    def __post_init__(self) -> None:
        for term, weight in self.weights.items():
            if not 0 <= weight <= 1:
                raise ObjectiveError(
                    f"objective: weight of {term} is {weight:g}; it must be in [0, 1]"
                )
        total = sum(self.weights.values())
        if abs(total - 1) > 1e-9:
            raise ObjectiveError(
                f"objective {self}: the weights sum to {total:g}; they must sum to 1"
            )
        used = {term: self.weights[term] for term in Term if self.weights.get(term)}
        object.__setattr__(self, "weights", used)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `R=0.5,A=0.2,N=0.3`."""
        weights: dict[Term, float] = {}
        for part in text.split(","):
            name, equals, number = (piece.strip() for piece in part.partition("="))
            if not equals:
                raise ObjectiveError(
                    f"objective {text!r}: {part!r} has no weight; write {_ALLOWED}"
                )
            term = _term(text, name)
            if term in weights:
                raise ObjectiveError(f"objective {text!r}: {term} is given twice")
            weights[term] = _weight(text, term, number)
        return cls(weights)

    @property
    def single(self) -> Term | None:
        """The only term, or None if there are several."""
        return next(iter(self.weights)) if len(self.weights) == 1 else None

    @property
    def maximised(self) -> bool:
        """Whether a greater value is better."""
        return self.single in (Term.A, None)

    def __str__(self) -> str:
        return ",".join(f"{term}={weight:g}" for term, weight in self.weights.items())


def _term(text: str, name: str) -> Term:
    if term := Term.__members__.get(name):
        return term
    close = get_close_matches(name.upper(), [term.value for term in Term], n=1)
    guess = f" (did you mean {close[0]}?)" if close else ""
    raise ObjectiveError(f"objective {text!r}: no term {name!r}; terms are {_ALLOWED}{guess}")


def _weight(text: str, term: Term, number: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise ObjectiveError(
            f"objective {text!r}: weight of {term} is {number!r}; it must be a number in [0, 1]"
        ) from None
