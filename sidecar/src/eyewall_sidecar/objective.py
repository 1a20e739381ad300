"""The objective's grammar, the same words everywhere: `R=0.5,A=0.2,N=0.3`, or `ecker`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Self

from eyewall_contracts.objective_terms import LETTERS, LOAD_TERMS, TERMS, Term

from eyewall_sidecar.model.limits import MOST

__all__ = ["EckerWeights", "Objective", "ObjectiveError", "Term"]

_ALLOWED = f"{LETTERS}, each with a weight, as R=0.5,A=0.2,N=0.3"
_ECKER = "ecker"
_OF_ECKER = f"a number from 0 to {MOST:g}"


class ObjectiveError(ValueError):
    """An objective that cannot be read; the message names term, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class EckerWeights:
    """The weights w1 to w4 of Ecker's score (paper 002, equation 1), each from 0 to MOST.

    Parameters
    ----------
    lat
        w1: of the longest way's delays, by the millisecond.
    sup
        w2: of the nodes in use, as a share of all.
    co
        w3: of the streams between different nodes, as a share of all.
    event
        w4: of the tuples between different nodes, as a share of all.
    """

    lat: float = 1e-6
    sup: float = 1.0
    co: float = 1.0
    event: float = 1.0

    def __post_init__(self) -> None:
        for weight in fields(self):
            value = getattr(self, weight.name)
            if not 0 <= value <= MOST:
                raise ObjectiveError(
                    f"objective: ecker's weight of {weight.name} is {value:g}; "
                    f"it must be {_OF_ECKER}"
                )

    def __str__(self) -> str:
        return ",".join(f"{it.name}:{getattr(self, it.name):g}" for it in fields(self))


@dataclass(frozen=True, slots=True)
class Objective:
    """Terms with weights > 0 that sum to 1, or Ecker's score.

    One term alone is optimised as it is; several are the normalised weighted sum of paper 000,
    equations (9) and (22), maximised. Ecker's score is minimised, and has no terms.

    Parameters
    ----------
    weights
        Term → its weight; empty for Ecker's score.
    ecker
        The weights of Ecker's score, if it is what counts.
    """

    weights: Mapping[Term, float] = field(default_factory=dict)
    ecker: EckerWeights | None = None

    def __post_init__(self) -> None:
        for term, weight in self.weights.items():
            if not 0 <= weight <= 1:
                raise ObjectiveError(
                    f"objective: weight of {term} is {weight:g}; it must be in [0, 1]"
                )
        if self.ecker and self.weights:
            raise ObjectiveError(f"objective {self}: ecker cannot be mixed with other terms")
        total = sum(self.weights.values())
        if not self.ecker and abs(total - 1) > 1e-9:
            raise ObjectiveError(
                f"objective {self}: the weights sum to {total:g}; they must sum to 1"
            )
        for term in LOAD_TERMS:
            if 0 < self.weights.get(term, 0.0) < 1:
                raise ObjectiveError(
                    f"objective {self}: {term} cannot be mixed with other terms, as it has no "
                    f"worst value to normalise by; write {term}=1"
                )
        used = {term: self.weights[term] for term in Term if self.weights.get(term)}
        object.__setattr__(self, "weights", used)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `R=0.5,A=0.2,N=0.3`, `ecker` or `ecker=lat:1e-6,sup:1,co:1,event:1`."""
        name, _, rest = text.strip().partition("=")
        if name.strip() == _ECKER:
            return cls(ecker=_ecker(text, rest))
        weights: dict[Term, float] = {}
        for part in text.split(","):
            name, equals, number = (piece.strip() for piece in part.partition("="))
            if name == _ECKER:
                raise ObjectiveError(f"objective {text!r}: ecker cannot be mixed with other terms")
            if not equals:
                raise ObjectiveError(
                    f"objective {text!r}: {part!r} has no weight; write {_ALLOWED}"
                )
            term = _term(text, name)
            if term in weights:
                raise ObjectiveError(f"objective {text!r}: {term} is given twice")
            weights[term] = _number(text, term, number, "a number in [0, 1]")
        return cls(weights)

    @property
    def single(self) -> Term | None:
        """The only term; None if there are several, and for Ecker's score."""
        return next(iter(self.weights)) if len(self.weights) == 1 else None

    @property
    def maximised(self) -> bool:
        """Whether a greater value is better."""
        if self.ecker:
            return False
        return self.single is None or not TERMS[self.single].less_is_better

    @property
    def weighs_load(self) -> bool:
        """Whether it is a term of the load model; these stand alone."""
        return self.single in LOAD_TERMS

    @property
    def weighs_latency(self) -> bool:
        """Whether it gets better as tuples arrive sooner."""
        if self.ecker:
            return self.ecker.lat > 0
        return self.weighs_load or Term.R in self.weights

    @property
    def depends_on_rates(self) -> bool:
        """Whether a stream's rate changes the value of a placement."""
        if self.ecker:
            return self.ecker.event > 0
        return any(TERMS[term].depends_on_rates for term in self.weights)

    def __str__(self) -> str:
        terms = ",".join(f"{term}={weight:g}" for term, weight in self.weights.items())
        return ",".join(filter(None, [terms, f"{_ECKER}={self.ecker}" if self.ecker else ""]))


def _ecker(text: str, rest: str) -> EckerWeights:
    """Read `lat:1e-6,sup:1,co:1,event:1`; a weight that is not given is the paper's."""
    known = [it.name for it in fields(EckerWeights)]
    usage = f"ecker has {', '.join(known[:-1])} and {known[-1]}, as ecker={EckerWeights()}"
    weights: dict[str, float] = {}
    for part in rest.split(",") if "=" in text else ():
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        if name not in known:
            close = get_close_matches(name, known, n=1)
            guess = f" (did you mean {close[0]}?)" if close else ""
            raise ObjectiveError(f"objective {text!r}: no weight {name!r}; {usage}{guess}")
        if not colon:
            raise ObjectiveError(f"objective {text!r}: {name!r} has no weight; {usage}")
        if name in weights:
            raise ObjectiveError(f"objective {text!r}: {name} is given twice")
        weights[name] = _number(text, name, number, _OF_ECKER)
    return EckerWeights(**weights)


def _term(text: str, name: str) -> Term:
    if term := Term.__members__.get(name):
        return term
    close = get_close_matches(name.upper(), [term.value for term in Term], n=1)
    guess = f" (did you mean {close[0]}?)" if close else ""
    raise ObjectiveError(f"objective {text!r}: no term {name!r}; terms are {_ALLOWED}{guess}")


def _number(text: str, name: str, number: str, allowed: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise ObjectiveError(
            f"objective {text!r}: weight of {name} is {number!r}; it must be {allowed}"
        ) from None
