"""The runs of the solver that one answer needs, within one time limit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.model import Placement, PlacementProblem
from eyewall_sidecar.objective import Term
from eyewall_sidecar.odp.cuts import define_path_covers, define_star_capacities
from eyewall_sidecar.odp.highs import Outcome, minimise
from eyewall_sidecar.odp.infeasibility import binding_reasons
from eyewall_sidecar.odp.program import create_program, read_placement

SECONDS_PER_VARIABLE = 2e-5
"""What building the program takes for one y on a slow core; cutting it short is not possible."""

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
    """

    outcome: Outcome
    excess: float
    placement: Placement | None = None


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

    def why_infeasible(self) -> tuple[str, ...]:
        """Name what binds; nothing if some placement is valid."""
        return binding_reasons(self.problem, time_limit=max(self.remaining, 0.1), seed=self.seed)

    def _minimise(self, weights: Mapping[Term, float], ends_at: float) -> Optimum:
        if self._variables() * SECONDS_PER_VARIABLE > ends_at - self.clock():
            return Optimum(Outcome.NOTHING, 0.0)
        program = create_program(self.problem, weights)
        define_path_covers(program)
        define_star_capacities(program)
        run = minimise(program.linear, time_limit=ends_at - self.clock(), seed=self.seed)
        placed = run.outcome in (Outcome.OPTIMAL, Outcome.INCUMBENT)
        placement = read_placement(program) if placed else None
        excess = max(0.0, run.bound) if program.costs else 0.0
        return Optimum(run.outcome, excess, placement)

    def _variables(self) -> int:
        problem = self.problem
        choices = {it.id: len(problem.candidates(it.id)) for it in problem.operators}
        pairs = {(stream.source, stream.target) for stream in problem.streams}
        return sum(choices[source] * choices[target] for source, target in pairs)
