"""The sidecar's decisions in a closed loop with a simulated cluster, without any real time.

The scheduling service, its estimates, problems, policies and slots are the real ones. Around them
are a virtual clock, stores in memory and solvers that search a fixed number of steps.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from eyewall_sidecar.config import MoveLimits, ServiceSettings, SidecarConfig, SolverLimits
from eyewall_sidecar.exact.first_fit import first_fit
from eyewall_sidecar.heuristic.load_search import LoadSearch
from eyewall_sidecar.heuristic.tie_breaks import with_fewest_moves
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.load_terms import load_terms
from eyewall_sidecar.policies.bound_guided import BoundGuided
from eyewall_sidecar.policies.catalogue import load_policy
from eyewall_sidecar.policies.policy_request import PolicyRequest
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.decision_log import DecisionLog
from eyewall_sidecar.service.look_back import (
    MoveHistory,
    MoveOutcome,
    MoveTrial,
    SlowedLink,
    Surroundings,
    judge_move,
)
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.service.round import InputStores, SchedulingService
from eyewall_sidecar.storm import (
    ClusterState,
    DelayTable,
    TopologySettings,
    TopologyState,
)

from benchmarks.loop.simulated_agents import EPOCH, SimulatedAgents
from benchmarks.loop.simulated_cases import BRIEFLY, SLOW_UNTIL, SLOWED, STEP_AT, slowed
from benchmarks.loop.simulated_cluster import SimulatedCluster

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from eyewall_contracts.decision import DecisionRecord
    from eyewall_sidecar.model import Solution
    from eyewall_sidecar.objectives.load_prediction import LoadPrediction
    from eyewall_sidecar.service.candidate_move import MoveConditions
    from eyewall_sidecar.storm import Assignment

    from benchmarks.loop.simulated_cases import SimulatedCase

REPORT_SECONDS = 5.0
REPORTS_BEFORE = 3
"""Of the agents, before the topology comes: the cluster was up."""
SECOND = 1.0
OBJECTIVE = SidecarConfig().defaults.objective
PER_SLOT = 6
"""Executors in a worker, by Storm's defaults: 768 MB of heap, 128 MB for an executor."""
SEARCH_STEPS = 4
LOAD_STEPS = 10
SEARCH_SECONDS = 6.0
"""What a search of some 15 executors takes on a running cluster: after it the loop pauses."""
TIE_BREAKS = 200
"""Placements that a search for fewer moves looks at."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to place: a policy and an objective, and whether what runs is ever moved."""

    name: str
    policy: str = "bound_guided"
    objective: str = OBJECTIVE
    moves: bool = True
    per_slot: int = PER_SLOT
    limits: MoveLimits = field(default_factory=MoveLimits)
    without: str = ""
    """Which of `DAMPERS` it lacks."""


RAS = Contender("ras", policy="ras", objective="R=1", moves=False)
ROUND_ROBIN = Contender("round robin", policy="round_robin", objective="R=1", moves=False)
EYEWALL = Contender("eyewall")
DAMPERS = (
    "price",
    "patience",
    "rest",
    "catching-up",
    "looking-back",
    "first-as-ras",
    "cool-down",
    "holding-still",
    "relief",
    "measured-part",
)
_LIMITS_WITHOUT = {"price": {"horizon_seconds": 0.0}, "cool-down": {"cool_down_seconds": 0.0}}


def without_damper(contender: Contender, damper: str) -> Contender:
    """Return a contender that lacks one of `DAMPERS`."""
    limits = contender.limits.model_copy(update=_LIMITS_WITHOUT.get(damper, {}))
    name = f"{contender.name} without {damper}"
    return replace(contender, name=name, limits=limits, without=damper)


def _absence(damper: str) -> AbstractContextManager[Any]:
    """Take what no setting switches off out of the decisions."""
    decider, move_value = "eyewall_sidecar.service.decider", "eyewall_sidecar.service.move_value"
    match damper:
        case "patience":
            return patch(f"{move_value}._patience_hold", new=lambda *_: None)
        case "rest":
            absent: AbstractContextManager[Any] = patch.object(Performance, "unsettled", new=False)
            return absent
        case "catching-up":
            return patch(f"{decider}.CATCH_UP", new=0.0)
        case "looking-back":
            return patch("eyewall_sidecar.service.ready_moves.judge_move", new=_never_worse)
        case "first-as-ras":
            return patch(
                f"{decider}.prefer_ras",
                new=lambda _problem, _objective, solution, *_, **__: solution,
            )
        case "holding-still":
            return patch.object(MoveHistory, "with_setback", new=_not_still)
        case "relief":
            return patch(f"{move_value}.RELIEF", new=1.0)
        case "measured-part":
            return patch(f"{move_value}._sure_gain", new=_gain_up_to_latency)
    return nullcontext()


