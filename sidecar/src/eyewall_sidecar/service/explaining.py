"""Why an executor runs where it runs, and what every other host would mean for it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.heuristic.elsewhere import Elsewhere, elsewhere
from eyewall_sidecar.heuristic.ranges import ranges_of
from eyewall_sidecar.model import Range
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.slowest_path import slowest_path
from eyewall_sidecar.service.asking import Asked, unknown
from eyewall_sidecar.service.forbidding import NONE, Obstacle, Obstacles
from eyewall_sidecar.service.memory import Memory
from eyewall_sidecar.service.names import (
    NotNowError,
    UnknownNameError,
    executor_named,
    nearest,
)
from eyewall_sidecar.service.overview import Known, Worth, problem_of, why_unmodelled, worth_of
from eyewall_sidecar.storm import TopologyProblem, operator_id

MOST_ALTERNATIVES = 50
"""Hosts that are told of at most."""
SAME = 1e-9
"""Part of a value within which two are the same."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An executor that this one exchanges tuples with; tuples/s and seconds one way.

    `upstream`: tuples come from it, else they go to it.
    """

    executor: str
    host: str
    upstream: bool
    rate: float
    delay: float
    system: bool


@dataclass(frozen=True, slots=True)
class Alternative:
    """A host, by itself: everything else stays where it is.

    Parameters
    ----------
    host, current
        Which; whether the executor is there.
    obstacle
        What forbids it.
    value, metrics
        The objective and every metric with it there; None and empty if that cannot be modelled.
    between_hosts_added
        Tuples/s between hosts that it would add; below 0: save.
    response_time_added
        Seconds.
    gain
        By which part of its value the objective would get better; None if it cannot be modelled.
    """

    host: str
    current: bool = False
    obstacle: Obstacle = NONE
    value: float | None = None
    metrics: Mapping[Term, float] = field(default_factory=dict)
    between_hosts_added: float | None = None
    response_time_added: float | None = None
    gain: float | None = None

    @property
    def possible(self) -> bool:
        """Whether it could go there."""
        return not self.current and not self.obstacle.constraint


@dataclass(frozen=True, slots=True)
class Explanation:
    """What there is to say of one executor.

    Parameters
    ----------
    asked, problem, memory
        What it rests on.
    executor, component, host
        Which, and where it runs.
    worth
        What runs, by the model.
    neighbours
        Those with most tuples/s first.
    alternatives, left_out
        Best first, impossible ones last; and how many hosts are not among them.
    on_slowest_path
        Whether it is.
    wanted
        The host that was asked about; None: any.
    unknown
        What is not known well enough to move anything; empty if all is.
    """

    asked: Asked
    problem: TopologyProblem
    memory: Memory
    executor: str
    component: str
    host: str
    worth: Worth
    neighbours: tuple[Neighbour, ...]
    alternatives: tuple[Alternative, ...]
    left_out: int
    on_slowest_path: bool
    wanted: Alternative | None
    unknown: str

    @property
    def objective(self) -> Objective:
        """What counts."""
        return self.asked.settings.objective


def explain(known: Known, executor: str, host: str, heard: Collection[str]) -> Explanation:
    """Explain where an executor of a topology runs, and what `host` would mean for it.

    `heard` are hosts that an agent was heard from. An empty `host` asks for any. UnknownNameError
    if there is no such executor or host, NotNowError if what runs cannot be modelled.
    """
    topology = known.state.topology
    found = executor_named(topology, executor)
    problem, memory = problem_of(known.state, known.memory), known.memory
    why = why_unmodelled(known, problem)
    if why or not isinstance(problem, TopologyProblem) or memory is None or memory.asked is None:
        raise NotNowError(f"{topology.name} cannot be explained: {why}")
    component = topology.executors()[found]
    return _Explaining(known, problem, memory, memory.asked).explanation(
        operator_id(component, found), component.id, host, heard
    )


class _Explaining:
    """One topology that runs whole."""

    def __init__(
        self, known: Known, problem: TopologyProblem, memory: Memory, asked: Asked
    ) -> None:
        self.memory, self.asked, self.topology = memory, asked, problem
        self.problem = problem.problem
        self.current = self.problem.current or {}
        self.host = {
            node: asked.rooms[supervisor].supervisor.host
            for node, supervisor in problem.supervisors.items()
        }
        worth = worth_of(problem, memory, asked.settings.objective)
        if worth is None:
            raise NotNowError(f"{known.state.topology.name} does not run whole")
        self.worth = worth

    def explanation(
        self, operator: str, component: str, host: str, heard: Collection[str]
    ) -> Explanation:
        here = self.host[self.current[operator]]
        everywhere = self._alternatives(operator, here)
        wanted = self._wanted(everywhere, host, heard)
        if wanted is not None and wanted.host not in everywhere:
            everywhere[wanted.host] = wanted
        listed_ = sorted(everywhere.values(), key=self._best_first)
        shown = listed_[:MOST_ALTERNATIVES]
        shown += [it for it in listed_[MOST_ALTERNATIVES:] if it.current or it is wanted]
        neighbours = sorted(self._neighbours(operator), key=lambda it: (-it.rate, it.executor))
        return Explanation(
            asked=self.asked,
            problem=self.topology,
            memory=self.memory,
            executor=operator,
            component=component,
            host=here,
            worth=self.worth,
            neighbours=tuple(neighbours),
            alternatives=tuple(shown),
            left_out=len(listed_) - len(shown),
            on_slowest_path=any(
                it.operator == operator for it in slowest_path(self.problem, self.current)
            ),
            wanted=wanted,
            unknown=unknown(self.topology, self.asked.settings),
        )

    def _wanted(
        self, everywhere: Mapping[str, Alternative], host: str, heard: Collection[str]
    ) -> Alternative | None:
        if not host or host in everywhere:
            return everywhere.get(host)
        if host in heard:
            said = "there is no supervisor on it that Nimbus knows, though an agent was heard"
            return Alternative(host, obstacle=Obstacle("no supervisor", said))
        hosts = sorted(everywhere)
        raise UnknownNameError(f"no host {host}; hosts are {listed(hosts)}", nearest(host, hosts))

    def _alternatives(self, operator: str, here: str) -> dict[str, Alternative]:
        """Host → the best that a supervisor there offers."""
        arrays = ProblemArrays.of(self.problem)
        places = places_of(self.problem, self.current)
        row = [it.id for it in self.problem.operators].index(operator)
        objective = self.asked.settings.objective
        told = elsewhere(arrays, places, row, objective, self._ranges(arrays))
        obstacles = Obstacles(self.asked, self.topology, operator)
        of_node = obstacles.of_nodes()
        crossing = self._crossing(operator)
        now = int(places[row])
        found: dict[str, Alternative] = {}
        for node, it in enumerate(self.problem.nodes):
            host = self.host[it.id]
            if host == here and node != now:
                continue  # another supervisor on the host where it is already
            added = crossing.get(here, 0.0) - crossing.get(host, 0.0)
            alternative = self._there(host, of_node[it.id], told, node, now, added)
            other = found.get(host)
            if other is None or self._best_first(alternative) < self._best_first(other):
                found[host] = alternative
        for room in self.asked.rooms.values():
            host = room.supervisor.host
            if host not in found:
                found[host] = Alternative(host, obstacle=obstacles.of_host(host))
        return found

    def _there(
        self, host: str, obstacle: Obstacle, told: Elsewhere, node: int, now: int, added: float
    ) -> Alternative:
        """Describe a node; `added` is how many tuples/s more cross from host to host."""
        value, before = float(told.value[node]), float(told.value[now])
        better = 0.0
        if value != before and not abs(value - before) <= SAME * max(1.0, abs(before)):
            better = value - before if self.asked.settings.objective.maximised else before - value
        metrics = {term: float(values[node]) for term, values in told.metrics.items()}
        return Alternative(
            host=host,
            current=node == now,
            obstacle=NONE if node == now else obstacle,
            value=value if self.worth.value is not None else None,
            metrics=metrics,
            between_hosts_added=added,
            response_time_added=metrics[Term.R] - float(told.metrics[Term.R][now]),
            gain=_relative(better, before),
        )

    def _ranges(self, arrays: ProblemArrays) -> Mapping[Term, Range]:
        """What normalises several terms: as the last answer has it, else by the problem alone."""
        ranges = {Term(name): it for name, it in self.worth.evaluation.ranges.items()}
        return ranges or ranges_of(arrays, self.asked.settings.objective)

    def _crossing(self, operator: str) -> dict[str, float]:
        """Host → tuples/s that the operator exchanges with others there."""
        found: dict[str, float] = {}
        for stream in self.problem.streams:
            if (stream.source == operator) != (stream.target == operator):
                other = stream.target if stream.source == operator else stream.source
                host = self.host[self.current[other]]
                found[host] = found.get(host, 0.0) + stream.rate
        return found

    def _neighbours(self, operator: str) -> list[Neighbour]:
        found = []
        for stream in self.problem.streams:
            if (stream.source == operator) == (stream.target == operator):
                continue
            upstream = stream.target == operator
            other = stream.source if upstream else stream.target
            found.append(
                Neighbour(
                    executor=other,
                    host=self.host[self.current[other]],
                    upstream=upstream,
                    rate=stream.rate,
                    delay=self.problem.delay(
                        self.current[stream.source], self.current[stream.target]
                    ),
                    system=stream.system,
                )
            )
        return found

    def _best_first(self, it: Alternative) -> tuple[bool, float, bool, float, str]:
        """Order possible ones and the current one by gain; then those that cannot be."""
        forbidden = bool(it.obstacle.constraint)
        gain = it.gain if it.gain is not None else float("-inf")
        return forbidden, -gain, not it.current, it.between_hosts_added or 0.0, it.host


def _relative(better: float, before: float) -> float:
    """By which part of its value it gets better; without a value before, by how much."""
    return better / abs(before) if before and abs(before) != float("inf") else better
