"""Whether a better placement is worth its restarts: the one place that decides and explains it.

A round moves what `evaluate_move` lets move. Plans and explanations report its answer.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import copysign, inf, isfinite

from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import (
    Evaluation,
    Placement,
    PlacementProblem,
    ProblemError,
    Solution,
    violations,
)
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.messages import no_placement_message, quality, worth
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.stores import HeldSwitches
from eyewall_sidecar.storm import (
    Assignment,
    ClusterState,
    Executor,
    Mode,
    SlotChoice,
    TopologyProblem,
    choose_slots,
    workers_started,
)

OVERLOADED = 1.1
"""A node is relieved from this multiple of its capacity on, whatever the objective gains; below,
the excess may be the measurement's error."""
RETURN_FACTOR = 2
"""A move that takes back one of the last hour has to gain this multiple of the minimum."""
HOUR = 3600.0
GAP_SECONDS = 8.0
"""A topology stops for so long when executors of it move (docs/results/measurements.md)."""


@dataclass(frozen=True, slots=True)
class MoveConditions:
    """What holds for a topology at one moment, whatever solution is found for it.

    Parameters
    ----------
    frozen
        Who froze it; None if nobody did.
    cooling_seconds
        Until the assignment has cooled down; 0 or less if it has.
    recent_origins
        Executor → the supervisor that it was moved away from within the last hour.
    started_in_round, started_in_hour
        Worker processes that moves started, in the whole cluster.
    """

    frozen: Message | None = None
    cooling_seconds: float = 0.0
    recent_origins: Mapping[Executor, str] = field(default_factory=dict)
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
    """

    request: PlacementRequest
    proposal: Solution
    found: Message
    solution: Solution | None = None
    before: Evaluation | None = None
    gain: float | None = None
    must_move: Message | None = None
    slots: SlotChoice | None = None

    @property
    def reported_solution(self) -> Solution:
        """The solution for records: without its placement if that does not fit any more."""
        return self.solution or replace(self.proposal, placement=None, evaluation=None)


@dataclass(frozen=True, slots=True)
class MoveVerdict:
    """Whether a candidate move is made; `hold` is what speaks against it first, None if nothing."""

    candidate: CandidateMove
    hold: Message | None

    @property
    def report(self) -> Message:
        """What was found, and what holds it back."""
        if self.hold is None or self.hold is self.candidate.found:
            return self.candidate.found
        return message(Code.HELD, found=self.candidate.found, hold=self.hold)

    @property
    def is_shown_in_status(self) -> bool:
        """Whether the topology's status names the hold: a person can do something about it."""
        return self.hold is not None and self.hold.code in _SHOWN_IN_STATUS


_SHOWN_IN_STATUS = frozenset(
    {
        Code.FROZEN_BY_CONFIGURATION,
        Code.FROZEN_BY_OPERATORS,
        Code.TOPOLOGY_FROZEN,
        Code.SWITCHES_UNREAD,
        Code.ROUND_BUDGET,
        Code.HOUR_BUDGET,
        Code.NO_SLOTS,
    }
)


def assess_move(request: PlacementRequest, solution: Solution) -> CandidateMove:
    """Hold a solution, perhaps of an older problem, against the problem as it is now.

    ValueError if the request has no problem.
    """
    of_topology = request.problem
    if not isinstance(of_topology, TopologyProblem):
        raise ValueError(f"{request.topology.topology.id}: no problem to assess a move by")
    problem, objective = of_topology.problem, request.settings.objective
    current, placement = problem.current, solution.placement
    if placement is None or solution.evaluation is None or current is None:
        found = no_placement_message(solution, of_topology.assumptions)
        return CandidateMove(request, solution, found)
    if broken := violations(problem, placement):
        return CandidateMove(request, solution, message(Code.NO_LONGER_FITS, violation=broken[0]))
    ranges = solution.evaluation.ranges
    before = evaluate(problem, current, objective, ranges)
    after = evaluate(problem, placement, objective, ranges)
    moves = problem.moves(placement)
    valued = replace(solution, evaluation=after, moves=moves)
    gain = relative_gain(objective, before.value, after.value)
    candidate = partial(CandidateMove, request, solution, solution=valued, before=before, gain=gain)
    if moves == 0:
        return candidate(found=message(Code.ALREADY_BEST, quality=quality(valued)))
    placed = of_topology.on_supervisors(placement)
    try:
        slots = choose_slots(placed, request.topology, request.capacities, of_topology.per_slot)
    except ProblemError as error:
        return candidate(found=message(Code.NO_SLOTS, slot_error=str(error)))
    overloaded = _overloaded(problem) if of_topology.cpu_measured else None
    must_move = _misplaced(problem) or overloaded
    terms = worth(valued, objective, before)
    found = message(Code.FOUND, worth=terms, gain=gain, must_move=must_move)
    return candidate(found=found, must_move=must_move, slots=slots)


