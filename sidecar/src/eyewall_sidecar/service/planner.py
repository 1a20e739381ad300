"""Plans on request: what a policy would move, slot by slot, and whether the rules allow it.

A plan is solved in another process from what the last round saw. Nothing is moved until a person
has the plan applied.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from threading import BoundedSemaphore

from eyewall_contracts.operations import LONGEST_SOLVE, MOST_SEED
from msgspec import structs

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import ProblemError, Solution
from eyewall_sidecar.objective import Objective, ObjectiveError
from eyewall_sidecar.objectives.slowest_path import PathStep, slowest_path
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.candidate_move import CandidateMove
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.decision_log import Evidence, describe_decision
from eyewall_sidecar.service.lookup import (
    InvalidRequestError,
    UnavailableError,
    UnknownNameError,
    find_topology,
    nearest_names,
)
from eyewall_sidecar.service.messages import solution_message
from eyewall_sidecar.service.movement_rules import assess_move, evaluate_move
from eyewall_sidecar.service.overlap import restart_reason
from eyewall_sidecar.service.overview import (
    RoundSnapshot,
    RunningProblem,
    not_movable,
    own_settings,
    running_problem,
)
from eyewall_sidecar.service.placed_message import reused_slots_message
from eyewall_sidecar.service.plans import (
    ORDERED,
    Plan,
    PlanState,
    executor_names,
    find_staleness,
    lost_slot_message,
)
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.round import SchedulingService
from eyewall_sidecar.service.solver_pool import (
    PLANNING,
    PlacementTask,
    Result,
    SolverFailure,
    Solvers,
    SolverTask,
    wait_for,
)
from eyewall_sidecar.storm import (
    Assignment,
    Mode,
    SettingsError,
    TopologyProblem,
    TopologySettings,
    TopologyState,
    find_lost_slot,
)
from eyewall_sidecar.storm.settings import require_taken

MOST_AT_ONCE = 3
"""Plans that are made at a time: each holds a thread that rounds need, too."""
SILENT_SECONDS = 20.0
"""Without a round, after which a plan that waits for one says so: twice Storm's own interval."""
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan is to be made of.

    Parameters
    ----------
    topology
        By its name or Storm's id.
    policy, objective
        Empty: the topology's own.
    time_limit
        In seconds; 0: the sidecar's.
    seed
        None: the sidecar's.
    """

    topology: str
    policy: str = ""
    objective: str = ""
    time_limit: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """The running sidecar, for people's requests and for services of other distributions.

    Any thread may use it.

    Parameters
    ----------
    service
        Decides rounds; knows what runs.
    solvers
        The processes that solve.
    places
        Of placements that people ask for at the same time.
    """

    service: SchedulingService
    solvers: Solvers
    places: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MOST_AT_ONCE))

    def running_problem(self, topology: str) -> RunningProblem:
        """Return the placement problem of a topology, by its name or Storm's id.

        UnknownNameError offers the nearest names, UnavailableError says why there is none now.
        """
        service = self.service
        defaults = service.settings.defaults
        return running_problem(service.last_round(), topology, defaults, service.now())

    def time_limit(self, wanted: float, longest: float = LONGEST_SOLVE) -> float:
        """Return the seconds that a solve may take.

        0 is the sidecar's usual limit, `longest` at most; InvalidRequestError if it is no limit.
        """
        if wanted == 0:
            return min(self.service.settings.solver.improvement_seconds, longest, LONGEST_SOLVE)
        if isfinite(wanted) and 0 < wanted <= LONGEST_SOLVE:
            return wanted
        raise InvalidRequestError(message(Code.BAD_TIME_LIMIT, value=wanted, limit=LONGEST_SOLVE))

    def seed(self, wanted: int | None) -> int:
        """Return the seed of a solve; None: the sidecar's. InvalidRequestError if it is none."""
        seed = self.service.settings.solver.seed if wanted is None else wanted
        if not 0 <= seed <= MOST_SEED:
            raise InvalidRequestError(message(Code.BAD_SEED, value=seed, limit=MOST_SEED))
        return seed

    def solve(
        self, task: SolverTask[Result], time_limit: float, is_awaited: Callable[[], bool]
    ) -> Result | SolverFailure:
        """Solve in another process and wait; UnavailableError once `is_awaited` returns False."""
        return wait_for(self.solvers.run(task, time_limit), self.service.now, is_awaited)

    def place(
        self, task: PlacementTask, time_limit: float, is_awaited: Callable[[], bool]
    ) -> Solution | SolverFailure:
        """Look for a placement for a plan or a forecast, as `solve` does.

        UnavailableError if as many are looked for already as there are places.
        """
        if not self.places.acquire(blocking=False):
            raise UnavailableError(message(Code.TOO_MANY_PLANS, limit=MOST_AT_ONCE))
        try:
            return self.solve(task, time_limit, is_awaited)
        finally:
            self.places.release()


