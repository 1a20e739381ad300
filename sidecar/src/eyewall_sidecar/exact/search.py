"""The runs of exact engines that one answer needs, within one time limit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isfinite

from eyewall_sidecar.exact import closed_form
from eyewall_sidecar.exact.branch_and_bound import (
    FADING,
    branch_and_bound,
    covers,
    setup_seconds,
)
from eyewall_sidecar.exact.closed_form import solve_closed_form
from eyewall_sidecar.exact.finding import Clock, Finding, Heuristic, Outcome
from eyewall_sidecar.exact.sparse_engine import MOST_COLUMNS, integer_program, most_columns
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import Costs, cost, weigh

DECIDED = (Outcome.OPTIMAL, Outcome.INFEASIBLE)
HEURISTIC_SHARE, MOST_TURNS = 0.4, 200
"""Of the time, and of the heuristic's turns, before the integer program: a small problem needs few
and is proven soon."""
TOO_SHORT = "the time is too short for an exact engine: searched as bound_guided does"
SETUP_SHARE = 0.1
"""Of the time limit: where tables take longer, branch and bound seldom proves anything in the rest,
and the heuristic has all of it."""
ROUNDING = 1e-12
"""Of a value: below this, two ways to add it up differ."""
MOST_READABLE = 100_000
"""Columns. PuLP takes about ten seconds to write so many."""


class Engine(StrEnum):
    """What in the policy found an answer."""

    CLOSED_FORM = "closed form"
    BRANCH_AND_BOUND = "branch and bound"
    INTEGER_PROGRAM = "integer program"
    PULP = "PuLP"
    HEURISTIC = "search of bound_guided"


@dataclass(frozen=True, slots=True, eq=False)
class EngineRun:
    """What an engine found."""

    engine: Engine
    finding: Finding


def leaves_proof(arrays: ProblemArrays, time_limit: float) -> bool:
    """Whether branch and bound would hardly begin within the time limit, and nothing else proves.

    The closed form does, and the integer program has no such tables.
    """
    if closed_form.covers(arrays) or not covers(arrays):
        return False
    return setup_seconds(arrays) > SETUP_SHARE * time_limit


def too_large(arrays: ProblemArrays, *, readable: bool) -> bool:
    """Whether no exact engine takes the problem, or the readable one does not."""
    if readable:
        return most_columns(arrays) > MOST_READABLE
    taken = covers(arrays) or most_columns(arrays) <= MOST_COLUMNS or closed_form.covers(arrays)
    return not taken


@dataclass(frozen=True, slots=True)
class Search:
    """One search.

    Parameters
    ----------
    arrays
        The problem that is solved.
    ends_at
        When it must be done, by `clock` in seconds.
    seed
        The integer program's.
    clock
        Tells the time.
    known
        Valid placements that are known beforehand.
    readable
        The problem, if the readable program shall solve it; None for the fastest engine.
    heuristic
        Finds placements while the exact engines search; None without.
    leaves_proof
        Whether the heuristic has all the time of branch and bound, unless it finds nothing.
    runs
        What every run so far came to.
    """

    arrays: ProblemArrays
    ends_at: float
    seed: int
    clock: Clock
    known: tuple[Places, ...] = ()
    readable: PlacementProblem | None = None
    heuristic: Heuristic | None = None
    leaves_proof: bool = False
    runs: list[EngineRun] = field(default_factory=list)

    @property
    def infeasible(self) -> bool:
        """Whether a run has shown that no placement exists."""
        return any(run.finding.outcome is Outcome.INFEASIBLE for run in self.runs)

    @property
    def evaluated(self) -> int:
        """How many placements, branches or nodes all runs looked at."""
        return sum(run.finding.steps for run in self.runs)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Every remark of a run, once."""
        return tuple(dict.fromkeys(run.finding.remark for run in self.runs if run.finding.remark))

    def minimise(
        self, weights: Mapping[Term, float], *, share: float = 1.0, least: float = 0.0
    ) -> Finding:
        """Minimise weighted terms (as for `weigh`) in a share of the time that is left.

        No placement is known to cost less than `least`.
        """
        costs = weigh(self.arrays, weights)
        now = self.clock()
        ends_at = now + share * max(0.0, self.ends_at - now)
        if self.readable is not None:
            run = self._readable_program(self.readable, weights, ends_at)
        else:
            run = self._run(costs, ends_at, least)
        self.runs.append(run)
        return run.finding

    def _run(self, costs: Costs, ends_at: float, least: float) -> EngineRun:
        if closed_form.covers(self.arrays):
            now = self.clock()
            until = ends_at if self.heuristic is None else (now + ends_at) / 2
            finding = solve_closed_form(self.arrays, costs, ends_at=until, clock=self.clock)
            run = EngineRun(Engine.CLOSED_FORM, finding)
            if finding.outcome in DECIDED:
                return run
        start = self._start(costs)
        if not covers(self.arrays):
            until = self.clock() + HEURISTIC_SHARE * (ends_at - self.clock())
            better = self._better(start, costs, until, least, MOST_TURNS)
            return self._program(costs, better, ends_at)
        if self.leaves_proof:
            better = self._better(start, costs, ends_at, least, None)
            if better is not None:
                return self._heuristic_run(better, costs, least)
        finding = branch_and_bound(
            self.arrays,
            costs,
            start=start,
            ends_at=ends_at,
            clock=self.clock,
            heuristic=self.heuristic,
        )
        return EngineRun(Engine.BRANCH_AND_BOUND, finding)

    def _readable_program(
        self, problem: PlacementProblem, weights: Mapping[Term, float], ends_at: float
    ) -> EngineRun:
        # Only here: PuLP is no part of the decisions of a sidecar.
        from eyewall_sidecar.exact.pulp_engine import readable_program

        finding = readable_program(
            problem, self.arrays, weights, ends_at=ends_at, clock=self.clock, seed=self.seed
        )
        return EngineRun(Engine.PULP, finding)

    def _program(self, costs: Costs, start: Places | None, ends_at: float) -> EngineRun:
        finding = integer_program(
            self.arrays, costs, start=start, ends_at=ends_at, clock=self.clock, seed=self.seed
        )
        return EngineRun(Engine.INTEGER_PROGRAM, finding)

    def _heuristic_run(self, places: Places, costs: Costs, least: float) -> EngineRun:
        value = cost(self.arrays, costs, places)
        if _is_least(value, least):
            return EngineRun(Engine.HEURISTIC, Finding(Outcome.OPTIMAL, places, value, value))
        finding = Finding(Outcome.INCUMBENT, places, value, min(least, value), remark=TOO_SHORT)
        return EngineRun(Engine.HEURISTIC, finding)

    def _better(
        self,
        start: Places | None,
        costs: Costs,
        until: float,
        least: float,
        most_turns: int | None,
    ) -> Places | None:
        """Return what the heuristic makes of it until then; HiGHS takes no turns."""
        now = self.clock()
        if self.heuristic is None or now >= until:
            return start
        value = inf if start is None else cost(self.arrays, costs, start)
        longest = 0.0
        for turns, places in enumerate(self.heuristic(self.arrays, costs, until - now), 1):
            found = cost(self.arrays, costs, places)
            if found < value:
                start, value = places.copy(), found
            before, now = now, self.clock()
            longest = max(FADING * longest, now - before)
            if _is_least(value, least) or now + longest >= until or turns == most_turns:
                break
        return start

    def _start(self, costs: Costs) -> Places | None:
        """Return the best placement that is known."""
        found = [run.finding.places for run in self.runs if run.finding.places is not None]
        valued = [(cost(self.arrays, costs, it), it) for it in (*self.known, *found)]
        usable = [it for it in valued if isfinite(it[0])]
        return min(usable, key=lambda it: it[0])[1] if usable else None


def _is_least(value: float, least: float) -> bool:
    """Whether a cost is the least possible one but for rounding."""
    return value <= least + ROUNDING * abs(least)
