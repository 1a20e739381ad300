"""A search for a placement under way in another process, and what it found."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from eyewall_sidecar.model import Solution
from eyewall_sidecar.service.solver_pool import Job, PlacementTask, SolverFailure


@dataclass(frozen=True, slots=True)
class PlacementSearch:
    """A task given to the solvers.

    Parameters
    ----------
    job, solution
        The job until its solution is there.
    failure
        Why there is none and will be none.
    began, found
        When it was given, and when a round took the solution, or learned that there is none, by the
        clock of rounds. The same where it failed before anything worked on it.
    change
        Factor by which the value of what runs has to change to be searched for sooner again.
    cheaper
        Searches for what costs less to move to, as far as they were needed; without a job from the
        beginning where there was nothing to look for.
    """

    task: PlacementTask
    job: Job[Solution] | None
    solution: Solution | None = None
    failure: SolverFailure | None = None
    began: float = -inf
    found: float = inf
    change: float = 1.0
    cheaper: "tuple[PlacementSearch, ...]" = ()

    @property
    def seconds(self) -> float:
        """What it took so far, as far as solutions were found, or until it had failed."""
        own = self.solution.seconds if self.solution is not None else 0.0
        if self.failure is not None:
            own = self.found - self.began
        return own + sum(it.seconds for it in self.cheaper)

    def polled(self, until: float, clock: Callable[[], float]) -> "PlacementSearch":
        """Take the solution, or the failure, if it is there by then."""
        result = self.job.result(until) if self.job is not None else None
        if result is None:
            return self
        if isinstance(result, SolverFailure):
            found = clock() if result.began else self.began
            return replace(self, job=None, failure=result, found=found)
        return replace(self, job=None, solution=result, found=clock())

    def cancel(self) -> None:
        """Wait no longer for solutions that are under way."""
        if self.job is not None:
            self.job.cancel()
        for it in self.cheaper:
            it.cancel()
