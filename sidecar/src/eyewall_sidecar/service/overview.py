"""What a round saw and decided, for readers between rounds.

What runs is evaluated by the model; its problem is shown with how well it is known.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import Evaluation, ProblemError
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.decision import Decision, Decline, Keep, TopologyRecord
from eyewall_sidecar.service.lookup import UnavailableError, find_topology
from eyewall_sidecar.service.messages import no_decision_message
from eyewall_sidecar.service.overlap import find_obstacle
from eyewall_sidecar.service.plans import executor_names
from eyewall_sidecar.service.problem_cache import Observation, PlacementRequest, request_placement
from eyewall_sidecar.storm import (
    USUAL_COST,
    ComponentStream,
    Executor,
    KnownDelaysCache,
    MeasuredTopology,
    Mode,
    SettingsError,
    TopologyProblem,
    TopologySettings,
    TopologyState,
    component_streams,
    mode_of,
    read_settings,
)
from eyewall_sidecar.storm.topology_estimates import MeasuredValue

HostPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RoundSnapshot:
    """One round, as a value: nothing in it changes while somebody reads it.

    Parameters
    ----------
    nimbus
        Names the Nimbus that asked: one name for each of its starts.
    time, seconds
        When the round ended, on the service's clock, and how long it took.
    observation
        What was known before anything was decided in this round.
    records, decisions
        Storm's id of a topology → what is remembered of it, and what was decided.
    unsettled
        Storm's ids of topologies of which what is measured has not come to rest since their
        workers started.
    """

    nimbus: str
    time: float
    seconds: float
    observation: Observation
    records: Mapping[str, TopologyRecord]
    decisions: Mapping[str, Decision]
    unsettled: frozenset[str] = frozenset()

    def request(self, topology: TopologyState, settings: TopologySettings) -> PlacementRequest:
        """Return a topology's problem under these settings, by what was known in the round."""
        record = self.records.get(topology.topology.id)
        return request_placement(
            record.request if record is not None else None,
            self.observation,
            topology,
            settings,
            KnownDelaysCache(),
            crossing_cost=record.crossing_cost if record is not None else USUAL_COST,
        )


@dataclass(frozen=True, slots=True)
class StreamTraffic:
    """A stream between two components, and what of it goes from host to host.

    `between` is (host, host) → tuples/s; the same host twice is not in it.
    """

    stream: ComponentStream
    between: Mapping[HostPair, float]


@dataclass(frozen=True, slots=True, eq=False)
class TopologyOverview:
    """One topology in one round.

    Parameters
    ----------
    state, record, decision
        Of the round; record and decision are None if it did not reach the topology.
    mode, settings
        What its owner asks for; settings are None if they cannot be read.
    problem
        The problem of this very assignment; None if there is none.
    evaluation, value
        What runs and its objective, by the model. None if not all of it runs; the value is also
        None if the objective has several terms and no solution has shown what normalises them.
    unknown
        Why it cannot be evaluated, or what has to be known better to move it; None if nothing.
    traffic
        What flows; None if nothing is known of its streams.
    """

    state: TopologyState
    record: TopologyRecord | None
    decision: Decision | None
    mode: Mode
    settings: TopologySettings | None
    problem: TopologyProblem | None
    evaluation: Evaluation | None
    value: float | None
    unknown: Message | str | None
    traffic: tuple[StreamTraffic, ...] | None


def topology_overview(
    snapshot: RoundSnapshot, state: TopologyState, defaults: TopologySettings
) -> TopologyOverview:
    """Return what a topology is and what it is worth; `defaults` are for what it does not set."""
    name = state.topology.id
    record, decision = snapshot.records.get(name), snapshot.decisions.get(name)
    settings = _settings(state, defaults)
    problem = _problem(state, record)
    modelled = problem if isinstance(problem, TopologyProblem) else None
    evaluation, value = None, None
    if modelled is not None and record is not None and settings is not None:
        evaluation, value = _evaluate(modelled, record, settings.objective)
    unknown: Message | str | None = _unmodelled_reason(state, decision, problem)
    if not unknown and record is not None and record.request is not None:
        unknown = record.request.unknown or None
    return TopologyOverview(
        state=state,
        record=record,
        decision=decision,
        mode=mode_of(state.topology, defaults) if settings is None else settings.mode,
        settings=settings,
        problem=modelled,
        evaluation=evaluation,
        value=value,
        unknown=unknown,
        traffic=_traffic(snapshot, state, settings),
    )


