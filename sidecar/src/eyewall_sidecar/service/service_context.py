"""What a service of another distribution may ask of the sidecar that it runs in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from eyewall_sidecar.service.planner import check_seed, check_time_limit
from eyewall_sidecar.service.round import SchedulingService
from eyewall_sidecar.service.running_problem import RunningProblem, running_problem
from eyewall_sidecar.service.solver_pool import SolverFailure, Solvers, SolverTask, wait_for

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """The running sidecar, for any thread.

    Parameters
    ----------
    service
        Decides rounds; knows what runs.
    solvers
        The processes that solve.
    """

    service: SchedulingService
    solvers: Solvers

    def running_problem(self, topology: str) -> RunningProblem:
        """Return the placement problem of a topology, by its name or Storm's id.

        UnknownNameError offers the nearest names, UnavailableError says why there is none now.
        """
        return running_problem(self.service, topology)

    def time_limit(self, wanted: float) -> float:
        """Return the seconds that a solve may take; 0 is the sidecar's usual limit.

        InvalidRequestError if `wanted` is not a limit.
        """
        return check_time_limit(wanted, self.service.settings.solver.improvement_seconds)

    def seed(self, wanted: int | None) -> int:
        """Return the seed of a solve; None: the sidecar's. InvalidRequestError if it is none."""
        return check_seed(wanted, self.service.settings.solver.seed)

    def solve(
        self, task: SolverTask[Result], time_limit: float, is_awaited: Callable[[], bool]
    ) -> Result | SolverFailure:
        """Solve in another process and wait; UnavailableError once `is_awaited` returns False."""
        return wait_for(self.solvers.run(task, time_limit), self.service.now, is_awaited)
