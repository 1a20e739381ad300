"""Why an executor runs where it runs: what any other host would mean for it, or what forbids it."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite

from eyewall_sidecar.heuristic.ranges import ranges_of
from eyewall_sidecar.heuristic.relocations import Relocations, evaluate_relocations
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Evaluation
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.model.placed_rates import as_placed
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.slowest_path import slowest_path
from eyewall_sidecar.service.lookup import (
    UnavailableError,
    UnknownNameError,
    find_executor,
    nearest_names,
)
from eyewall_sidecar.service.obstacles import Obstacle, Obstacles
from eyewall_sidecar.service.overview import TopologyOverview
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.storm import TopologyProblem, operator_id

MOST_ALTERNATIVES = 50
"""Hosts that are listed."""
SAME = 1e-9
"""Part of a value within which two are the same."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An executor that this one exchanges tuples with; tuples/s, and seconds one way.

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
    """A host by itself: everything else stays where it is.

    Parameters
    ----------
    host, current
        Which; whether the executor is there.
    obstacle
        What forbids it; None if nothing does.
    value, metrics
        The objective and every metric with it there; None and empty if that is not modelled.
    between_hosts_added, response_time_added
        Tuples/s between hosts, and seconds; below 0: saved.
    gain
        The part of its value by which the objective gets better; None if it is not modelled.
    """

    host: str
    current: bool = False
    obstacle: Obstacle | None = None
    value: float | None = None
    metrics: Mapping[Term, float] = field(default_factory=dict)
    between_hosts_added: float | None = None
    response_time_added: float | None = None
    gain: float | None = None

    @property
    def possible(self) -> bool:
        """Whether it could go there."""
        return not self.current and self.obstacle is None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What there is to know of one executor.

    Parameters
    ----------
    overview, request, problem, evaluation
        Its topology, which runs whole.
    executor, host
        Its name, and where it runs.
    neighbours
        Those with most tuples/s first.
    alternatives, left_out
        Best first, impossible ones last; and how many hosts are not listed.
    on_slowest_path
        Whether it is.
    wanted
        The host that was asked about; None: any.
    """

    overview: TopologyOverview
    request: PlacementRequest
    problem: TopologyProblem
    evaluation: Evaluation
    executor: str
    host: str
    neighbours: tuple[Neighbour, ...]
    alternatives: tuple[Alternative, ...]
    left_out: int
    on_slowest_path: bool
    wanted: Alternative | None

    @property
    def objective(self) -> Objective:
        """What counts."""
        return self.request.settings.objective


def explain(
    overview: TopologyOverview, executor: str, host: str, reporting: Collection[str]
) -> Explanation:
    """Evaluate an executor of a topology on every host; `host` is the one that is asked about.

    `reporting` are hosts with an agent. An empty `host` asks for any. UnknownNameError if there is
    no such executor or host, UnavailableError if what runs cannot be modelled.
    """
    topology = overview.state.topology
    found = find_executor(topology, executor)
    record, problem, evaluation = overview.record, overview.problem, overview.evaluation
    if problem is None or evaluation is None or record is None or record.request is None:
        reason = overview.unknown or message(Code.NOT_RUNNING)
        raise UnavailableError(message(Code.UNEXPLAINED, topology=topology.name, reason=reason))
    name = operator_id(topology.executors()[found], found)
    search = _Search(overview, record.request, problem, evaluation, name)
    hosts = search.alternatives()
    if host and host not in hosts:
        hosts[host] = _outside(host, hosts, reporting)
    wanted = hosts[host] if host else None
    ordered = sorted(hosts.values(), key=_best_first)
    shown = ordered[:MOST_ALTERNATIVES]
    shown += [it for it in ordered[MOST_ALTERNATIVES:] if it.current or it is wanted]
    path = slowest_path(problem.problem, search.current)
    return Explanation(
        overview=overview,
        request=record.request,
        problem=problem,
        evaluation=evaluation,
        executor=name,
        host=search.host,
        neighbours=tuple(sorted(search.neighbours, key=lambda it: (-it.rate, it.executor))),
        alternatives=tuple(shown),
        left_out=len(ordered) - len(shown),
        on_slowest_path=any(it.operator == name for it in path),
        wanted=wanted,
    )


def _outside(host: str, known: Collection[str], reporting: Collection[str]) -> Alternative:
    """Return a host without a supervisor; UnknownNameError if no agent reports from it."""
    if host in reporting:
        return Alternative(host, obstacle=Obstacle("no supervisor", message(Code.NO_SUPERVISOR)))
    hosts = sorted(known)
    raise UnknownNameError(
        message(Code.NO_HOST, name=host, known=hosts), nearest_names(host, hosts)
    )


def _best_first(it: Alternative) -> tuple[bool, float, bool, float, str]:
    """Order the current and possible ones by gain; then those that are forbidden."""
    gain = it.gain if it.gain is not None else float("-inf")
    added = it.between_hosts_added or 0.0
    return it.obstacle is not None, -gain, not it.current, added, it.host


class _Search:
    """One executor, on every host."""

    def __init__(
        self,
        overview: TopologyOverview,
        request: PlacementRequest,
        problem: TopologyProblem,
        evaluation: Evaluation,
        name: str,
    ) -> None:
        self._is_valued = overview.value is not None
        self._evaluation, self._request, self._topology = evaluation, request, problem
        self._objective = request.settings.objective
        self._problem = problem.problem
        self._name = name
        self.current = self._problem.current or {}
        capacities = request.capacities
        self._hosts = {it: capacities[at].supervisor.host for it, at in problem.supervisors.items()}
        self.host = self._hosts[self.current[name]]
        self.neighbours = list(self._neighbours())

    def alternatives(self) -> dict[str, Alternative]:
        """Host → the best that a supervisor there offers."""
        arrays = ProblemArrays.of(self._problem)
        places = places_of(self._problem, self.current)
        row = [it.id for it in self._problem.operators].index(self._name)
        ranges = self._evaluation.ranges or ranges_of(arrays, self._objective)
        values = evaluate_relocations(arrays, places, row, self._objective, ranges)
        obstacles = Obstacles(self._request, self._topology, self._name)
        forbidden = obstacles.of_nodes()
        exchanged: defaultdict[str, float] = defaultdict(float)
        for neighbour in self.neighbours:
            exchanged[neighbour.host] += neighbour.rate
        now = int(places[row])
        found: dict[str, Alternative] = {}
        for place, node in enumerate(self._problem.nodes):
            host = self._hosts[node.id]
            if host == self.host and place != now:
                continue  # another supervisor on the same host
            added = exchanged[self.host] - exchanged[host]
            alternative = replace(
                self._valued(values, place, now),
                host=host,
                obstacle=None if place == now else forbidden[node.id],
                between_hosts_added=added,
            )
            if host not in found or _best_first(alternative) < _best_first(found[host]):
                found[host] = alternative
        for capacity in self._request.capacities.values():
            host = capacity.supervisor.host
            if host not in found:
                found[host] = Alternative(host, obstacle=obstacles.of_host(host))
        return found

    def _valued(self, values: Relocations, place: int, now: int) -> Alternative:
        """Return what a node means for the metrics."""
        value, before = float(values.value[place]), float(values.value[now])
        same = value == before or abs(value - before) <= SAME * max(1.0, abs(before))
        metrics = {term: float(of_nodes[place]) for term, of_nodes in values.metrics.items()}
        return Alternative(
            host="",
            current=place == now,
            value=value if self._is_valued else None,
            metrics=metrics,
            response_time_added=metrics[Term.R] - float(values.metrics[Term.R][now]),
            gain=0.0 if same else _part(self._objective, before, value),
        )

    def _neighbours(self) -> Iterator[Neighbour]:
        for stream in as_placed(self._problem, self.current).streams:
            if (stream.source == self._name) == (stream.target == self._name):
                continue
            upstream = stream.target == self._name
            other = stream.source if upstream else stream.target
            ends = self.current[stream.source], self.current[stream.target]
            yield Neighbour(
                executor=other,
                host=self._hosts[self.current[other]],
                upstream=upstream,
                rate=stream.rate,
                delay=self._problem.delay(*ends),
                system=stream.system,
            )


def _part(objective: Objective, before: float, value: float) -> float:
    """Return the part of its value by which it gets better; without a value before, by how much."""
    better = value - before if objective.maximised else before - value
    return better / abs(before) if before and isfinite(before) else better
