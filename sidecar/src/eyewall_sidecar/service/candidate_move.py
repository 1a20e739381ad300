"""A move that might be made, and what holds at the moment for making it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eyewall_sidecar.messages import Code, Message
from eyewall_sidecar.model import Evaluation, Solution
from eyewall_sidecar.objectives.load_prediction import LoadPrediction
from eyewall_sidecar.service.overload import Overload
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import Assignment, SlotChoice

UNKNOWN_REFUSAL = "its log has the reason"


@dataclass(frozen=True, slots=True)
class MoveConditions:
    """What holds for a topology at one moment, whatever solution is found for it.

    Parameters
    ----------
    frozen
        Who froze it; None if nobody did.
    cooling_seconds
        Until the assignment has cooled down; 0 or less if it has.
    still_seconds
        Until something may move again after a setback; 0 or less if it may.
    refused, refused_seconds, refusal
        What Nimbus was given last, for how long that is not ordered again, as Nimbus does not take
        it (0 if it may be), and why, as far as that is known.
    unsettled
        Whether what is measured has not come to rest since workers started.
    awaits_verdict
        Whether its last move has to be judged before another one that does not wait for rest.
    is_quiet
        Whether no tuples queued in six measurements in a row.
    catching_up_seconds
        Until what waited for the workers' start may have been made up for; 0 or less once it may.
    saturated
        Whether what is measured shows queues that do not empty.
    overload
        What it has cost so far that more comes than is carried; None if all is.
    latency
        Mean seconds from a spout's emit to its ack as measured; None if that is not known.
    lacks_delay
        Whether it is not known for the delay to an acker alone.
    relieved
        Hosts that a topology is leaving, with its id.
    starts
        How long workers take to start.
    starting
        Hosts on which workers of other topologies start, each with one of these.
    started_in_round, started_in_hour
        Worker processes that moves started, in the whole cluster.
    """

    frozen: Message | None = None
    cooling_seconds: float = 0.0
    still_seconds: float = 0.0
    refused: Assignment = ()
    refused_seconds: float = 0.0
    refusal: str = UNKNOWN_REFUSAL
    unsettled: bool = False
    awaits_verdict: bool = False
    is_quiet: bool = False
    catching_up_seconds: float = 0.0
    saturated: bool = False
    overload: Overload | None = None
    latency: float | None = None
    lacks_delay: bool = False
    relieved: Mapping[str, str] = field(default_factory=dict)
    starts: WorkerStarts = field(default_factory=WorkerStarts)
    starting: Mapping[str, str] = field(default_factory=dict)
    started_in_round: int = 0
    started_in_hour: int = 0


@dataclass(frozen=True, slots=True)
class CandidateMove:
    """A solution held against the problem as it is now.

    Parameters
    ----------
    request, proposal
        What runs and the problem, and the solution as it was found.
    found
        What it is worth, or why there is nothing to move to.
    solution, before
        The solution and what runs, as both are worth now; None if there is no placement that fits.
    gain
        The part of its value by which the objective gets better; infinite if it had no value.
    must_move
        Why what runs may not stay, whatever is gained or lost; None if it may.
    slots
        Where the executors would run; None if there is nothing to move to.
    prediction
        What the load model expects of it; None unless the objective is L or THETA.
    """

    request: PlacementRequest
    proposal: Solution
    found: Message
    solution: Solution | None = None
    before: Evaluation | None = None
    gain: float | None = None
    must_move: Message | None = None
    slots: SlotChoice | None = None
    prediction: LoadPrediction | None = None

    @property
    def is_forced(self) -> bool:
        """Whether what runs may not stay where it is, so that there is no way back."""
        return self.must_move is not None and self.must_move.code is not Code.OVERLOADED

    @property
    def reported_solution(self) -> Solution:
        """The solution for records: without its placement if that does not fit any more."""
        return self.solution or replace(self.proposal, placement=None, evaluation=None)
