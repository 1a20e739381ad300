"""The whole question of a buyer: what to buy, what breaks first, what less money gets."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from eyewall_papers.provisioning.answer import MORE, Answer
from eyewall_papers.provisioning.cheaper import next_cheaper
from eyewall_papers.provisioning.methods import METHODS
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.utilisation import broken_at, sustained, utilisation

TRIES = 10
"""Throughputs that are tried for the next cheaper platform: a thousandth of it is 2⁻¹⁰."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How it is to be answered.

    Parameters
    ----------
    method
        A key of METHODS.
    time_limit
        Seconds for what to buy; as many again at most for the next cheaper platform.
    seed
        Same seed, same answer, unless the time limit cut in.
    """

    method: str
    time_limit: float
    seed: int


def ask(problem: ProvisioningProblem, asked: Asked, clock: Callable[[], float]) -> Answer:
    """Find the platform, and what is next to it."""
    method = METHODS[asked.method]
    found = method(problem, time_limit=asked.time_limit, seed=asked.seed, clock=clock)
    if found.provision is None:
        return Answer(found.solution)

    ends_at = clock() + asked.time_limit

    def within_its_part(other: ProvisioningProblem) -> Provision | None:
        if clock() >= ends_at:  # a large topology takes some seconds more than its part
            return None
        part = asked.time_limit / TRIES
        return method(other, time_limit=part, seed=asked.seed, clock=clock).provision

    return Answer(
        found.solution,
        found.provision,
        uses=utilisation(problem, found.provision),
        breaks=broken_at(problem, found.provision, MORE),
        sustained=sustained(problem, found.provision),
        cheaper=next_cheaper(problem, found.provision, within_its_part),
    )


@dataclass(frozen=True, slots=True)
class PlatformTask:
    """What is asked of a method of provisioning: all that decides the answer."""

    problem: ProvisioningProblem
    method: str
    seed: int

    lane: ClassVar[str] = "platforms"
    grace: ClassVar[float] = 60.0
    """The paper's heuristics and the building of the model ignore the time limit."""

    def solve(self, time_limit: float) -> Answer:
        """Return what to buy; half of the seconds are for the next cheaper platform."""
        return ask(self.problem, Asked(self.method, time_limit / 2, self.seed), monotonic)
