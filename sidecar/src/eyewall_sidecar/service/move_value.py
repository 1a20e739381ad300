"""Whether what a move gains is worth its price."""

from math import inf

from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.load_prediction import LoadPrediction, least_gain_once_settled
from eyewall_sidecar.service.candidate_move import CandidateMove, MoveConditions
from eyewall_sidecar.service.move_price import MovePrice, price_move
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import TopologyProblem

RELIEF = 1.2
"""What is saturated moves only if it carries at least this multiple of its throughput then, in
every scenario. Where queues say that it is, it is enough that the move is expected to carry that
much, and to lose in no scenario more than it is to gain."""
BEFORE_REST = 2.0
"""Times its price, that a move saves which does not wait for rest."""


def find_value_hold(
    candidate: CandidateMove, limits: MoveLimits, conditions: MoveConditions
) -> Message | None:
    """Return why a move is not worth it, or not yet; None if it is."""
    prediction, horizon = candidate.prediction, limits.horizon_seconds
    if prediction is None:
        gain = candidate.gain if candidate.gain is not None else 0.0
        return find_gain_hold(gain, limits) or _cost_hold(candidate, horizon, conditions.starts)
    # The model may be wrong about what runs; what is measured of it is not. Tuples whose latency is
    # known do not pile up unless queues say so.
    is_measured = conditions.latency is not None or conditions.lacks_delay
    saturated = conditions.saturated or (prediction.saturated and not is_measured)
    if saturated:
        hold = _relief_hold(prediction, conditions)
    else:
        hold = _price_hold(candidate, prediction, horizon, conditions)
    overload = conditions.overload
    overloaded = saturated or (overload is not None and not overload.is_refuted)
    if hold is None and overloaded and horizon > 0:
        return _patience_hold(candidate, conditions) or _relieved_hold(candidate, conditions)
    return hold


def pays_before_rest(candidate: CandidateMove, horizon: float, conditions: MoveConditions) -> bool:
    """Whether a move is worth it whatever becomes of what is measured of workers that start.

    It has to pay for itself and for another one, that what is measured at rest may ask for. If it
    follows a move that is not judged yet, it is the first in a while: a topology that slows
    whatever it moves to would move on and on. One that is overloaded looks like one that makes up
    for its start.
    """
    prediction, of_topology = candidate.prediction, candidate.request.problem
    solution = candidate.solution
    if prediction is None or not isinstance(of_topology, TopologyProblem) or solution is None:
        return False
    problem, after = of_topology.problem, solution.placement
    if problem.current is None or after is None or horizon <= 0:
        return False
    if conditions.awaits_verdict or prediction.saturated or not conditions.is_quiet:
        return False
    least = _sure_gain(prediction, conditions)
    wanted = BEFORE_REST * price_of(candidate, conditions.starts).seconds / horizon
    return least > wanted and least_gain_once_settled(problem, problem.current, after) > wanted


def _relief_hold(prediction: LoadPrediction, conditions: MoveConditions) -> Message | None:
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


def _price_hold(
    candidate: CandidateMove,
    prediction: LoadPrediction,
    horizon: float,
    conditions: MoveConditions,
) -> Message | None:
    price, least = price_of(candidate, conditions.starts), _sure_gain(prediction, conditions)
    saved = least * horizon
    if least > 0 and (horizon == 0 or saved > price.seconds):
        return None
    return message(Code.COSTS_MORE, horizon=horizon, saved=saved, cost=price.seconds, gap=price.gap)


def _sure_gain(prediction: LoadPrediction, conditions: MoveConditions) -> float:
    """Return the seconds that a move gains at least, by the model and by what is measured.

    Where the model has too high what runs, a move saves the same part of what is measured.
    """
    least, _ = prediction.gain
    if conditions.latency is None:
        return least
    return min(least, prediction.saved_part * conditions.latency)


def _patience_hold(candidate: CandidateMove, conditions: MoveConditions) -> Message | None:
    """Return that an overload has cost less so far than a move out of it; None once it has not.

    It may end by itself, and nobody knows when. To pay the price once waiting has cost as much is
    the rule of ski rental (Karlin, Manasse, Rudolph and Sleator, "Competitive snoopy caching",
    1988). What has piled up by then takes time in addition.
    """
    price, overload = price_of(candidate, conditions.starts), conditions.overload
    lateness = overload.lateness if overload is not None else 0.0
    if lateness >= price.seconds:
        return None
    return message(
        Code.OVERLOAD_MAY_END,
        seconds=overload.seconds if overload is not None else 0.0,
        lateness=lateness,
        cost=price.seconds,
        gap=price.gap,
    )


def _relieved_hold(candidate: CandidateMove, conditions: MoveConditions) -> Message | None:
    """Return that another topology is leaving one of its hosts, which may be all it takes."""
    request = candidate.request
    name = request.topology.topology.id
    capacities = (request.capacities.get(it.slot.supervisor) for it in request.topology.assignment)
    for host in sorted({it.supervisor.host for it in capacities if it is not None}):
        if (leaving := conditions.relieved.get(host, name)) != name:
            return message(Code.HOST_IS_RELIEVED, host=host, topology=leaving)
    return None


def find_gain_hold(gain: float, limits: MoveLimits) -> Message | None:
    """Return that a part of the objective's value is too little to move for; None if it is not."""
    if not gain >= limits.minimum_gain:  # so that a gain that is not a number holds
        return message(Code.GAIN_TOO_SMALL, minimum=limits.minimum_gain)
    return None


def price_of(candidate: CandidateMove, starts: WorkerStarts) -> MovePrice:
    """Return what a candidate move costs."""
    topology, slots = candidate.request.topology, candidate.slots
    after = slots.assignment if slots is not None else topology.assignment
    prediction = candidate.prediction
    carried = prediction.sustainable if prediction is not None else inf
    return price_move(candidate.request, after, starts, carried)


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
