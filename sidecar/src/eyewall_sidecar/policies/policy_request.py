"""One call of a policy: its question, its time limit, and its answers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.exact.finding import Clock, Finding, Outcome
from eyewall_sidecar.exact.infeasibility import binding_reasons, obvious_reasons
from eyewall_sidecar.exact.search import Search
from eyewall_sidecar.heuristic.ranges import ranges_of
from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model import PlacementProblem, Range, Solution, Status, violations
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate

Choose = Callable[[int, NDArray[np.bool_]], int]
"""(operator, [node]: whether it may hold it) → the place of the node that shall."""


def forced_first(arrays: ProblemArrays, order: Iterable[int]) -> list[int]:
    """Return the order with those operators first that only one node may hold."""
    forced = arrays.allowed.sum(axis=1) == 1
    return sorted(order, key=lambda operator: not forced[operator])


def counted(solution: Solution, evaluated: int) -> Solution:
    """Add what the policy has looked at to an answer."""
    return replace(solution, evaluated=solution.evaluated + evaluated)


@dataclass(frozen=True, slots=True)
class PolicyRequest:
    """The question that a policy answers, and its time limit.

    Parameters
    ----------
    policy
        Its name in POLICIES.
    problem, objective, seed
        The question.
    started, ends_at
        By `clock`, in seconds.
    clock
        Tells the time in seconds.
    """

    policy: str
    problem: PlacementProblem
    objective: Objective
    seed: int
    started: float
    ends_at: float
    clock: Clock

    @classmethod
    def now(
        cls,
        policy: str,
        problem: PlacementProblem,
        objective: Objective,
        time_limit: float,
        seed: int,
        clock: Clock,
    ) -> Self:
        """Take down the question, with the time limit from now on, in seconds."""
        started = clock()
        return cls(policy, problem, objective, seed, started, started + time_limit, clock)

    def place(self, room: RemainingCapacity, order: Iterable[int], choose: Choose) -> Solution:
        """Place operator by operator; nothing is ever taken back."""
        tried = 0
        for operator in order:
            if self.clock() >= self.ends_at:
                return counted(self.late(), tried)
            holding = room.holding(operator)
            tried += int(holding.sum())
            if not holding.any():
                return counted(self.no_room_for(operator), tried)
            room.put(operator, choose(operator, holding))
        return counted(self.placed(room.places), tried)

    def ranges(self) -> dict[Term, Range]:
        """Return what normalises the terms of a mixed objective."""
        mixed = len(self.objective.weights) > 1
        return ranges_of(ProblemArrays.of(self.problem), self.objective) if mixed else {}

    def placed(self, places: Places) -> Solution:
        """Answer with the placement that the policy found."""
        broken = violations(self.problem, placement_of(self.problem, places))
        return self.stuck(broken[0]) if broken else self._answer(places, self.policy)

    def no_room_for(self, operator: int) -> Solution:
        """Answer as `stuck` does, for an operator that found no node."""
        return self.stuck(f"no room was left for operator {self.problem.operators[operator].id}")

    def stuck(self, why: str) -> Solution:
        """Answer with any valid placement that an exact engine finds, or what binds."""
        arrays = ProblemArrays.of(self.problem)
        if reasons := obvious_reasons(self.problem, arrays):
            return self._nothing(Status.INFEASIBLE, reasons)
        search = Search(arrays, self.ends_at, self.seed, self.clock)
        finding = search.minimise({})
        return counted(self._found(search, finding, why), search.evaluated)

    def _found(self, search: Search, finding: Finding, why: str) -> Solution:
        if finding.outcome is Outcome.INFEASIBLE:
            return self._nothing(Status.INFEASIBLE, self._binding(search.arrays))
        if finding.outcome is Outcome.FAILED:
            return self._nothing(Status.FAILED, (why, *search.remarks))
        if finding.places is None:
            return self.late(why, *search.remarks)
        engine = search.runs[-1].engine
        found = f"{why}; {engine} found a valid placement, whatever its value"
        return self._answer(finding.places, engine, found)

    def _binding(self, arrays: ProblemArrays) -> tuple[str, ...]:
        ends_at = self.clock() + max(self.ends_at - self.clock(), 0.1)
        return binding_reasons(
            self.problem, arrays, ends_at=ends_at, clock=self.clock, seed=self.seed
        )

    def late(self, *reasons: str) -> Solution:
        """Answer that the time is up."""
        limit = self.ends_at - self.started
        ended = f"the time limit of {limit:g} s ended the search before any placement was found"
        return self._nothing(Status.TIMED_OUT, (ended, *reasons))

    def _answer(self, places: Places, decided_by: str, *reasons: str) -> Solution:
        placement = placement_of(self.problem, places)
        return Solution(
            status=Status.HEURISTIC,
            policy=self.policy,
            decided_by=decided_by,
            placement=placement,
            evaluation=evaluate(self.problem, placement, self.objective, self.ranges()),
            seconds=self.clock() - self.started,
            moves=self.problem.moves(placement),
            reasons=reasons,
        )

    def _nothing(self, status: Status, reasons: tuple[str, ...]) -> Solution:
        seconds = self.clock() - self.started
        return Solution(status, self.policy, self.policy, seconds=seconds, reasons=reasons)
