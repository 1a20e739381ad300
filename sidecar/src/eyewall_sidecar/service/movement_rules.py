"""Whether a better placement is worth its restarts: the one place that decides and explains it.

A round moves what `evaluate_move` lets move. Plans and explanations report its answer.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import copysign, inf, isfinite

from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import (
    Placement,
    PlacementProblem,
    ProblemError,
    Solution,
    violations,
)
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.load_prediction import predict_move
from eyewall_sidecar.service.candidate_move import CandidateMove, MoveConditions
from eyewall_sidecar.service.messages import no_placement_message, quality, worth
from eyewall_sidecar.service.move_value import find_gain_hold, find_value_hold, pays_before_rest
from eyewall_sidecar.service.overlap import restart_reason
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.stores import HeldSwitches
from eyewall_sidecar.storm import (
    Mode,
    TopologyProblem,
    workers_started,
)

OVERLOADED = 1.1
"""A node is relieved from this multiple of its capacity on, whatever the objective gains; below,
the excess may be the measurement's error."""


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
        Code.REFUSED_MOVE,
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


def reassess(
    before: CandidateMove | None, request: PlacementRequest, solution: Solution, *, outdated: bool
) -> CandidateMove:
    """Return the earlier assessment, or a new one if anything that it rests on has changed."""
    if (
        before is None
        or before.proposal is not solution
        or before.request.problem is not request.problem
        or has_other_workers(before, request)
    ):
        return assess_move(request, solution, outdated=outdated)
    return before


def evaluate_move(
    candidate: CandidateMove, limits: MoveLimits, conditions: MoveConditions
) -> MoveVerdict:
    """Decide whether to move, and say what speaks against it first."""
    hold = (
        (candidate.found if candidate.slots is None else None)
        or _unknown_hold(candidate.request)
        or _mode_hold(candidate.request, conditions)
        or _time_hold(conditions, candidate.must_move)
        or _rest_hold(candidate, limits, conditions)
        or _refused_hold(candidate, conditions)
        or (None if candidate.must_move else find_value_hold(candidate, limits, conditions))
        or _budget_hold(candidate, limits, conditions)
        or _stage_hold(candidate, conditions)
    )
    return MoveVerdict(candidate, hold)


def find_hold(
    request: PlacementRequest, gain: float, limits: MoveLimits, conditions: MoveConditions
) -> Message | None:
    """Return what holds back any move of this gain, of whichever executors; None if nothing."""
    objective = request.settings.objective
    return (
        _unknown_hold(request)
        or (None if objective.weighs_load else find_gain_hold(gain, limits))
        or _mode_hold(request, conditions)
        or _time_hold(conditions)
        or (message(Code.UNSETTLED) if conditions.unsettled else None)
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
    return None


def _rest_hold(
    candidate: CandidateMove, limits: MoveLimits, conditions: MoveConditions
) -> Message | None:
    """Return that measurements have to come to rest first; None if they need not."""
    if not conditions.unsettled or candidate.is_forced:
        return None
    if pays_before_rest(candidate, limits.horizon_seconds, conditions):
        return None
    return message(Code.UNSETTLED)


def _refused_hold(candidate: CandidateMove, conditions: MoveConditions) -> Message | None:
    """Return that Nimbus does not take this very assignment; None if it may."""
    if candidate.slots is None or conditions.refused_seconds <= 0:
        return None
    if set(candidate.slots.assignment) != set(conditions.refused):
        return None
    seconds, reason = conditions.refused_seconds, conditions.refusal
    return message(Code.REFUSED_MOVE, seconds=seconds, reason=reason)


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


def _stage_hold(candidate: CandidateMove, conditions: MoveConditions) -> Message | None:
    """Return that another topology's workers start on a target host: starts take turns there."""
    if candidate.slots is None:
        return None
    request = candidate.request
    started = set(candidate.slots.assignment) - set(request.topology.assignment)
    hosts = (request.capacities[it.slot.supervisor].supervisor.host for it in started)
    for host in sorted(conditions.starting.keys() & set(hosts)):
        return message(Code.HOST_STARTS, host=host, topology=conditions.starting[host])
    return None


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