def evaluate_move(
    candidate: CandidateMove, limits: MoveLimits, conditions: MoveConditions
) -> MoveVerdict:
    """Decide whether to move, and say what speaks against it first."""
    hold = (
        (candidate.found if candidate.slots is None else None)
        or _unknown_hold(candidate.request)
        or (None if candidate.must_move else _value_hold(candidate, limits, conditions))
        or _condition_hold(candidate.request, conditions)
        or _budget_hold(candidate, limits, conditions)
    )
    return MoveVerdict(candidate, hold)


def find_hold(
    request: PlacementRequest, gain: float, limits: MoveLimits, conditions: MoveConditions
) -> Message | None:
    """Return what holds back any move of this gain, of whichever executors; None if nothing."""
    return (
        _unknown_hold(request) or _gain_hold(gain, limits) or _condition_hold(request, conditions)
    )


def find_freeze(limits: MoveLimits, switches: HeldSwitches, topology: str) -> Message | None:
    """Return who keeps a topology, by Storm's id, from being moved; None if nobody does."""
    if limits.frozen:
        return message(Code.FROZEN_BY_CONFIGURATION)
    if not switches.wanted:
        return None
    if switches.switches is None:
        return message(Code.SWITCHES_UNREAD, remark=switches.remark)
    if switches.switches.frozen:
        return message(Code.FROZEN_BY_OPERATORS)
    if topology in switches.switches.frozen_topologies:
        return message(Code.TOPOLOGY_FROZEN)
    return None


def relative_gain(objective: Objective, before: float, after: float) -> float:
    """Return the part of its value by which the objective gets better; negative if worse."""
    gain = after - before if objective.maximised else before - after
    if gain == 0 or not isfinite(gain):
        return gain
    return gain / abs(before) if before else copysign(inf, gain)


def _unknown_hold(request: PlacementRequest) -> Message | None:
    return message(Code.UNKNOWN, unknown=unknown) if (unknown := request.unknown) else None


def _gain_hold(gain: float, limits: MoveLimits) -> Message | None:
    if not gain >= limits.minimum_gain:  # so that a gain that is not a number holds
        return message(Code.GAIN_TOO_SMALL, minimum=limits.minimum_gain)
    return None


def _value_hold(
    candidate: CandidateMove, limits: MoveLimits, conditions: MoveConditions
) -> Message | None:
    gain = candidate.gain if candidate.gain is not None else 0.0
    return (
        _gain_hold(gain, limits)
        or _return_hold(candidate, gain, limits, conditions.recent_origins)
        or _cost_hold(candidate, limits.horizon_seconds)
    )


def _condition_hold(request: PlacementRequest, conditions: MoveConditions) -> Message | None:
    if request.settings.mode is not Mode.AUTO:
        return message(Code.MODE_OBSERVE)
    if conditions.frozen is not None:
        return conditions.frozen
    if conditions.cooling_seconds > 0:
        return message(Code.COOLING, seconds=conditions.cooling_seconds)
    return None


def _budget_hold(
    candidate: CandidateMove, limits: MoveLimits, conditions: MoveConditions
) -> Message | None:
    if candidate.slots is None:
        return None
    starts = workers_started(candidate.request.topology.assignment, candidate.slots.assignment)
    in_round = conditions.started_in_round
    if limits.workers_per_round is not None and in_round + starts > limits.workers_per_round:
        return message(
            Code.ROUND_BUDGET, workers=starts, started=in_round, limit=limits.workers_per_round
        )
    in_hour = conditions.started_in_hour + in_round
    if limits.workers_per_hour is not None and in_hour + starts > limits.workers_per_hour:
        return message(
            Code.HOUR_BUDGET, workers=starts, started=in_hour, limit=limits.workers_per_hour
        )
    return None


