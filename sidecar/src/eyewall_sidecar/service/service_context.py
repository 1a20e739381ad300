"""What a service of another distribution may ask of the sidecar that it runs in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from eyewall_sidecar.service.planning import awaited, limit_of, seed_of
from eyewall_sidecar.service.running_problem import RunningProblem, running_problem
from eyewall_sidecar.service.scheduling import SchedulingService
from eyewall_sidecar.service.solving import Failed, Solvers, SolverTask

Found = TypeVar("Found")


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

        UnknownNameError offers the nearest names, NotNowError says why there is none now.
        """
        return running_problem(self.service, topology)

    def time_limit(self, wanted: float) -> float:
        """Return the seconds that a solve may take; 0 is the sidecar's usual limit.

        BadQuestionError if `wanted` is not a limit.
        """
        return limit_of(wanted, self.service.rules.improvement_seconds)

    def seed(self, wanted: int | None) -> int:
        """Return the seed of a solve; None is the sidecar's. BadQuestionError if it is not one."""
        return seed_of(wanted, self.service.rules.seed)

    def solve(
        self, task: SolverTask[Found], time_limit: float, is_awaited: Callable[[], bool]
    ) -> Found | Failed:
        """Solve in another process and wait; NotNowError once `is_awaited` returns False."""
        return awaited(self.solvers.run(task, time_limit), self.service.now, is_awaited)
