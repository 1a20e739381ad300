"""The placement problem of a topology as it runs, and in words how well it is known."""

from collections.abc import Iterator
from dataclasses import dataclass

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.asking import Asked, LookedAt, ask
from eyewall_sidecar.service.names import NotNowError, require_seen, topology_named
from eyewall_sidecar.service.plan import names_of
from eyewall_sidecar.service.scheduling import SchedulingService
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.service.wording import counted
from eyewall_sidecar.storm import (
    ComponentStream,
    MeasuredTopology,
    SettingsError,
    TopologyProblem,
    TopologyState,
    component_streams,
    read_settings,
)

FEW = 3
"""As many names stand in one sentence."""


@dataclass(frozen=True, slots=True)
class RunningProblem:
    """What the sidecar goes by for one topology.

    Parameters
    ----------
    topology
        As Nimbus sent it.
    asked
        What the problem was built from.
    bridged
        The problem, and the way back to Storm's words.
    measured
        What of it was measured, how long ago and how well: sentences for a person.
    assumptions
        What of it was declared, derived or assumed: sentences for a person.
    shared
        Nodes on which other topologies run, too.
    """

    topology: TopologyState
    asked: Asked
    bridged: TopologyProblem
    measured: tuple[str, ...]
    assumptions: tuple[str, ...]
    shared: tuple[str, ...]


def running_problem(service: SchedulingService, name: str) -> RunningProblem:
    """Return the problem of a topology as the last round went by it.

    UnknownNameError names what there is, NotNowError says why there is no problem now.
    """
    seen = require_seen(service.seen)
    topology = topology_named(seen, name)
    named = topology.topology.name
    if reason := topology.topology.refused:
        raise NotNowError(f"{named}: {reason}")
    try:
        own = read_settings(topology.topology, service.defaults, policy_catalogue())
    except SettingsError as error:
        raise NotNowError(f"{named}: {error}") from None
    memory = seen.memory.get(topology.topology.id)
    before = memory.asked if memory is not None else None
    asked = ask(before, seen.state, topology, own, seen.delays, seen.measured, LookedAt())
    problem = asked.problem
    if isinstance(problem, ProblemError):
        raise NotNowError(f"{named}: {problem}")
    streams, _ = component_streams(
        topology.topology, own.rate_hints, asked.measured or MeasuredTopology()
    )
    since = max(0.0, service.now() - seen.at)
    return RunningProblem(
        topology,
        asked,
        problem,
        tuple(_measured(seen, asked, problem, streams, since)),
        tuple(_assumed(asked, problem, streams)),
        tuple(
            it for it, supervisor in problem.supervisors.items() if asked.rooms[supervisor].shared
        ),
    )


def _measured(
    seen: Seen,
    asked: Asked,
    problem: TopologyProblem,
    streams: tuple[ComponentStream, ...],
    since: float,
) -> Iterator[str]:
    """Word what was measured; nothing is said of what was not."""
    measured = asked.measured or MeasuredTopology()
    known = [it for it in streams if it.measured]
    age = seen.measured.rates_age.get(asked.topology.topology.id)
    old = "" if age is None else f" {age + since:.0f} s ago"
    if known:
        figures = (*measured.streams.values(), *measured.emissions.values())
        off = max((it.error / it.value for it in figures if it.value), default=0.0)
        yield (
            f"rates of {len(known)} of {counted(len(streams), 'stream')} measured{old}, "
            f"each within {100 * off:.0f} % (95 %)"
        )
    if problem.cpu_measured:
        used = [measured.cores[it] for it in measured.cores]
        off = max((it.error / it.value for it in used if it.value), default=0.0)
        yield f"CPU of all executors measured{old}, each within {100 * off:.0f} % (95 %)"
    delays = asked.delays
    if delays.hosts and len(problem.known.hosts) > 1:
        hosts = problem.known.hosts
        least = min(delays.confidence_between(a, b) for a in hosts for b in hosts if a != b)
        yield (
            f"delays at most {delays.age + since:.0f} s old, with confidence {least:.2g} or more"
        )


def _assumed(
    asked: Asked, problem: TopologyProblem, streams: tuple[ComponentStream, ...]
) -> Iterator[str]:
    """Word what stands in for what was not measured."""
    if not problem.cpu_measured:
        yield "CPU is what each component declares; it was not measured"
    unmeasured = dict.fromkeys(
        f"{it.source.id}:{it.stream}" for it in streams if not it.measured and not it.system
    )
    if unmeasured:
        yield f"not measured, but hinted, derived or assumed: rates of {listed(unmeasured, FEW)}"
    yield from problem.assumptions
    if problem.delays_assumed:
        yield problem.delays_assumed
    if missing := asked.topology.missing():
        names = names_of(asked.topology)
        yield f"without a slot now: {listed([names[it] for it in missing], FEW)}"
    yield "sizes of tuples are unknown: Storm tells none"
