"""What is decided for one topology in one round, and what is remembered of it for the next."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from math import inf

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import Evaluation, Solution
from eyewall_sidecar.service.candidate_move import UNKNOWN_REFUSAL, CandidateMove
from eyewall_sidecar.service.crossing_memory import CrossingLesson
from eyewall_sidecar.service.look_back import MOST_DOUBLED, MoveHistory, MoveTrial
from eyewall_sidecar.service.overlap import restart_reason
from eyewall_sidecar.service.overload import Overload
from eyewall_sidecar.service.placement_search import PlacementSearch
from eyewall_sidecar.service.plans import Plan
from eyewall_sidecar.service.problem_cache import Observation, PlacementRequest
from eyewall_sidecar.stores import HeldSwitches
from eyewall_sidecar.storm import (
    USUAL_COST,
    Assignment,
    CrossingCost,
    Mode,
    TopologyState,
)

MOST_ORDERS = 5
"""Rounds in a row in which an assignment is handed to a Nimbus that does not take it: answers may
come too late for some."""


@dataclass(frozen=True, slots=True)
class Handover:
    """An assignment handed to Nimbus, and what is true once it runs.

    Parameters
    ----------
    status
        The topology's.
    trial
        What is to be looked back on; None after a placement or an order.
    orders, ordered
        In how many rounds it was handed over, as Nimbus did not take it before, and when last.
    refusal
        Why the shim refused it; empty if it did not say so.
    """

    assignment: Assignment
    status: Message
    trial: MoveTrial | None = None
    orders: int = 1
    ordered: float = -inf
    refusal: str = ""

    def after(self, before: "Handover | None", now: float) -> "Handover":
        """Return this one as it is ordered now, where the one before has not come to run."""
        again = before is not None and set(before.assignment) == set(self.assignment)
        return replace(self, orders=before.orders + 1 if before and again else 1, ordered=now)

    def refused_seconds(self, cool_down: float, now: float) -> float:
        """Return for how long it is not ordered again, as Nimbus does not take it; or 0."""
        if self.orders < MOST_ORDERS and not self.refusal:
            return 0.0
        waits = cool_down * 2.0 ** min(max(0, self.orders - MOST_ORDERS), MOST_DOUBLED)
        return max(0.0, self.ordered + waits - now)


@dataclass(frozen=True, slots=True)
class RoundInputs:
    """What one topology is decided from.

    Parameters
    ----------
    observation
        With the slots that other topologies got in this round.
    switches, plans
        The operators' switches, and the plan that is to be applied to each topology.
    until
        When its decision is due.
    """

    observation: Observation
    switches: HeldSwitches
    plans: Mapping[str, Plan]
    until: float


@dataclass(frozen=True, slots=True)
class LastLines:
    """The last line in the log and the last one on record, so that no round repeats them.

    `moved` is the id of the last move's record.
    """

    logged: str = ""
    recorded: str = ""
    moved: str = ""


@dataclass(frozen=True, slots=True)
class TopologyRecord:
    """What is remembered of one topology.

    Parameters
    ----------
    assignment_digest, since
        The assignment that runs, and when it was first seen.
    status
        The status of that assignment; None if it was not decided here.
    was_kept
        Whether the status said why this assignment is only kept: once that is over, it says so.
    request, search, candidate, cheaper
        The last problem, the search under way or done, its solution held against the problem, and
        those of the search's cheaper ones; None where there is none.
    hold
        What keeps anything better from being looked for or done, if its status should say so.
    handover
        What was handed to Nimbus last.
    trial
        The move that this assignment comes from, until it is looked back on.
    history
        What past moves teach.
    crossing_cost
        What workers and crossings cost by the assignments before: one that runs in one worker says
        nothing of crossings.
    lesson
        What this assignment taught of them; None if nothing yet.
    lines
        What was reported last.
    overload
        What it has cost so far that more comes than is carried; None if all is.
    overrated
        By what multiple the load model overrates what this assignment carries, as that shows.
    considered
        When a round last had the time to look for anything better.
    """

    assignment_digest: bytes
    since: float
    status: Message | None = None
    was_kept: bool = False
    request: PlacementRequest | None = None
    search: PlacementSearch | None = None
    candidate: CandidateMove | None = None
    cheaper: tuple[CandidateMove | None, ...] = ()
    hold: Message | None = None
    handover: Handover | None = None
    trial: MoveTrial | None = None
    history: MoveHistory = field(default_factory=MoveHistory)
    crossing_cost: CrossingCost = USUAL_COST
    lesson: CrossingLesson | None = None
    lines: LastLines = LastLines()
    overload: Overload | None = None
    overrated: float = 1.0
    considered: float = -inf

    @property
    def refusal(self) -> str:
        """Why Nimbus did not take what was ordered last, as far as that is known."""
        return (self.handover.refusal if self.handover else "") or UNKNOWN_REFUSAL

    def refused_seconds(self, cool_down: float, now: float) -> float:
        """Return for how long what was ordered last is not ordered again; 0 if it may be."""
        return self.handover.refused_seconds(cool_down, now) if self.handover is not None else 0.0


def record_of(
    record: TopologyRecord | None,
    topology: TopologyState,
    supervisors: Set[str],
    now: float,
    prior: CrossingCost,
) -> TopologyRecord:
    """Return what is remembered; what belongs to another assignment is dropped.

    Parameters
    ----------
    supervisors
        The ids of those that Nimbus has now.
    prior
        What crossings cost a topology of which nothing is remembered.
    """
    if record is not None and record.assignment_digest == topology.assignment_digest:
        if record.handover is None or not topology.refusal:
            return record
        return replace(record, handover=replace(record.handover, refusal=topology.refusal))
    fresh = TopologyRecord(topology.assignment_digest, now)
    if record is None:
        return replace(fresh, crossing_cost=prior)
    cancel_search(record)
    handover = record.handover
    runs = handover is not None and set(handover.assignment) == set(topology.assignment)
    trial = handover.trial if handover is not None and runs else None
    history = record.history
    if trial is not None and trial.undoes:
        history = history.with_setback(now, trial.slowed)
    elif _never_ran(record, topology, supervisors):
        history = history.with_setback(now)
    elif trial is not None and record.trial is not None:
        history = replace(history, left_unjudged=now)
    return replace(
        fresh,
        status=handover.status if handover is not None and runs else None,
        trial=trial,
        history=history,
        crossing_cost=lesson.cost if (lesson := record.lesson) else record.crossing_cost,
        lines=record.lines,
        considered=record.considered,
    )


def _never_ran(record: TopologyRecord, topology: TopologyState, supervisors: Set[str]) -> bool:
    """Whether Nimbus gave up workers of the last move before it could be looked back on.

    It does so two minutes after workers that do not start. Where a host was lost, that is why; and
    a person's rebalance takes slots from what did not move, too. If all of it moved, a rebalance
    cannot be distinguished.
    """
    trial, request = record.trial, record.request
    if trial is None or request is None or not topology.missing():
        return False
    given_up = set(request.topology.assignment) - set(topology.assignment)
    if not given_up or not given_up.isdisjoint(trial.origin):
        return False
    return all(it.slot.supervisor in supervisors for it in given_up)


def poll_search(record: TopologyRecord, until: float, clock: Callable[[], float]) -> TopologyRecord:
    """Take the search's solution, or why it failed, if it is there by then."""
    if record.search is None:
        return record
    search = record.search.polled(until, clock)
    if search.cheaper:
        polled = tuple(it.polled(clock(), clock) for it in search.cheaper)
        search = replace(search, cheaper=polled)
    return replace(record, search=search)


