"""The runs of the solver that one answer needs, within one time limit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.model import Placement, PlacementProblem
from eyewall_sidecar.objective import Term
from eyewall_sidecar.odp.cuts import define_path_covers, define_star_capacities
from eyewall_sidecar.odp.finding import Outcome
from eyewall_sidecar.odp.highs import minimise
from eyewall_sidecar.odp.infeasibility import binding_reasons
from eyewall_sidecar.odp.program import OdpProgram, families, read_placement

SECONDS_PER_VARIABLE = 2e-5
"""What building the program takes for one y on a slow core."""
NO_TIME_TO_BUILD = "there was no time to build the integer program"

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Optimum:
    """What the integer program says about weighted terms.

    Parameters
    ----------
    outcome
        How the run ended.
    excess
        No placement has a smaller weighted excess over the best cases, in the program's units.
    placement
        The solver's, if it has one.
    remark
        Why the program could not be solved, as a sentence for a person.
    """

    outcome: Outcome
    excess: float
    placement: Placement | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """One search.

    Parameters
    ----------
    problem
        What is solved.
    ends_at
        When it must be done, by `clock` in seconds.
    seed
        The solver's.
    clock
        Tells the time.
    runs
        What every run so far came to.
    """

    problem: PlacementProblem
    ends_at: float
    seed: int
    clock: Clock
    runs: list[Optimum] = field(default_factory=list)

    @property
    def remaining(self) -> float:
        """Seconds left."""
        return max(0.0, self.ends_at - self.clock())

    def minimise(self, weights: Mapping[Term, float], *, share: float = 1.0) -> Optimum:
        """Minimise the weighted excess in a share of the time that is left."""
        optimum = self._minimise(weights, self.clock() + share * self.remaining)
        self.runs.append(optimum)
        return optimum

    @property
    def infeasible(self) -> bool:
        """Whether a run has shown that no placement exists."""
        return any(run.outcome is Outcome.INFEASIBLE for run in self.runs)

    @property
    def found(self) -> list[Placement]:
        """Every placement that a run came up with, the last one first."""
        return [run.placement for run in reversed(self.runs) if run.placement is not None]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Every remark of a run, once."""
        return tuple(dict.fromkeys(run.remark for run in self.runs if run.remark))

    def why_infeasible(self) -> tuple[str, ...]:
        """Name what binds; nothing if some placement is valid."""
        ends_at = self.clock() + max(self.remaining, 0.1)
        return binding_reasons(self.problem, ends_at=ends_at, clock=self.clock, seed=self.seed)

    def _minimise(self, weights: Mapping[Term, float], ends_at: float) -> Optimum:
        program = self._build(weights, ends_at)
        if program is None:
            return Optimum(Outcome.NOTHING, 0.0, remark=NO_TIME_TO_BUILD)
        run = minimise(program.linear, ends_at=ends_at, clock=self.clock, seed=self.seed)
        placed = run.outcome in (Outcome.OPTIMAL, Outcome.INCUMBENT)
        placement = read_placement(program) if placed else None
        excess = max(0.0, run.bound) if program.costs else 0.0
        remark = f"the solver failed: {run.error}" if run.error else ""
        return Optimum(run.outcome, excess, placement, remark)

    def _build(self, weights: Mapping[Term, float], ends_at: float) -> OdpProgram | None:
        """Build the program; None if that takes longer than there is time."""
        if self._variables() * SECONDS_PER_VARIABLE > ends_at - self.clock():
            return None
        program = OdpProgram(self.problem, weights)
        for define in (*families(), define_path_covers, define_star_capacities):
            define(program)
            if self.clock() >= ends_at:
                return None
        return program

    def _variables(self) -> int:
        problem = self.problem
        choices = {it.id: len(problem.candidates(it.id)) for it in problem.operators}
        pairs = {(stream.source, stream.target) for stream in problem.streams}
        return sum(choices[source] * choices[target] for source, target in pairs)
