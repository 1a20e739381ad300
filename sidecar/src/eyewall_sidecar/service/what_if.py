"""What to expect at another rate, or with hosts that are slower or off, with intervals.

`docs/design/load.md` has the model.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import NamedTuple

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import Node, Placement, PlacementProblem
from eyewall_sidecar.objectives.load import forecast_load
from eyewall_sidecar.objectives.load_scenarios import AS_ESTIMATED, SCENARIOS
from eyewall_sidecar.service.lookup import (
    InvalidRequestError,
    UnavailableError,
    UnknownNameError,
    nearest_names,
)
from eyewall_sidecar.service.messages import no_placement_message
from eyewall_sidecar.service.planner import ServiceContext, choose_policy
from eyewall_sidecar.service.plans import executor_names
from eyewall_sidecar.service.solver_pool import PLANNING, PlacementTask, SolverFailure
from eyewall_sidecar.storm import Topology

MOST_RATE = 1e6
"""Multiple of the present rate; more is a mistake."""


class Interval(NamedTuple):
    """A forecast, and between what it lies by what is known of the model's inputs."""

    value: float
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class Change:
    """What is different from the present.

    Parameters
    ----------
    rate
        The multiple of the present rate.
    hosts
        Host → the share of its cores that is left; 0 is a host that is off.
    """

    rate: float = 1.0
    hosts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prospect:
    """What is expected of one placement.

    Parameters
    ----------
    throughput
        Tuples/s that the topology carries of those that its sources emit, copies included.
    response_time
        Seconds until the source has the ack, or from source to sink of what is not acked; of a
        topology that is saturated it grows as long as it is.
    sustainable
        The multiple of the present rate that is just carried.
    bottleneck
        Node or operator that saturates first.
    nodes, operators
        Node or operator id → share of its cores or of its thread that is in use. What threads use
        to look for tuples counts for nodes only: it gives way to work.
    """

    throughput: Interval
    response_time: Interval
    sustainable: Interval
    bottleneck: str
    nodes: Mapping[str, Interval]
    operators: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is expected of a topology, as it runs and after a change.

    Parameters
    ----------
    topology
        Which.
    now, then
        What runs, at the present rate; with the change.
    moves
        Executors that `then` has elsewhere, each with the host before and after.
    remarks
        What to know of it.
    unsettled
        Whether what is measured has not come to rest since its workers started: rates, and all
        that follows from them, may be far off.
    """

    topology: Topology
    now: Prospect
    then: Prospect
    moves: tuple[tuple[str, str, str], ...]
    remarks: tuple[Message | str, ...]
    unsettled: bool = False


def forecast(
    context: ServiceContext,
    topology: str,
    change: Change,
    policy: str,
    is_awaited: Callable[[], bool],
) -> Forecast:
    """Return what is expected of a topology that runs.

    Parameters
    ----------
    topology
        By its name or Storm's id.
    policy
        Places all executors again; empty: only those whose host is off are placed, by the
        topology's own policy.
    is_awaited
        Whether the caller still waits.

    Raises
    ------
    UnknownNameError, InvalidRequestError
        For a topology, host or policy that is not there, and a change that makes no sense.
    UnavailableError
        There is no problem of the topology now, or it does not run whole; or too many placements
        are looked for already.
    """
    running = context.running_problem(topology)
    problem, settings = running.problem.problem, running.request.settings
    capacities, supervisors = running.request.capacities, running.problem.supervisors
    hosts = {node: capacities[it].supervisor.host for node, it in supervisors.items()}
    change = name_nodes(change, hosts)
    state = running.request.topology
    require_change(change, (it.id for it in problem.nodes))
    if missing := state.missing():
        names = executor_names(state)
        executors = [names[it] for it in missing]
        name = state.topology.name
        raise UnavailableError(message(Code.NOT_WHOLE, topology=name, executors=executors))
    current = problem.current or {}
    changed = change_hosts(problem, change.hosts)
    placement = changed.current or {}
    if policy or len(placement) < len(problem.operators):
        chosen = choose_policy(settings, policy) if policy else settings
        wanted = scale_rates(changed if policy else keep_running(changed), change.rate)
        task = PlacementTask(
            wanted,
            chosen.objective,
            chosen.policy,
            context.seed(None),
            running.problem.interchangeable,
            PLANNING,
        )
        solution = context.place(task, context.time_limit(0), is_awaited)
        if isinstance(solution, SolverFailure):
            raise UnavailableError(solution.reason)
        if solution.placement is None:
            raise UnavailableError(no_placement_message(solution, running.assumptions))
        placement = solution.placement
    then = prospect_of(changed, placement, change.rate)
    remarks = [] if running.problem.cpu_measured else [message(Code.CPU_NOT_MEASURED)]
    remarks += [it for it in (warn_of_saturation(then, change.rate),) if it]
    return Forecast(
        state.topology,
        prospect_of(problem, current, 1.0),
        then,
        tuple((it, current[it], to) for it, to in placement.items() if current[it] != to),
        (*remarks, *running.assumptions),
        running.unsettled,
    )


def name_nodes(change: Change, hosts: Mapping[str, str]) -> Change:
    """Return the change by nodes: a host of several supervisors is as many.

    `hosts` is node → host. What is no host is left as it is.
    """
    shares: dict[str, float] = {}
    for name, share in change.hosts.items():
        nodes = [node for node, host in hosts.items() if host == name]
        shares |= dict.fromkeys(nodes or [name], share)
    return replace(change, hosts=shares)


def require_change(change: Change, nodes: Iterable[str]) -> None:
    """Refuse a change that makes no sense, or names a host that is not there."""
    if not (isfinite(change.rate) and 0 < change.rate <= MOST_RATE):
        raise InvalidRequestError(message(Code.BAD_RATE, value=change.rate, limit=MOST_RATE))
    known = list(nodes)
    for host, share in change.hosts.items():
        if host not in known:
            unknown = message(Code.NO_HOST, name=host, known=sorted(known))
            raise UnknownNameError(unknown, nearest_names(host, known))
        if not (isfinite(share) and 0 <= share <= MOST_RATE):
            raise InvalidRequestError(message(Code.BAD_SHARE, host=host, value=share))
    if len(known) == sum(share == 0 for share in change.hosts.values()):
        raise InvalidRequestError(message(Code.ALL_HOSTS_OFF))


def change_hosts(problem: PlacementProblem, hosts: Mapping[str, float]) -> PlacementProblem:
    """Return the problem with fewer or slower nodes; what ran on those that are gone has no place.

    InvalidRequestError if an operator may run on nodes that are gone only.
    """
    gone = {host for host, share in hosts.items() if share == 0}
    for it in problem.operators:
        if it.candidates is not None and gone.issuperset(it.candidates):
            bound = message(Code.BOUND_TO_HOSTS_OFF, executor=it.id, hosts=list(it.candidates))
            raise InvalidRequestError(bound)
    nodes = tuple(_scaled(it, hosts.get(it.id, 1.0)) for it in problem.nodes if it.id not in gone)
    operators = tuple(
        replace(it, candidates=tuple(node for node in it.candidates if node not in gone))
        if it.candidates is not None
        else it
        for it in problem.operators
    )
    links = {(u, v): it for (u, v), it in problem.links.items() if u not in gone and v not in gone}
    current = {it: node for it, node in (problem.current or {}).items() if node not in gone}
    return replace(problem, operators=operators, nodes=nodes, links=links, current=current or None)


def scale_rates(problem: PlacementProblem, rate: float) -> PlacementProblem:
    """Return the problem with the CPU and the streams of a multiple of its rates."""
    operators = tuple(
        replace(
            it,
            demand=rate * (it.cpu if it.demand is None else it.demand),
            demand_error=rate * it.demand_error,
        )
        for it in problem.operators
    )
    streams = tuple(replace(it, rate=rate * it.rate) for it in problem.streams)
    return replace(problem, operators=operators, streams=streams)


def keep_running(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem with every operator that runs fixed where it runs.

    Those on a node that takes none, as it is drained, have to go elsewhere.
    """
    open_nodes = {it.id for it in problem.nodes if it.operators}
    kept = {it: node for it, node in (problem.current or {}).items() if node in open_nodes}
    operators = (
        replace(it, candidates=(kept[it.id],)) if it.id in kept else it for it in problem.operators
    )
    return replace(problem, operators=tuple(operators))