def cancel_search(record: TopologyRecord) -> None:
    """Wait no longer for solutions that are under way."""
    if record.search is not None:
        record.search.cancel()


@dataclass(frozen=True, slots=True)
class Place:
    """Run exactly these workers.

    `overlaps`: where what runs is moved, old workers serve on until new ones carry tuples.
    """

    assignment: Assignment
    overlaps: bool = False


@dataclass(frozen=True, slots=True)
class Keep:
    """The topology stays as it is, also where Storm would ask for more workers.

    `reason` says why nothing better is looked for; None if something is.
    """

    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class Decline:
    """Not decided here, for this reason; the inner scheduler places what has no slot."""

    reason: Message


@dataclass(frozen=True, slots=True)
class Decision:
    """One topology's decision.

    Parameters
    ----------
    topology_id, base
        Which topology, and the assignment that this was computed from.
    verdict
        What shall happen.
    status
        The line in Storm UI; None leaves the last one as it is.
    """

    topology_id: str
    base: bytes
    verdict: Place | Keep | Decline
    status: Message | None = None


@dataclass(frozen=True, slots=True)
class TopologyOutcome:
    """A verdict, and what it rests on.

    Parameters
    ----------
    verdict, record
        What shall happen, and what to remember of the topology.
    report
        What the log says; None if there is nothing to say.
    solution
        What was found, whether it is applied or not.
    before
        What ran, by the same model.
    outdated
        The solution was found for a problem that has changed since.
    pending
        A solution is still being looked for: nothing is settled yet.
    plan
        The plan that this applies.
    price
        Seconds of lateness for each tuple/s that the move costs; None: nothing would move.
    predicted
        The least and the greatest number of seconds by which tuples were to arrive earlier.
    looks_back
        Whether this is about the last move: `report` says what became of it.
    """

    verdict: Place | Keep | Decline
    record: TopologyRecord
    report: Message | None = None
    solution: Solution | None = None
    before: Evaluation | None = None
    outdated: bool = False
    pending: bool = False
    plan: Plan | None = None
    price: float | None = None
    predicted: tuple[float, float] | None = None
    looks_back: bool = False

    @property
    def status(self) -> Message | None:
        """The line in Storm UI."""
        match self.verdict:
            case Place():
                return self.record.handover.status if self.record.handover else None
            case Decline(reason):
                return reason
            case Keep(reason):
                return reason or self._kept_status()

    def _kept_status(self) -> Message | None:
        status, hold = self.record.status, self.record.hold
        if status is None and self.record.was_kept:
            status = message(Code.KEPT)
        if status is None or hold is None:
            return status or hold
        return message(Code.STATUS_WITH_HOLD, status=status, hold=hold)