def overview_inputs(snapshot: RoundSnapshot, state: TopologyState) -> tuple[object, ...]:
    """Return what an overview depends on: on the same hosts, equal ones have equal overviews.

    Large values are represented by their ids, which hold as long as the overview is kept: they are
    made again only when something changes.
    """
    record = snapshot.records.get(state.topology.id)
    decision = snapshot.decisions.get(state.topology.id)
    request = record.request if record is not None else None
    search = record.search if record is not None else None
    return (
        state,
        snapshot.observation.estimates.of(state.topology.id),
        None if decision is None else (decision.status, decision.verdict),
        None if request is None else (id(request.problem), request.topology.assignment_digest),
        None if search is None else id(search.solution),
        None if record is None else id(record.candidate),
    )


def _settings(state: TopologyState, defaults: TopologySettings) -> TopologySettings | None:
    try:
        return read_settings(state.topology, defaults, policy_catalogue())
    except SettingsError:
        return None


def _problem(
    state: TopologyState, record: TopologyRecord | None
) -> TopologyProblem | ProblemError | None:
    """Return the last problem if it is of this very assignment."""
    if record is None or record.request is None:
        return None
    of = record.request.topology
    same = of.assignment_digest == state.assignment_digest and of.topology == state.topology
    return record.request.problem if same else None


def _evaluate(
    problem: TopologyProblem, record: TopologyRecord, objective: Objective
) -> tuple[Evaluation | None, float | None]:
    """Evaluate what runs, and its objective."""
    current = problem.problem.current or {}
    if len(current) < len(problem.problem.operators):
        return None, None
    candidate = record.candidate
    if candidate is not None and candidate.request.problem is problem and candidate.before:
        return candidate.before, candidate.before.value
    solution = record.search.solution if record.search is not None else None
    found = solution.evaluation if solution is not None else None
    ranges = found.ranges if found is not None else {}
    known = bool(objective.ecker or objective.single) or objective.weights.keys() <= ranges.keys()
    by = objective if known else Objective({Term.R: 1.0})
    evaluation = evaluate(problem.problem, current, by, ranges)
    return evaluation, evaluation.value if known else None


def _unmodelled_reason(
    state: TopologyState,
    decision: Decision | None,
    problem: TopologyProblem | ProblemError | None,
) -> Message | None:
    """Return why a topology cannot be evaluated as it runs; None if it can."""
    if isinstance(problem, ProblemError):
        return message(Code.NO_PROBLEM, problem=str(problem), doubt="")
    verdict = decision.verdict if decision is not None else None
    if problem is None and isinstance(verdict, Keep | Decline) and verdict.reason:
        return verdict.reason
    if missing := state.missing():
        executors = len(state.topology.executors())
        return message(Code.MISSING_EXECUTORS, missing=len(missing), executors=executors)
    return None if problem is not None else message(Code.NOT_REACHED)


def _traffic(
    snapshot: RoundSnapshot, state: TopologyState, settings: TopologySettings | None
) -> tuple[StreamTraffic, ...] | None:
    """Return what flows from component to component, and from host to host."""
    topology = state.topology
    if settings is None or topology.refused:
        return None
    host_of = {it.id: it.host for it in snapshot.observation.state.supervisors}
    slots = state.running().items()
    hosts = {it: host_of[slot.supervisor] for it, slot in slots if slot.supervisor in host_of}
    measured = snapshot.observation.estimates.of(topology.id) or MeasuredTopology()
    streams, _ = component_streams(topology, settings.rate_hints, measured)
    return tuple(StreamTraffic(it, _between(it, hosts, measured)) for it in streams)


def _between(
    stream: ComponentStream, hosts: Mapping[Executor, str], measured: MeasuredTopology
) -> dict[HostPair, float]:
    rates = stream.between(hosts, measured).items()
    return {pair: rate for pair, rate in rates if pair[0] != pair[1]}


