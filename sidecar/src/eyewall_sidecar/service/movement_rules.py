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
from eyewall_sidecar.objectives.load_prediction import LoadPrediction, predict_move
from eyewall_sidecar.service.messages import no_placement_message, quality, worth
from eyewall_sidecar.service.move_price import MovePrice, price_move
from eyewall_sidecar.service.overlap import restart_reason
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.stores import HeldSwitches
from eyewall_sidecar.storm import (
    Mode,
    SlotChoice,
    TopologyProblem,
    workers_started,
)

OVERLOADED = 1.1
"""A node is relieved from this multiple of its capacity on, whatever the objective gains; below,
the excess may be the measurement's error."""
RELIEF = 1.2
"""What is saturated moves if it carries at least this multiple of its throughput then, in every
scenario. Where queues say so it loses tuples while it waits for certainty: there it is enough that
the move is expected to carry that much, and to lose in no scenario more than it is to gain."""


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
        Until something may move again after a move that was undone; 0 or less if it may.
    unsettled
        Whether what is measured has not come to rest since workers started.
    catching_up_seconds
        Until what waited for the workers' start may have been made up for; 0 or less once it may.
    saturated
        Whether what is measured shows queues that do not empty.
    latency
        Mean seconds from a spout's emit to its ack as measured; None if that is not known.
    lacks_delay
        Whether it is not known for the delay to an acker alone.
    starts
        How long workers take to start.
    started_in_round, started_in_hour
        Worker processes that moves started, in the whole cluster.
    """

    frozen: Message | None = None
    cooling_seconds: float = 0.0
    still_seconds: float = 0.0
    unsettled: bool = False
    catching_up_seconds: float = 0.0
    saturated: bool = False
    latency: float | None = None
    lacks_delay: bool = False
    starts: WorkerStarts = field(default_factory=WorkerStarts)
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
        if self.hold is None:
            return False
        return self.hold.code in _SHOWN_IN_STATUS or bool(self.candidate.request.drained_host)


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


def assess_move(
    request: PlacementRequest, solution: Solution, *, outdated: bool = False
) -> CandidateMove:
    """Hold a solution against the problem as it is now; `outdated` if it is of an older one.

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
        best = message(Code.ALREADY_BEST, quality=quality(valued))
        return candidate(found=message(Code.STILL_BEST) if outdated else best)
    drained = request.drained_host
    must_move = message(Code.DRAINED, host=drained) if drained else _misplaced(problem)
    if must_move is None and of_topology.cpu_measured and not objective.weighs_load:
        must_move = _overloaded(problem)
    try:
        slots = request.choose_slots(of_topology.on_supervisors(placement))
    except ProblemError as error:
        no_slots = message(Code.NO_SLOTS, slot_error=str(error), must_move=must_move)
        return candidate(found=no_slots, must_move=must_move)
    terms = worth(valued, objective, before)
    found = message(Code.FOUND, worth=terms, gain=gain, must_move=must_move)
    prediction = predict_move(problem, current, placement) if objective.weighs_load else None
    return candidate(found=found, must_move=must_move, slots=slots, prediction=prediction)


def evaluate_move(
    candidate: CandidateMove, limits: MoveLimits, conditions: MoveConditions
) -> MoveVerdict:
    """Decide whether to move, and say what speaks against it first."""
    hold = (
        (candidate.found if candidate.slots is None else None)
        or _unknown_hold(candidate.request)
        or _mode_hold(candidate.request, conditions)
        or _time_hold(conditions, candidate.must_move)
        or (None if candidate.must_move else _value_hold(candidate, limits, conditions))
        or _budget_hold(candidate, limits, conditions)
    )
    return MoveVerdict(candidate, hold)