def prospect_of(problem: PlacementProblem, placement: Placement, rate: float) -> Prospect:
    """Return what is expected of a placement at a multiple of the problem's rates."""
    expected = forecast_load(problem, placement, rate, AS_ESTIMATED)
    outcomes = [expected, *(forecast_load(problem, placement, rate, it) for it in SCENARIOS)]
    emitted = _emitted(problem)
    return Prospect(
        throughput=_interval(emitted * min(rate, it.sustainable) for it in outcomes),
        response_time=_interval(it.response_time for it in outcomes),
        sustainable=_interval(it.sustainable for it in outcomes),
        bottleneck=expected.bottleneck,
        nodes={it.id: _interval(one.node_shown[it.id] for one in outcomes) for it in problem.nodes},
        operators={
            one.id: _interval(it.operator_utilisation[one.id] for it in outcomes)
            for one in problem.operators
        },
    )


def _interval(values: Iterable[float]) -> Interval:
    """Return the first value, and between what all of them lie."""
    known = list(values)
    return Interval(known[0], min(known), max(known))


def warn_of_saturation(prospect: Prospect, rate: float) -> Message | None:
    """Return that the rate cannot be carried, or perhaps not; None if it can."""
    values = {"rate": rate, "sustainable": prospect.sustainable.value}
    if prospect.sustainable.greatest < rate:
        return message(Code.RATE_NOT_CARRIED, bottleneck=prospect.bottleneck, **values)
    if prospect.sustainable.least < rate:
        return message(Code.RATE_PERHAPS_NOT_CARRIED, bottleneck=prospect.bottleneck, **values)
    return None


def _scaled(node: Node, share: float) -> Node:
    cores = None if node.cores is None else node.cores * share
    return replace(node, cpu=node.cpu * share, cores=cores)


def _emitted(problem: PlacementProblem) -> float:
    """Return the tuples/s on the streams that leave sources."""
    own = [it for it in problem.streams if not it.system]
    receiving = {it.target for it in own}
    return sum(it.rate for it in own if it.source not in receiving)