def leave_alone(topology: TopologyState, mode: Mode, reason: Message) -> Keep | Decline:
    """Keep what runs whole; what lacks a slot is left to the inner scheduler."""
    runs_whole = bool(topology.assignment) and not topology.missing()
    return Keep(reason) if runs_whole and mode is Mode.AUTO else Decline(reason)


def with_overlap(
    outcome: TopologyOutcome, topology: TopologyState, observation: Observation
) -> TopologyOutcome:
    """Let old workers serve on where the outcome moves what runs and nothing is against it.

    Its report names the reason where the topology's owner wants them to and they do not.
    """
    request, verdict = outcome.record.request, outcome.verdict
    if not isinstance(verdict, Place) or topology.missing():
        return outcome
    promised = outcome.plan is not None and outcome.plan.record.overlaps
    wanted = request.settings.overlap if request is not None else promised
    if request is None or request.topology.assignment != topology.assignment:
        reason: Message | None = message(Code.WORKERS_NOT_LOOKED_AT)
    else:  # an order may rest on an earlier round's
        capacities = observation.capacities(topology)
        now = replace(request, observation=observation, capacities=capacities)
        reason = restart_reason(now, verdict.assignment)
    if reason is None:
        return replace(outcome, verdict=replace(verdict, overlaps=True))
    if outcome.report is None or not wanted:
        return outcome
    report = message(Code.RESTARTS, decided=outcome.report, reason=reason)
    return replace(outcome, report=report)
