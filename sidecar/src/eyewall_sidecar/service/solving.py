"""The port to whatever solves: ask now, take the answer when it is there."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective

Found = TypeVar("Found", covariant=True)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a policy.

    Parameters
    ----------
    problem, objective, policy, seed
        What decides the answer.
    interchangeable
        Groups of operators of which each could do the others' work.
    """

    problem: PlacementProblem
    objective: Objective
    policy: str
    seed: int
    interchangeable: tuple[tuple[str, ...], ...] = ()


class SolverTask(Protocol[Found]):
    """A question that solves itself: it is pickled and solved in another process."""

    @property
    def lane(self) -> str:
        """The process that solves it; tasks of one lane wait for each other."""
        ...

    @property
    def grace(self) -> float:
        """Seconds beyond its time limit after which its process is taken to hang."""
        ...

    def solve(self, time_limit: float) -> Found:
        """Return the answer, in seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Failed:
    """The solver broke: no answer, and nothing learned of the problem."""

    reason: str


Outcome = Solution | Failed


class Job(Protocol[Found]):
    """A question under way."""

    def outcome(self, until: float) -> Found | Failed | None:
        """Wait for the answer until then (on the service's clock); None if it is not there."""
        ...

    def drop(self) -> None:
        """Forget the question; nobody waits for its answer any more."""
        ...


class Solvers(Protocol):
    """Lanes of their own, so that no question delays a more urgent one."""

    def place(self, question: Question, time_limit: float) -> Job[Solution]:
        """Ask for executors that have no slot."""
        ...

    def improve(self, question: Question, time_limit: float) -> Job[Solution]:
        """Ask for a better placement of executors that run."""
        ...

    def plan(self, question: Question, time_limit: float) -> Job[Solution]:
        """Ask what somebody wants to know, who waits for it."""
        ...

    def run(self, task: SolverTask[Found], time_limit: float) -> Job[Found]:
        """Solve a task of another distribution, for somebody who waits for it."""
        ...