@dataclass(frozen=True, slots=True)
class RunningProblem:
    """The problem that the sidecar solves for one topology.

    Parameters
    ----------
    request, problem
        What the problem depends on; the problem, and the way back to Storm's nouns.
    measured
        What of it was measured, how long ago and how well.
    assumptions
        What of it was declared, derived or assumed.
    shared
        Nodes on which other topologies run, too.
    unsettled
        Whether what is measured has not come to rest since its workers started.
    """

    request: PlacementRequest
    problem: TopologyProblem
    measured: tuple[Message, ...]
    assumptions: tuple[Message | str, ...]
    shared: tuple[str, ...]
    unsettled: bool = False


def own_settings(topology: TopologyState, defaults: TopologySettings) -> TopologySettings:
    """Return a topology's settings; UnavailableError if nothing can be decided about it."""
    if (reason := no_decision_message(topology.topology)) is not None:
        raise not_movable(topology, reason)
    try:
        return read_settings(topology.topology, defaults, policy_catalogue())
    except SettingsError as error:
        raise not_movable(topology, error) from None


def not_movable(topology: TopologyState, reason: object) -> UnavailableError:
    """Return why a topology has no problem, or no plan."""
    name = topology.topology.name
    return UnavailableError(message(Code.NOT_MOVABLE, topology=name, reason=reason))


def running_problem(
    snapshot: RoundSnapshot, name: str, defaults: TopologySettings, now: float
) -> RunningProblem:
    """Return the problem of a topology as a round saw it.

    UnknownNameError offers similar names, UnavailableError says why there is no problem now.
    """
    topology = find_topology(snapshot.observation.state, name)
    request = snapshot.request(topology, own_settings(topology, defaults))
    problem = request.problem
    if isinstance(problem, ProblemError):
        raise not_movable(topology, problem)
    measured = request.measured or MeasuredTopology()
    streams, _ = component_streams(topology.topology, request.settings.rate_hints, measured)
    since = max(0.0, now - snapshot.time)
    unsettled = topology.topology.id in snapshot.unsettled
    doubts = [message(Code.UNSETTLED)] if unsettled else []
    return RunningProblem(
        request,
        problem,
        tuple(_measured(request, problem, measured, streams, since)),
        (*doubts, *_assumed(request, problem, streams)),
        tuple(it for it, at in problem.supervisors.items() if request.capacities[at].shared),
        unsettled,
    )


def _measured(
    request: PlacementRequest,
    problem: TopologyProblem,
    measured: MeasuredTopology,
    streams: tuple[ComponentStream, ...],
    since: float,
) -> Iterator[Message]:
    """Yield what was measured; nothing is said of the rest."""
    age = request.observation.estimates.rates_age.get(request.topology.topology.id)
    age = None if age is None else age + since
    if known := [it for it in streams if it.measured]:
        errors = _errors([*measured.streams.values(), *measured.emissions.values()])
        counts = {"measured": len(known), "streams": len(streams)}
        yield message(Code.RATES_MEASURED, **counts, age=age, error=100 * max(errors, default=0.0))
    if problem.cpu_measured:
        errors = _errors(list(measured.cores.values()))
        yield message(Code.CPU_MEASURED, age=age, error=100 * max(errors, default=0.0))
    delays, hosts = request.observation.delays, problem.known.hosts
    if delays.hosts and len(hosts) > 1:
        least = delays.least_confidence(hosts)
        yield message(Code.DELAYS_MEASURED, age=delays.age + since, confidence=least)


def _errors(figures: list[MeasuredValue]) -> list[float]:
    """Return relative errors."""
    return [it.error / it.value for it in figures if it.value]


def _assumed(
    request: PlacementRequest, problem: TopologyProblem, streams: tuple[ComponentStream, ...]
) -> Iterator[Message | str]:
    """Yield what replaces missing measurements."""
    if not problem.cpu_measured:
        yield message(Code.CPU_DECLARED)
    unmeasured = dict.fromkeys(
        f"{it.source.id}:{it.stream}" for it in streams if not it.measured and not it.system
    )
    if unmeasured:
        yield message(Code.RATES_NOT_MEASURED, streams=list(unmeasured))
    yield from (it for it in (*problem.assumptions, problem.delays_assumed) if it)
    if missing := request.topology.missing():
        names = executor_names(request.topology)
        yield message(Code.WITHOUT_SLOT, executors=[names[it] for it in missing])
    if request.settings.overlap and (obstacle := find_obstacle(request)):
        yield message(Code.MOVES_RESTART, reason=obstacle)
    yield message(Code.SIZES_UNKNOWN)