class Planner:
    """Makes plans for what runs; several threads may use it."""

    def __init__(self, context: ServiceContext, make_id: Callable[[], str]) -> None:
        """Plan for what `context` runs; `make_id` returns another short id each time."""
        self.context = context
        self._service = context.service
        self._make_id = make_id

    def make(self, options: PlanOptions, is_awaited: Callable[[], bool]) -> Plan:
        """Return a plan as soon as it is solved, also where nothing was found.

        UnknownNameError and InvalidRequestError name what is wrong with the options,
        UnavailableError says why there can be no plan now, or that nobody awaits it any more.
        """
        snapshot = self._service.last_round()
        topology = find_topology(snapshot.observation.state, options.topology)
        own = self._own_settings(topology)
        settings = choose_policy(own, options.policy, options.objective)
        limit = self.context.time_limit(options.time_limit, settings.time_limit)
        seed = self.context.seed(options.seed)
        request = snapshot.request(topology, settings)
        draft = _Draft(self._service, snapshot, request, own, seed, self._make_id())
        if isinstance(request.problem, ProblemError):
            plan = draft.without_placement(str(request.problem))
        else:
            task = replace(request.task(request.problem, seed), purpose=PLANNING)
            plan = draft.of_result(self.context.place(task, limit, is_awaited))
        self._service.plans.add(plan)
        return self._current(plan)  # what runs may have changed while it was solved

    def get(self, id_: str) -> Plan:
        """Return a plan as it is now; UnknownNameError if it is gone."""
        return self._current(self._service.plans.get(id_))

    def all(self) -> tuple[Plan, ...]:
        """Return all plans that are remembered, newest first."""
        return tuple(map(self._current, self._service.plans.all()))

    def apply(self, id_: str) -> Plan:
        """Have a plan applied in the next round; UnavailableError says why it cannot be.

        A plan that is under way or applied stays so.
        """
        snapshot = self._service.last_round()
        plan = self.get(id_)
        if plan.state in (*ORDERED, PlanState.APPLIED):
            if _has_moved_on(plan, snapshot):
                raise UnavailableError(
                    message(Code.PLAN_MOVED_ON, plan=id_, topology=plan.topology.topology.name)
                )
            return plan
        if refusal := self._refusal(plan, snapshot):
            raise UnavailableError(refusal)
        return self._service.plans.queue(id_)

    def _refusal(self, plan: Plan, snapshot: RoundSnapshot) -> Message | None:
        name, state = plan.topology.topology.name, snapshot.observation.state
        if stale := find_staleness(plan, state):
            return message(Code.PLAN_STALE, plan=plan.id, reason=stale, topology=name)
        if plan.changes_nothing:
            return message(Code.PLAN_CHANGES_NOTHING, plan=plan.id, topology=name)
        reason = self._service.freeze_of(plan.topology_id)
        if reason is None and (lost := find_lost_slot(plan.assignment, plan.topology, state)):
            reason = lost_slot_message(lost, plan.hosts)
        return None if reason is None else message(Code.PLAN_REFUSED, plan=plan.id, reason=reason)

    def _current(self, plan: Plan) -> Plan:
        """Return a plan as it is now: nobody has to apply it to learn that it is stale."""
        snapshot = self._service.snapshot
        if snapshot is None:
            return plan
        if plan.state is PlanState.PROPOSED:
            stale = find_staleness(plan, snapshot.observation.state)
            return replace(plan, state=PlanState.STALE, reason=stale) if stale else plan
        silent = self._service.now() - snapshot.time
        if plan.state in ORDERED and silent > SILENT_SECONDS:
            return replace(plan, reason=message(Code.NO_ROUND, seconds=silent))
        return plan

    def _own_settings(self, topology: TopologyState) -> TopologySettings:
        """Return the topology's own settings; UnavailableError if nothing of it can be moved."""
        own = own_settings(topology, self._service.settings.defaults)
        if own.mode is Mode.OFF:
            raise not_movable(topology, message(Code.MODE_OFF))
        if missing := topology.missing():
            names = executor_names(topology)
            executors = [names[it] for it in missing]
            name = topology.topology.name
            raise UnavailableError(message(Code.NOT_WHOLE, topology=name, executors=executors))
        return own