def _never_worse(trial: MoveTrial, after: Performance, surroundings: Surroundings) -> MoveOutcome:
    return replace(judge_move(trial, after, surroundings), worse=False)


_with_setback = MoveHistory.with_setback


def _not_still(
    history: MoveHistory, now: float, slowed: tuple[SlowedLink, ...] = ()
) -> MoveHistory:
    return replace(_with_setback(history, now, slowed), still_until=now)


def _gain_up_to_latency(prediction: LoadPrediction, conditions: MoveConditions) -> float:
    least, latency = prediction.gain[0], conditions.latency
    return least if latency is None else min(least, latency)


@dataclass(frozen=True, slots=True)
class LoopResult:
    """What a contender made of a case.

    Parameters
    ----------
    moves
        When it moved, in seconds since the first placement.
    lost_seconds
        Without output after the first minute.
    throughput, latency
        The part of the offered tuples that came out in the last third, and their mean seconds.
    capacity
        Tuples/s that the last placement carries.
    overall
        As `throughput` and `latency`, from the first minute to the end.
    """

    moves: tuple[float, ...]
    lost_seconds: float
    throughput: float
    latency: float
    capacity: float
    overall: tuple[float, float]
    records: tuple[DecisionRecord, ...] = ()


@dataclass
class _Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True, slots=True)
class _Delays:
    table: DelayTable
    source = "file"

    def read(self) -> DelayTable:
        return self.table


@dataclass
class _Records:
    kept: list[DecisionRecord] = field(default_factory=list)

    def put(self, record: DecisionRecord) -> None:
        self.kept.append(record)


@dataclass(frozen=True, slots=True)
class _Solved:
    solution: Any

    def result(self, until: float) -> Any:  # noqa: ARG002 - it is there
        return self.solution

    def cancel(self) -> None:
        """Nothing is under way."""


class _Solvers:
    """Solves at once, within a number of steps and not of seconds."""

    def run(self, task: Any, time_limit: float) -> _Solved:
        return _Solved(replace(self._solve(task, time_limit), seconds=SEARCH_SECONDS))

    def _solve(self, task: Any, time_limit: float) -> Solution:
        if task.policy != "bound_guided":
            policy = load_policy(task.policy)
            return policy(task.problem, task.objective, time_limit=time_limit, seed=task.seed)
        if task.objective.weighs_load:
            return _search_under_load(task)
        bound_guided = BoundGuided(steps=SEARCH_STEPS, clock=lambda: 0.0)
        found = bound_guided(task.problem, task.objective, time_limit=1.0, seed=task.seed)
        left = iter(range(TIE_BREAKS))
        return with_fewest_moves(
            task.problem, task.objective, found, task.interchangeable, lambda: not next(left, 0)
        )


def _search_under_load(task: Any) -> Solution:
    """Search as `bound_guided` does, for a number of steps and without a proof."""
    problem = task.problem
    request = PolicyRequest.now("bound_guided", problem, task.objective, 1.0, task.seed, float)
    arrays = ProblemArrays.of(problem)
    current = problem.current or {}
    runs = places_of(problem, current) if len(current) == arrays.operators else None
    packed = first_fit(problem)
    starts = [places_of(problem, packed)] if packed is not None else []
    starts += [runs] if runs is not None else []
    search = LoadSearch(load_terms(arrays, task.objective.single), runs)
    for _ in islice(search.improve(starts, np.random.default_rng(task.seed)), LOAD_STEPS):
        pass
    search.settle()
    if search.best is None:
        return request.stuck("no placement that was tried fits")
    return request.placed(search.best)


