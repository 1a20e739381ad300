"""The placement problem of a topology as it runs, and how well it is known."""

from collections.abc import Iterator
from dataclasses import dataclass

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.lookup import UnavailableError, find_topology
from eyewall_sidecar.service.messages import Code, Message, message
from eyewall_sidecar.service.plans import executor_names
from eyewall_sidecar.service.problem_cache import PlacementRequest, request_placement
from eyewall_sidecar.service.round import SchedulingService
from eyewall_sidecar.storm import (
    ComponentStream,
    KnownDelaysCache,
    MeasuredTopology,
    SettingsError,
    TopologyProblem,
    component_streams,
    read_settings,
)
from eyewall_sidecar.storm.topology_estimates import MeasuredValue


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
    """

    request: PlacementRequest
    problem: TopologyProblem
    measured: tuple[Message, ...]
    assumptions: tuple[Message | str, ...]
    shared: tuple[str, ...]


def running_problem(service: SchedulingService, name: str) -> RunningProblem:
    """Return the problem of a topology as the last round saw it.

    UnknownNameError offers similar names, UnavailableError says why there is no problem now.
    """
    snapshot = service.last_round()
    topology = find_topology(snapshot.observation.state, name)

    def unavailable(reason: object) -> UnavailableError:
        title = topology.topology.name
        return UnavailableError(message(Code.NOT_MOVABLE, topology=title, reason=reason))

    if refused := topology.topology.refused:
        raise unavailable(refused)
    try:
        own = read_settings(topology.topology, service.settings.defaults, policy_catalogue())
    except SettingsError as error:
        raise unavailable(error) from None
    record = snapshot.records.get(topology.topology.id)
    previous = record.request if record is not None else None
    request = request_placement(previous, snapshot.observation, topology, own, KnownDelaysCache())
    problem = request.problem
    if isinstance(problem, ProblemError):
        raise unavailable(problem)
    measured = request.measured or MeasuredTopology()
    streams, _ = component_streams(topology.topology, own.rate_hints, measured)
    since = max(0.0, service.now() - snapshot.time)
    capacities = request.capacities
    return RunningProblem(
        request,
        problem,
        tuple(_measured(request, problem, measured, streams, since)),
        tuple(_assumed(request, problem, streams)),
        tuple(it for it, at in problem.supervisors.items() if capacities[at].shared),
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
    yield message(Code.SIZES_UNKNOWN)
