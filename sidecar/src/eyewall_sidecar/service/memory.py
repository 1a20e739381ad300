"""What is known of one topology between rounds, as values."""

from dataclasses import dataclass, replace

from eyewall_sidecar.model import Solution
from eyewall_sidecar.service.asking import Asked
from eyewall_sidecar.service.moving import Judgement
from eyewall_sidecar.service.solving import Failed, Job, Question
from eyewall_sidecar.storm import Assignment, Settings, TopologyProblem, TopologyState


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
        A problem, its settings, an answer and whether the assignment had cooled down; and what
        came of them.
    decided, decided_status
        What was last to be placed, and the text that is true once it runs.
    logged, recorded
        The last line in the log and the last that was recorded, so that no round repeats them.
    held_back
        What is not known well enough to look for anything better; empty if nothing is.
    troubled
        It was said why this assignment is only kept: once that is over, that is said too.
    """

    assignment_digest: bytes
    since: float
    status: str = ""
    asked: Asked | None = None
    question: Question | None = None
    job: Job | None = None
    answer: Solution | None = None
    judged_on: tuple[TopologyProblem, Settings, Solution, bool] | None = None
    judgement: Judgement | None = None
    decided: Assignment = ()
    decided_status: str = ""
    logged: str = ""
    recorded: str = ""
    held_back: str = ""
    troubled: bool = False


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
    )


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