def find_hold(
    request: PlacementRequest, gain: float, limits: MoveLimits, conditions: MoveConditions
) -> Message | None:
    """Return what holds back any move of this gain, of whichever executors; None if nothing."""
    objective = request.settings.objective
    return (
        _unknown_hold(request)
        or (None if objective.weighs_load else _gain_hold(gain, limits))
        or _mode_hold(request, conditions)
        or _time_hold(conditions)
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
    prediction, horizon = candidate.prediction, limits.horizon_seconds
    if prediction is None:
        gain = candidate.gain if candidate.gain is not None else 0.0
        return _gain_hold(gain, limits) or _cost_hold(candidate, horizon, conditions.starts)
    # The model may be wrong about what runs; what is measured of it is not. Tuples whose latency is
    # known do not pile up unless queues say so, and no move saves more than what they take.
    is_measured = conditions.latency is not None or conditions.lacks_delay
    if conditions.saturated or (prediction.saturated and not is_measured):
        if conditions.catching_up_seconds > 0:
            return message(Code.CATCHING_UP, seconds=conditions.catching_up_seconds)
        least, expected = prediction.least_relief, prediction.expected_relief
        least_needed = 1.0 / max(expected, RELIEF) if conditions.saturated else RELIEF
        if expected >= RELIEF and least >= least_needed:
            return None
        return message(
            Code.RELIEF_TOO_SMALL,
            least=least,
            expected=expected,
            minimum=RELIEF,
            least_needed=least_needed,
        )
    price = price_of(candidate, conditions.starts)
    least, _ = prediction.gain
    if conditions.latency is not None:
        least = min(least, conditions.latency)
    saved = least * horizon
    if least > 0 and (horizon == 0 or saved > price.seconds):
        return None
    return message(Code.COSTS_MORE, horizon=horizon, saved=saved, cost=price.seconds, gap=price.gap)


def price_of(candidate: CandidateMove, starts: WorkerStarts) -> MovePrice:
    """Return what a candidate move costs."""
    topology, slots = candidate.request.topology, candidate.slots
    after = slots.assignment if slots is not None else topology.assignment
    prediction = candidate.prediction
    carried = prediction.sustainable if prediction is not None else inf
    return price_move(candidate.request, after, starts, carried)


def has_other_workers(candidate: CandidateMove, request: PlacementRequest) -> bool:
    """Whether workers would start otherwise than assessed: they hand over, or in other slots."""
    if candidate.slots is None:
        return False
    after = candidate.slots.assignment
    reason = restart_reason(request, after)
    in_use = reason is not None and reason.code is Code.NO_FRESH_SLOTS
    return in_use or reason != restart_reason(candidate.request, after)


def _mode_hold(request: PlacementRequest, conditions: MoveConditions) -> Message | None:
    if request.settings.mode is not Mode.AUTO:
        return message(Code.MODE_OBSERVE)
    return conditions.frozen


def _time_hold(conditions: MoveConditions, must_move: Message | None = None) -> Message | None:
    """Return what time has to bring first; a pin has not to wait for what is measured."""
    if conditions.cooling_seconds > 0:
        return message(Code.COOLING, seconds=conditions.cooling_seconds)
    if must_move is not None and must_move.code is not Code.OVERLOADED:
        return None
    if conditions.still_seconds > 0:
        return message(Code.STILL, seconds=conditions.still_seconds)
    return message(Code.UNSETTLED) if conditions.unsettled else None


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


def _cost_hold(candidate: CandidateMove, horizon: float, starts: WorkerStarts) -> Message | None:
    """Return that a move costs more than it saves within the horizon; None if that is unknown.

    A response time that is better by ΔR saves ΔR · horizon for each tuple/s. Availability:
    ΔA · horizon seconds of downtime less, for one gap. Other objectives have units that a gap does
    not have.
    """
    before, solution = candidate.before, candidate.solution
    after = solution.evaluation if solution is not None else None
    if horizon == 0 or before is None or after is None:
        return None
    price = price_of(candidate, starts)
    match candidate.request.settings.objective.single:
        case Term.R:
            saved = (before.metrics[Term.R] - after.metrics[Term.R]) * horizon
            cost, code = price.seconds, Code.SAVES_TOO_LITTLE_WAITING
        case Term.A:
            saved = (after.metrics[Term.A] - before.metrics[Term.A]) * horizon
            cost, code = price.gap, Code.SAVES_TOO_LITTLE_DOWNTIME
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
        # Only with Ecker's score, but for drained ones: see `placement_problem`.
        if problem.node(node).operators == 0:
            return message(Code.FOREIGN_NODE, executor=executor, node=node)
    return None