def _return_hold(
    candidate: CandidateMove, gain: float, limits: MoveLimits, origins: Mapping[Executor, str]
) -> Message | None:
    minimum = RETURN_FACTOR * limits.minimum_gain
    of_topology, solution = candidate.request.problem, candidate.solution
    if gain >= minimum or not isinstance(of_topology, TopologyProblem) or solution is None:
        return None
    current = of_topology.problem.current or {}
    for executor, node in (solution.placement or {}).items():
        moves = current.get(executor) != node
        if moves and origins.get(of_topology.executors[executor]) == of_topology.supervisors[node]:
            return message(
                Code.RETURN_GAIN_TOO_SMALL, minimum=minimum, executor=executor, node=node
            )
    return None


def _cost_hold(candidate: CandidateMove, horizon: float | None) -> Message | None:
    """Return that a move costs more than it saves within the horizon; None if that is unknown.

    A topology that stops for a gap keeps the tuples of that time waiting, for half of it on
    average: gap² / 2 seconds for each tuple/s. A response time that is better by ΔR saves
    ΔR · horizon for each tuple/s. Availability: ΔA · horizon seconds of downtime less, for one gap.
    Other objectives have units that a gap does not have.
    """
    before, solution = candidate.before, candidate.solution
    after = solution.evaluation if solution is not None else None
    if horizon is None or before is None or after is None:
        return None
    match candidate.request.settings.objective.single:
        case Term.R:
            saved = (before.metrics[Term.R] - after.metrics[Term.R]) * horizon
            cost, code = GAP_SECONDS**2 / 2, Code.SAVES_TOO_LITTLE_WAITING
        case Term.A:
            saved = (after.metrics[Term.A] - before.metrics[Term.A]) * horizon
            cost, code = GAP_SECONDS, Code.SAVES_TOO_LITTLE_DOWNTIME
        case _:
            return None
    return None if saved > cost else message(code, horizon=horizon, saved=saved, cost=cost)


def _overloaded(problem: PlacementProblem) -> Message | None:
    """Return where what runs needs more CPU than there is; None if nowhere."""
    for node, needed in _needed_cores(problem, problem.current or {}).items():
        if needed > OVERLOADED * (available := problem.node(node).cpu):
            return message(Code.OVERLOADED, node=node, needed=needed, available=available)
    return None


def _needed_cores(problem: PlacementProblem, placement: Placement) -> Mapping[str, float]:
    needed: defaultdict[str, float] = defaultdict(float)
    for executor, node in placement.items():
        needed[node] += problem.operator(executor).cpu
    return needed


def _misplaced(problem: PlacementProblem) -> Message | None:
    """Return where one executor runs though it must not; None if all may."""
    for executor, node in (problem.current or {}).items():
        if node not in problem.candidates(executor):
            return message(Code.NOT_PINNED_THERE, executor=executor)
        if problem.node(node).operators == 0:  # only with Ecker's score: see `placement_problem`
            return message(Code.FOREIGN_NODE, executor=executor, node=node)
    return None


@dataclass(frozen=True, slots=True)
class _Start:
    """Workers that were started, and when."""

    time: float
    workers: int


@dataclass(frozen=True, slots=True)
class _Handover:
    """A move that Nimbus was given in the last round."""

    assignment: Assignment
    workers: int


class WorkerBudget:
    """Counts the worker processes that moves start.

    A move's workers count in the round that decides it, and in the hour once Nimbus's assignment
    shows that it was done. Rounds write it, one at a time; any thread may read it.
    """

    def __init__(self) -> None:
        """Begin with nothing started."""
        # Replaced as a whole by each change, for those who read.
        self._handovers: dict[str, _Handover] = {}
        self._starts: tuple[_Start, ...] = ()

    def begin_round(self, state: ClusterState, now: float) -> None:
        """Count what the last round decided and Nimbus did; forget what is older than an hour."""
        running = {it.topology.id: set(it.assignment) for it in state.topologies}
        done = [
            _Start(now, it.workers)
            for topology, it in self._handovers.items()
            if running.get(topology) == set(it.assignment)
        ]
        recent = (it for it in self._starts if now - it.time < HOUR)
        self._starts, self._handovers = (*recent, *done), {}

    def spend(self, topology: str, assignment: Assignment, workers: int) -> None:
        """Count the workers that an assignment starts which Nimbus is given in this round."""
        self._handovers = {**self._handovers, topology: _Handover(assignment, workers)}

    def started_in_round(self) -> int:
        """Return how many this round's moves start."""
        return sum(it.workers for it in self._handovers.values())

    def started_in_hour(self, now: float) -> int:
        """Return how many moves started in the last hour, without this round's."""
        return sum(it.workers for it in self._starts if now - it.time < HOUR)