def run_case(
    case: SimulatedCase, contender: Contender, seconds: float, base: float | None = None
) -> LoopResult:
    """Simulate a case; `base` are the tuples/s offered, by default a part of what RAS carries."""
    if base is None:
        base = case.load * carried_by(case, RAS)
    # What arrives does not depend on who places: each draws from a generator of its own.
    rng, of_world, of_agents = np.random.default_rng(case.seed + 1).spawn(3)
    topology = case.topology()
    world = SimulatedCluster(
        list(case.hosts),
        case.delays,
        case.components,
        case.physics,
        of_world,
        now=-REPORTS_BEFORE * REPORT_SECONDS,
    )
    clock = _Clock()
    agents = SimulatedAgents(world, topology, of_agents, clock)
    records = _Records()
    service = _service(case, contender, agents, clock, records)
    supervisors = case.supervisors()
    running: Assignment = ()
    for _ in range(REPORTS_BEFORE):
        world.advance(REPORT_SECONDS, 0.0)
        agents.report(REPORT_SECONDS)
        clock.now = world.now
        service.decide(ClusterState(supervisors, ()), clock.now + 2.0)
    next_report, next_round = REPORT_SECONDS, 0.0
    slow: int | None = None
    while world.now < seconds:
        is_round = world.now >= next_round
        next_round += case.round_seconds if is_round else 0.0
        if is_round and (contender.moves or not running):
            clock.now = world.now
            state = TopologyState(topology, running, _digest(running), not running)
            with _absence(contender.without):
                cluster = ClusterState(supervisors, (state,))
                (decision,) = service.decide(cluster, clock.now + 2.0)
            if isinstance(decision.verdict, Place):
                running = decision.verdict.assignment
                world.assign(running)
        if case.kind in SLOWED and slow is None and world.now >= STEP_AT:
            slow = int(np.argmax(world.host_demand))
            world.hosts[slow] = slowed(world.hosts[slow], case.change)
        if case.kind == BRIEFLY and slow is not None and world.now >= SLOW_UNTIL:
            world.hosts[slow] = case.hosts[slow]
        step = SECOND
        if world.is_calm() and case.kind != "noise":
            step = min(next_report, next_round) - world.now
        world.advance(max(SECOND, step), case.rate(world.now, base, rng))
        if world.now >= next_report:
            next_report += REPORT_SECONDS
            if contender.moves:
                agents.report(REPORT_SECONDS)
    throughput, latency = world.means(seconds * 2 / 3, seconds)
    return LoopResult(
        tuple(world.moves),
        world.lost_seconds(60.0, seconds),
        throughput,
        latency,
        world.capacity(),
        world.means(60.0, seconds),
        tuple(records.kept),
    )


def carried_by(case: SimulatedCase, contender: Contender) -> float:
    """Return the tuples/s that a contender's first placement carries."""
    rng = np.random.default_rng(case.seed + 1)
    topology = case.topology()
    world = SimulatedCluster(list(case.hosts), case.delays, case.components, case.physics, rng)
    clock = _Clock()
    agents = SimulatedAgents(world, topology, rng, clock)
    service = _service(case, contender, agents, clock, _Records())
    state = TopologyState(topology, (), b"", needs_scheduling=True)
    (decision,) = service.decide(ClusterState(case.supervisors(), (state,)), 2.0)
    if not isinstance(decision.verdict, Place):
        raise TypeError(f"case {case.seed}: {contender.name}: {decision.status}")
    world.assign(decision.verdict.assignment)
    return world.capacity()


def _service(
    case: SimulatedCase,
    contender: Contender,
    agents: SimulatedAgents,
    clock: _Clock,
    records: _Records,
) -> SchedulingService:
    hosts = tuple(it.name for it in case.hosts)
    limits = contender.limits
    if not contender.moves:
        limits = limits.model_copy(update={"frozen": True})
    settings = ServiceSettings(
        defaults=TopologySettings(
            policy=contender.policy,
            objective=Objective.parse(contender.objective),
            executors_per_slot=contender.per_slot,
        ),
        solver=SolverLimits(),
        moves=limits,
    )
    return SchedulingService(
        settings,
        InputStores(_Delays(DelayTable.certain(hosts, case.delays)), agents),
        _Solvers(),
        DecisionLog(records, "5f1c1a0e", lambda: EPOCH + clock.now),
        clock,
    )


def _digest(assignment: Assignment) -> bytes:
    return repr(sorted((it.slot, sorted(it.executors)) for it in assignment)).encode()
