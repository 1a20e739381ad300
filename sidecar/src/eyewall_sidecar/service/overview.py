"""What one topology is and what it is worth, for those who look on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from eyewall_sidecar.model import Evaluation, ProblemError
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.slowest_path import slowest_path
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.asking import unknown
from eyewall_sidecar.service.decision import Decision, Decline, Keep
from eyewall_sidecar.service.memory import Memory
from eyewall_sidecar.storm import (
    ComponentStream,
    Executor,
    MeasuredTopology,
    Settings,
    SettingsError,
    TopologyProblem,
    TopologyState,
    component_streams,
    mode_of,
    operator_id,
    read_settings,
)


@dataclass(frozen=True, slots=True)
class Worth:
    """What runs, by the model.

    Parameters
    ----------
    evaluation
        Every metric.
    value
        The objective; None if it has several terms and nothing has told yet what normalises them.
    """

    evaluation: Evaluation
    value: float | None


@dataclass(frozen=True, slots=True)
class ExecutorThere:
    """An executor and where it runs.

    Parameters
    ----------
    name, component, executor
        What it is; `name` as people read it.
    host, port, supervisor
        Empty and 0 if it has no slot.
    cores
        What the model counts it with; None if it is not modelled.
    pins
        Hosts or labels that its component is pinned to.
    """

    name: str
    component: str
    executor: Executor
    host: str = ""
    port: int = 0
    supervisor: str = ""
    cores: float | None = None
    pins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamThere:
    """All that flows from one component to another on one stream.

    Parameters
    ----------
    source, target, stream
        Which.
    rate, between_hosts
        Tuples/s, and how many of them cross from host to host.
    measured, system
        As of a `ComponentStream`.
    """

    source: str
    target: str
    stream: str
    rate: float
    between_hosts: float
    measured: bool
    system: bool


@dataclass(frozen=True, slots=True)
class StepThere:
    """A step of the slowest path; seconds to get there, and to work on one tuple."""

    executor: str
    host: str
    delay: float
    work: float


@dataclass(frozen=True, slots=True)
class Overview:
    """One topology in one round; ages are not in it, so that what did not change is equal.

    Parameters
    ----------
    state
        As Nimbus sent it.
    mode, policy, objective
        What its owner asks for; as far as its settings can be read.
    status, verdict
        Of the last round.
    unknown
        What keeps it from being judged or modelled; empty if nothing does.
    worth
        None if not all of it runs, or it is not modelled.
    executors, streams, slowest_path
        Where all runs, and what flows.
    assumptions
        What was taken for granted.
    crossing
        (host, host) → tuples/s from one host to another; None if nothing is known of its streams.
    """

    state: TopologyState
    mode: str
    policy: str
    objective: str
    status: str
    verdict: str
    unknown: str = ""
    worth: Worth | None = None
    executors: tuple[ExecutorThere, ...] = ()
    streams: tuple[StreamThere, ...] = ()
    slowest_path: tuple[StepThere, ...] = ()
    assumptions: tuple[str, ...] = ()
    crossing: Mapping[tuple[str, str], float] | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """All that an overview depends on.

    Parameters
    ----------
    state, memory, decision
        Of the topology, in the last round; memory and decision are None if it did not get so far.
    measured
        What was measured of the topology.
    defaults
        What holds for a topology that says nothing itself.
    host_of
        Supervisor id → host.
    """

    state: TopologyState
    memory: Memory | None
    decision: Decision | None
    measured: MeasuredTopology
    defaults: Settings
    host_of: Mapping[str, str]

    def is_as(self, other: Self) -> bool:
        """Whether another one says the same, without looking into what is the very same."""
        mine, theirs = self._looked_at(), other._looked_at()
        return all(one is two or one == two for one, two in zip(mine, theirs, strict=True))

    def _looked_at(self) -> tuple[object, ...]:
        memory, decision = self.memory, self.decision
        of_memory: tuple[object, ...] = (None, None, None, None)
        if memory is not None:
            asked = memory.asked
            # A problem is built anew only if something that it is built from has changed.
            problem = None if asked is None else id(asked.problem)
            digest = None if asked is None else asked.topology.assignment_digest
            of_memory = (problem, digest, id(memory.answer), id(memory.judgement))
        of_decision = None if decision is None else (decision.status, decision.verdict)
        return (self.state, self.measured, self.host_of, self.defaults, of_decision, *of_memory)


def problem_of(
    state: TopologyState, memory: Memory | None
) -> TopologyProblem | ProblemError | None:
    """Return what was last asked about this very assignment; None if nothing was."""
    if memory is None or memory.asked is None:
        return None
    of = memory.asked.topology
    same = of.assignment_digest == state.assignment_digest and of.topology == state.topology
    return memory.asked.problem if same else None


def worth_of(problem: TopologyProblem, memory: Memory, objective: Objective) -> Worth | None:
    """Value what runs; None if not all of it does."""
    current = problem.problem.current or {}
    if len(current) < len(problem.problem.operators):
        return None
    judged, judgement = memory.judged_on, memory.judgement
    if judged is not None and judgement is not None and judged[0] is problem and judgement.before:
        return Worth(judgement.before, judgement.before.value)
    found = memory.answer.evaluation if memory.answer is not None else None
    ranges = {Term(name): it for name, it in found.ranges.items()} if found is not None else {}
    known = bool(objective.ecker or objective.single) or objective.weights.keys() <= ranges.keys()
    by = objective if known else Objective({Term.R: 1.0})
    evaluation = evaluate(problem.problem, current, by, ranges)
    return Worth(evaluation, evaluation.value if known else None)


def overview(known: Known) -> Overview:
    """Say what a topology is and what it is worth."""
    state, memory = known.state, known.memory
    topology, decision = state.topology, known.decision
    try:
        settings = read_settings(topology, known.defaults, policy_catalogue())
        policy, objective = settings.policy, str(settings.objective)
    except SettingsError:
        settings, policy, objective = None, "", ""
    mode = mode_of(topology, known.defaults) if settings is None else settings.mode
    problem = problem_of(state, memory)
    modelled = problem if isinstance(problem, TopologyProblem) else None
    worth: Worth | None = None
    if modelled is not None and memory is not None and settings is not None:
        worth = worth_of(modelled, memory, settings.objective)
    streams, crossing = _streams(known, settings)
    return Overview(
        state=state,
        mode=str(mode),
        policy=policy,
        objective=objective,
        status=decision.status if decision is not None else "",
        verdict=type(decision.verdict).__name__.lower() if decision is not None else "",
        unknown=_unknown(known, problem, settings),
        worth=worth,
        executors=tuple(_executors(known, modelled, settings)),
        streams=streams,
        slowest_path=_path(modelled, known.host_of) if modelled and worth else (),
        assumptions=modelled.assumptions if modelled is not None else (),
        crossing=crossing,
    )


def why_unmodelled(known: Known, problem: TopologyProblem | ProblemError | None) -> str:
    """Say why a topology cannot be valued as it runs; empty if it can."""
    if isinstance(problem, ProblemError):
        return str(problem)
    verdict = known.decision.verdict if known.decision is not None else None
    if problem is None and isinstance(verdict, Keep | Decline) and verdict.reason:
        return verdict.reason
    if missing := known.state.missing():
        everyone = len(known.state.topology.executors())
        return f"{len(missing)} of its {everyone} executors have no slot"
    return "" if problem is not None else "the last round did not get so far as to look at it"


def _unknown(
    known: Known, problem: TopologyProblem | ProblemError | None, settings: Settings | None
) -> str:
    said = why_unmodelled(known, problem)
    if said or settings is None or not isinstance(problem, TopologyProblem):
        return said
    return unknown(problem, settings)


def _executors(
    known: Known, problem: TopologyProblem | None, settings: Settings | None
) -> list[ExecutorThere]:
    slots = known.state.running()
    pins = settings.pins if settings is not None else {}
    found = []
    for executor, component in known.state.topology.executors().items():
        name = operator_id(component, executor)
        slot = slots.get(executor)
        found.append(
            ExecutorThere(
                name=name,
                component=component.id,
                executor=executor,
                host=known.host_of.get(slot.supervisor, "") if slot else "",
                port=slot.port if slot else 0,
                supervisor=slot.supervisor if slot else "",
                cores=problem.problem.operator(name).cpu if problem is not None else None,
                pins=pins.get(component.id, ()),
            )
        )
    return found


def _streams(
    known: Known, settings: Settings | None
) -> tuple[tuple[StreamThere, ...], dict[tuple[str, str], float] | None]:
    """What flows from component to component, and from host to host."""
    topology = known.state.topology
    if settings is None or topology.refused:
        return (), None
    hosts = known.host_of
    slots = known.state.running().items()
    where = {it: hosts[slot.supervisor] for it, slot in slots if slot.supervisor in hosts}
    streams, _ = component_streams(topology, settings.rate_hints, known.measured)
    found: list[StreamThere] = []
    crossing: dict[tuple[str, str], float] = {}
    for it in streams:
        apart = 0.0
        for pair, rate in it.between(where, known.measured).items():
            if pair[0] != pair[1]:
                apart += rate
                crossing[pair] = crossing.get(pair, 0.0) + rate
        found.append(_stream(it, apart))
    return tuple(found), crossing


def _stream(it: ComponentStream, apart: float) -> StreamThere:
    return StreamThere(
        it.source.id, it.target.id, it.stream, it.taken, apart, it.measured, it.system
    )


def _path(problem: TopologyProblem, host_of: Mapping[str, str]) -> tuple[StepThere, ...]:
    current = problem.problem.current or {}
    return tuple(
        StepThere(
            step.operator,
            host_of.get(problem.supervisors[current[step.operator]], ""),
            step.delay,
            step.work,
        )
        for step in slowest_path(problem.problem, current)
    )