@dataclass(frozen=True, slots=True)
class _Draft:
    """All that a plan needs but a result; `own` are the topology's own settings."""

    service: SchedulingService
    snapshot: RoundSnapshot
    request: PlacementRequest
    own: TopologySettings
    seed: int
    id: str

    def without_placement(self, reason: Message | str) -> Plan:
        """Return the plan where there is no result: it changes nothing."""
        plan = self._plan(Evidence(self.request, seed=self.seed), self.request.topology.assignment)
        return replace(plan, record=structs.replace(plan.record, status=FAILED), remarks=(reason,))

    def of_result(self, result: Solution | SolverFailure) -> Plan:
        """Return the plan of a result."""
        if isinstance(result, SolverFailure):
            return self.without_placement(result.reason)
        candidate = assess_move(self.request, result)
        if candidate.found.code is Code.NO_SLOTS:
            return self.without_placement(candidate.found)
        topology, objective = self.request.topology, self.request.settings.objective
        solution, slots = candidate.reported_solution, candidate.slots
        rates_age = self.snapshot.observation.estimates.rates_age.get(topology.topology.id)
        evidence = Evidence(self.request, solution, candidate.before, self.seed, rates_age)
        plan = self._plan(evidence, slots.assignment if slots else topology.assignment)
        plan = replace(plan, remarks=tuple(self._remarks(candidate, solution)))
        if candidate.solution is None:
            return plan
        worth = solution_message(solution, objective, candidate.before)
        report = message(Code.PLAN_APPLIED, plan=self.id, solution=worth)
        conditions = self.service.conditions(topology, self.snapshot.records)
        verdict = evaluate_move(candidate, self.service.settings.moves, conditions)
        return replace(
            plan,
            record=structs.replace(plan.record, said=str(report)),
            status=message(Code.PLAN_PLACED, plan=self.id, solution=worth),
            report=report,
            gain=candidate.gain if isfinite(candidate.gain or 0.0) else None,
            slowest_path=self._slowest_path(solution),
            hold=verdict.hold if slots else None,
        )

    def _plan(self, evidence: Evidence, assignment: Assignment) -> Plan:
        topology, now = self.request.topology, self.service.now()
        moves = set(assignment) != set(topology.assignment)
        overlaps = moves and restart_reason(self.request, assignment) is None
        record = describe_decision(topology, Place(assignment, overlaps), "", evidence)
        hosts = {it.id: it.host for it in self.snapshot.observation.state.supervisors}
        return Plan(self.id, topology, hosts, assignment, record, made=now, since=now)

    def _remarks(self, candidate: CandidateMove, solution: Solution) -> Iterator[Message | str]:
        """Yield what forces the move, what was assumed, what binds, and what ended the search."""
        if candidate.solution is None:
            yield candidate.found
        if candidate.must_move:
            yield candidate.must_move
        yield from solution.reasons
        if isinstance(problem := self.request.problem, TopologyProblem):
            yield from (it for it in (*problem.assumptions, problem.delays_assumed) if it)
        if candidate.slots is None:
            return
        restarts = restart_reason(self.request, candidate.slots.assignment)
        if restarts is None:
            yield message(Code.OVERLAPS)
        elif self.own.overlap:
            yield message(Code.MOVES_RESTART, reason=restarts)
        if reused := reused_slots_message(candidate.slots, self.snapshot.observation.state):
            yield reused
        if self.request.settings.objective != self.own.objective:
            yield message(Code.OTHER_OBJECTIVE, objective=self.own.objective)

    def _slowest_path(self, solution: Solution) -> tuple[PathStep, ...]:
        problem = self.request.problem
        if not isinstance(problem, TopologyProblem) or solution.placement is None:
            return ()
        return slowest_path(problem.problem, solution.placement)


def _has_moved_on(plan: Plan, snapshot: RoundSnapshot) -> bool:
    """Whether a plan was applied, and a later round saw something else run."""
    if plan.state is not PlanState.APPLIED or snapshot.time < plan.since:
        return False
    topologies = snapshot.observation.state.topologies
    running = (it.assignment for it in topologies if it.topology.id == plan.topology_id)
    return set(next(running, ())) != set(plan.assignment)


def choose_policy(own: TopologySettings, policy: str, objective: str = "") -> TopologySettings:
    """Return a topology's own settings with another policy and objective, unless these are empty.

    UnknownNameError for a policy that is not there, InvalidRequestError for an objective that
    cannot be read or that the policy does not take.
    """
    if policy and policy not in policy_catalogue():
        known = list(policy_catalogue())
        unknown = message(Code.NO_POLICY, name=policy, known=known)
        raise UnknownNameError(unknown, nearest_names(policy, known))
    settings = replace(own, policy=policy) if policy else own
    try:
        if objective:
            settings = replace(settings, objective=Objective.parse(objective))
        require_taken("policy", settings, policy_catalogue())
    except (ObjectiveError, SettingsError) as error:
        raise InvalidRequestError(message(Code.BAD_OBJECTIVE, objective_error=error)) from None
    return settings
