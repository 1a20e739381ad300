"""A policy: how it is called, and what a person who has to choose needs to know."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from eyewall_contracts.objective_terms import LOAD_TERMS, PAPER_TERMS

from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective, ObjectiveError, Term

IMPLEMENTATION = re.compile(r"[\w.]+:\w+")


class Policy(Protocol):
    """Place the problem's operators so that the objective is as good as the time limit allows.

    The same problem, objective and seed give the same placement, unless the time limit cuts in.
    No placement is an answer too: `Solution.reasons` says why. An objective that the method was
    not made for is an `ObjectiveError`.
    """

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators within `time_limit` seconds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEntry:
    """What a policy is, and where its code is; importing an entry imports no solver.

    Parameters
    ----------
    title
        What its authors call it.
    source
        The paper and section, or the software.
    method
        How it places operators, in a sentence.
    optimises
        Terms that it makes good placements for; none if it ignores the objective.
    mixes
        Whether it also takes weighted sums of these terms, L and THETA left out.
    ecker
        Whether it also takes Ecker's score (paper 002, section 4.2).
    take_it
        When to, as the end of a sentence that begins with "take it".
    implementation
        `module:name` of a function that is the policy, or of a class that is called without
        arguments to make one.

    A value that is not allowed is a ValueError.
    """

    title: str
    source: str
    method: str
    optimises: tuple[Term, ...]
    mixes: bool = False
    ecker: bool = False
    take_it: str
    implementation: str

    def __post_init__(self) -> None:
        """Refuse what cannot be listed or loaded."""
        for key in ("title", "source", "method", "take_it"):
            value = getattr(self, key)
            if not isinstance(value, str) or not value.strip() or not value.isprintable():
                raise ValueError(f"{key} is {value!r}; it must be one line of text")
        if not isinstance(self.optimises, tuple) or not set(self.optimises) <= set(Term):
            terms = ", ".join(Term)
            raise ValueError(f"optimises is {self.optimises!r}; it must be a tuple of {terms}")
        if not IMPLEMENTATION.fullmatch(self.implementation):
            raise ValueError(f"implementation is {self.implementation!r}; it must be module:name")

    @property
    def objectives(self) -> str:
        """What it optimises, in words."""
        if not self.optimises:
            return "nothing: it takes any objective, and reports its value"
        if not self.mixes:
            return f"{' or '.join(self.optimises)} alone"
        mixed = [term for term in self.optimises if term not in LOAD_TERMS]
        alone = [f"{term} alone" for term in self.optimises if term in LOAD_TERMS]
        mixes = ", ".join([*mixed, "mixes of them", *alone])
        return f"{mixes}, Ecker's score" if self.ecker else mixes

    def takes(self, objective: Objective) -> bool:
        """Whether it answers for this objective, and does not decline it."""
        if not self.optimises:
            return True
        if objective.ecker:
            return self.ecker
        terms = set(objective.weights)
        return bool(terms) and terms <= {*self.optimises} and (self.mixes or len(terms) == 1)

    def load(self) -> Policy:
        """Import the policy."""
        module, _, name = self.implementation.partition(":")
        found = getattr(import_module(module), name)
        return cast("Policy", found() if isinstance(found, type) else found)


def require_objective(policy: str, objective: Objective, terms: Collection[Term]) -> None:
    """Refuse any objective but one of these terms alone."""
    if objective.single not in terms:
        allowed = " or ".join(f"{term}=1" for term in terms)
        raise ObjectiveError(
            f"objective {objective}: policy {policy} optimises {' or '.join(terms)} alone; "
            f"ask it for {allowed}, or take another policy"
        )


def require_terms(policy: str, objective: Objective) -> None:
    """Refuse what is no term and no mix of terms."""
    if not objective.weights:
        raise ObjectiveError(
            f"objective {objective}: policy {policy} optimises {', '.join(PAPER_TERMS)} and mixes "
            f"of them, {' and '.join(LOAD_TERMS)}; take another policy"
        )


def require_idle_hosts(policy: str, objective: Objective) -> None:
    """Refuse the terms of the load model."""
    if objective.weighs_load:
        raise ObjectiveError(
            f"objective {objective}: policy {policy} takes hosts for idle; take bound_guided or odp"
        )
