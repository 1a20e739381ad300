"""What is known of one topology between rounds, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from eyewall_sidecar.model import Solution
from eyewall_sidecar.service.asking import Asked
from eyewall_sidecar.service.moving import Judgement, Restraints
from eyewall_sidecar.service.solving import Failed, Job, Question
from eyewall_sidecar.storm import (
    Assignment,
    Executor,
    Settings,
    TopologyProblem,
    TopologyState,
    moved_away,
)

BACK_SECONDS = 3600.0
"""For which it is remembered of an executor where it was moved away from."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered of one topology.

    Parameters
    ----------
    assignment_digest, since
        The assignment that runs, and when it was first seen.
    status
        The text that belongs to it, if it was decided here.
    asked
        The problem that was last built.
    question, job, answer
        What was asked last, and its answer once it is there.
    judged_on, judgement
        A problem, its settings, an answer and what spoke against moving then; and what came of
        them.
    decided, decided_status
        What was last to be placed, and the text that is true once it runs.
    logged, recorded
        The last line in the log and the last that was recorded, so that no round repeats them.
    held_back
        What is not known well enough to look for anything better, or who or what keeps it from
        being done; empty if nothing does.
    troubled
        It was said why this assignment is only kept: once that is over, that is said too.
    left
        Executor → the supervisor that it was last moved away from, and when.
    reached
        When a round last got so far as to look for anything better.
    """

    assignment_digest: bytes
    since: float
    status: str = ""
    asked: Asked | None = None
    question: Question | None = None
    job: Job[Solution] | None = None
    answer: Solution | None = None
    judged_on: tuple[TopologyProblem, Settings, Solution, Restraints] | None = None
    judgement: Judgement | None = None
    decided: Assignment = ()
    decided_status: str = ""
    logged: str = ""
    recorded: str = ""
    held_back: str = ""
    troubled: bool = False
    left: Mapping[Executor, tuple[str, float]] = field(default_factory=dict)
    reached: float = -inf

    def left_lately(self, now: float) -> Mapping[Executor, str]:
        """Executor → the supervisor that it was moved away from within the last hour."""
        return {it: where for it, (where, at) in self.left.items() if now - at < BACK_SECONDS}


def recalled(memory: Memory | None, topology: TopologyState, now: float) -> Memory:
    """Return what is remembered; what belongs to another assignment is dropped."""
    if memory is not None and memory.assignment_digest == topology.assignment_digest:
        return memory
    fresh = Memory(topology.assignment_digest, now)
    if memory is None:
        return fresh
    drop(memory)
    as_decided = bool(memory.decided) and set(memory.decided) == set(topology.assignment)
    return replace(
        fresh,
        status=memory.decided_status if as_decided else "",
        logged=memory.logged,
        recorded=memory.recorded,
        left=memory.left,
        reached=memory.reached,
    )


def moving_away(memory: Memory, before: Assignment, after: Assignment, now: float) -> Memory:
    """Remember from where executors are moved away."""
    lately = {it: left for it, left in memory.left.items() if now - left[1] < BACK_SECONDS}
    away = {it: (where, now) for it, where in moved_away(before, after).items()}
    return replace(memory, left=lately | away)


def taken(memory: Memory, until: float) -> tuple[Memory, str | None]:
    """Take the job's answer if it is there by then; the text says why there will be none."""
    if memory.job is None:
        return memory, None
    outcome = memory.job.outcome(until)
    if outcome is None:
        return memory, None
    if isinstance(outcome, Failed):
        return replace(memory, job=None, question=None), outcome.reason
    return replace(memory, job=None, answer=outcome), None


def drop(memory: Memory) -> None:
    """Wait no more for an answer that is under way."""
    if memory.job is not None:
        memory.job.drop()
