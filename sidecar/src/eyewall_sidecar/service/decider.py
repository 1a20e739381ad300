"""What one topology gets in one round: a placement, an improvement, a plan, or to stay."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

from eyewall_sidecar.config import ServiceSettings
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import ProblemError, Solution, Status
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.candidate_move import CandidateMove, MoveConditions
from eyewall_sidecar.service.candidate_search import CandidateSearch
from eyewall_sidecar.service.decision import (
    Decline,
    Handover,
    Keep,
    Place,
    RoundInputs,
    TopologyOutcome,
    TopologyRecord,
    leave_alone,
    poll_search,
    with_overlap,
)
from eyewall_sidecar.service.first_placement import (
    early_settings,
    is_same_but_for_others,
    prefer_ras,
)
from eyewall_sidecar.service.look_back import MoveTrial
from eyewall_sidecar.service.messages import (
    no_decision_message,
    no_placement_message,
    search_summary,
    solution_message,
)
from eyewall_sidecar.service.move_value import price_of
from eyewall_sidecar.service.movement_rules import MoveVerdict, find_freeze
from eyewall_sidecar.service.overload import note_overload, note_overrated
from eyewall_sidecar.service.performance import Performance, PerformanceTracker
from eyewall_sidecar.service.placed_message import placed_message
from eyewall_sidecar.service.plans import PlanStore
from eyewall_sidecar.service.problem_cache import Observation, PlacementRequest, request_placement
from eyewall_sidecar.service.ready_moves import ReadyMoves, with_faded_setbacks
from eyewall_sidecar.service.search_pause import is_stale, may_retry, may_search_again
from eyewall_sidecar.service.solver_pool import PLACING, Solvers
from eyewall_sidecar.service.started_workers import StartedWorkers
from eyewall_sidecar.stores import HeldSwitches
from eyewall_sidecar.storm import (
    KnownDelaysCache,
    Mode,
    SettingsError,
    TopologyProblem,
    TopologySettings,
    TopologyState,
    mode_of,
    read_settings,
)

SOLVING_SHARE = 0.85
"""Of a topology's time, what the policy may use; the rest is for the problem and the slots."""
CATCH_UP = 10.0
"""Times what its workers took to start: after that, a topology that carries a ninth more than it is
given has made up for it. Until then a full host says nothing of what is given."""
LONGEST_CATCH_UP = 600.0
"""Seconds: what seems to take minutes to start may only get its first tuples late."""
SHORTEST_SOLVE = 0.3
"""Seconds below which a time limit would only spoil the solution."""


class TopologyDecider:
    """Decides on one topology at a time."""

    def __init__(
        self,
        settings: ServiceSettings,
        solvers: Solvers,
        plans: PlanStore,
        clock: Callable[[], float],
        started: StartedWorkers,
    ) -> None:
        """Decide by these settings; `clock` is the one that deadlines are on."""
        self.started = started
        self._performances = PerformanceTracker()
        self._settings = settings
        self._candidates = CandidateSearch(settings, solvers, started.starts, clock)
        self._ready_moves = ReadyMoves(settings.moves, plans, self.started, clock)
        self._clock = clock
        self._known_delays = KnownDelaysCache()

    def observe(self, observation: Observation) -> None:
        """Learn from the hosts' reports how topologies do, and how long their workers started."""
        estimates, now = observation.estimates, self._clock()
        missed = chain.from_iterable(estimates.missed.values())
        self.started.observe(observation.state, chain(missed, estimates.reports.values()))
        self._performances.observe(observation.state, observation.delays, estimates, now)

    def decide(
        self, topology: TopologyState, record: TopologyRecord, inputs: RoundInputs
    ) -> TopologyOutcome:
        """Apply the plan that a person ordered; else place what has no slot, or improve."""
        ordered = self._ready_moves.apply_plan(topology, record, inputs)
        outcome = ordered or self._decide(topology, record, inputs)
        return with_overlap(outcome, topology, inputs.observation)

    def conditions(
        self, topology: TopologyState, record: TopologyRecord, switches: HeldSwitches
    ) -> MoveConditions:
        """Return what holds now for moving a topology."""
        now, limits, starts = self._clock(), self._settings.moves, self.started.starts
        performance = self.performance(topology)
        catch_up = min(LONGEST_CATCH_UP, CATCH_UP * starts.longest(topology.topology.id))
        # Where no latency is known, tuples may wait where Storm reports no queue.
        is_seen = performance.latency is not None or performance.lacks_delay
        if performance.caught_up and is_seen:
            catch_up = 0.0
        return MoveConditions(
            frozen=find_freeze(limits, switches, topology.topology.id),
            cooling_seconds=record.since + limits.cool_down_seconds - now,
            still_seconds=record.history.still_until - now,
            refused=record.handover.assignment if record.handover is not None else (),
            refused_seconds=record.refused_seconds(limits.cool_down_seconds, now),
            refusal=record.refusal,
            unsettled=performance.unsettled,
            awaits_verdict=record.trial is not None and not record.history.may_leave_unjudged(now),
            is_quiet=performance.is_quiet,
            catching_up_seconds=max(record.since, performance.since) + catch_up - now,
            saturated=performance.is_saturated,
            overload=record.overload,
            latency=performance.latency.mean if performance.latency is not None else None,
            lacks_delay=performance.lacks_delay,
            starts=starts,
            starting=starts.beside(topology.topology.id, now),
            started_in_round=self.started.budget.started_in_round(),
            started_in_hour=self.started.budget.started_in_hour(now),
        )

    def performance(self, topology: TopologyState) -> Performance:
        """Return what is measured of a topology since its workers changed."""
        return self._performances.performance(topology.topology.id)

    def _decide(
        self, topology: TopologyState, record: TopologyRecord, inputs: RoundInputs
    ) -> TopologyOutcome:
        defaults = self._settings.defaults
        try:
            settings = read_settings(topology.topology, defaults, policy_catalogue())
        except SettingsError as error:
            bad = message(Code.BAD_SETTINGS, settings_error=str(error))
            mode = mode_of(topology.topology, defaults)
            return TopologyOutcome(leave_alone(topology, mode, bad), record, bad)
        if settings.mode is Mode.OFF:
            off = message(Code.MODE_OFF)
            return TopologyOutcome(Decline(off), record, off)
        if (reason := no_decision_message(topology.topology)) is not None:
            return TopologyOutcome(leave_alone(topology, settings.mode, reason), record, reason)
        if not topology.missing():
            return self._improve(topology, settings, record, inputs)
        if settings.mode is Mode.OBSERVE:
            observe = message(Code.MODE_OBSERVE)
            return TopologyOutcome(Decline(observe), record, observe)
        return self._place(topology, settings, record, inputs)

    def _place(
        self,
        topology: TopologyState,
        settings: TopologySettings,
        record: TopologyRecord,
        inputs: RoundInputs,
    ) -> TopologyOutcome:
        """Place what has no slot, within the deadline or from a solution that came after it."""
        measured = inputs.observation.estimates.of(topology.topology.id)
        settings = early_settings(settings, topology.topology, measured)
        record, request = self._request(topology, settings, record, inputs)
        problem = request.problem
        if isinstance(problem, ProblemError):
            remark = inputs.observation.delays.doubt()
            reason = message(Code.NO_PROBLEM, problem=str(problem), doubt=remark)
            return TopologyOutcome(Decline(reason), record, reason)
        task = replace(request.task(problem, self._settings.solver.seed), purpose=PLACING)
        search = record.search
        if search is None or search.failure or not is_same_but_for_others(search.task, task):
            seconds = self._placing_seconds(settings, inputs)
            record = self._candidates.search(record, task, seconds)
        record = poll_search(record, inputs.until, self._clock)
        if record.search is not None and (failure := record.search.failure):
            # What does not run is searched for in the next round.
            record = replace(record, search=None)
            return TopologyOutcome(Decline(failure.reason), record, failure.reason)
        solution = record.search.solution if record.search is not None else None
        if solution is None:
            waiting = message(Code.STILL_SOLVING)
            return TopologyOutcome(Decline(waiting), record, waiting, pending=True)
        if solution.placement is None:
            reason = no_placement_message(solution, problem.assumptions)
            if solution.status is Status.TIMED_OUT:
                record = replace(record, search=None)
            return TopologyOutcome(Decline(reason), record, reason, solution)
        if not problem.cpu_measured:
            components = topology.topology.executors()
            component_of = {it: components[each].id for it, each in problem.executors.items()}
            solution = prefer_ras(
                problem.problem,
                settings.objective,
                solution,
                self._clock,
                self._clock() + (inputs.until - self._clock()) / 2,
                component_of,
                binds_ackers=topology.topology.workers_are_mixed,
                fewest_nodes=inputs.observation.state.least_worker_cores > 0,
            )
            if record.search is not None:  # so that a later round has not to compare them again
                record = replace(record, search=replace(record.search, solution=solution))
        placed = problem.on_supervisors(solution.placement or {})
        try:
            slots = request.choose_slots(placed)
        except ProblemError as error:
            reason = message(Code.NO_SLOTS, slot_error=str(error), must_move=None)
            return TopologyOutcome(
                leave_alone(topology, settings.mode, reason), record, reason, solution
            )
        worth = solution_message(solution, settings.objective)
        remarks = [it for it in (*problem.assumptions, problem.delays_assumed) if it]
        status = placed_message(worth, remarks, slots, inputs.observation)
        handover = Handover(slots.assignment, status)
        return self._hand_over(topology, record, solution, handover, inputs)

    def _placing_seconds(self, settings: TopologySettings, inputs: RoundInputs) -> float:
        """Return what is left of the round; if that is next to nothing, a later round gets it."""
        available = (inputs.until - self._clock()) * SOLVING_SHARE
        longest = min(self._settings.solver.first_placement_seconds, settings.time_limit)
        return min(longest, available) if available >= SHORTEST_SOLVE else longest

    def _improve(
        self,
        topology: TopologyState,
        settings: TopologySettings,
        record: TopologyRecord,
        inputs: RoundInputs,
    ) -> TopologyOutcome:
        """Keep what runs, and move it once a better placement was found that is worth it."""
        observes = settings.mode is Mode.OBSERVE
        stays = Decline(message(Code.MODE_OBSERVE)) if observes else Keep()
        record = self._note_overload(topology, record)
        if self._clock() >= inputs.until:
            return TopologyOutcome(stays, record)
        record = with_faded_setbacks(replace(record, considered=self._clock()), self._clock())
        record, request = self._request(topology, settings, record, inputs)
        problem = request.problem
        unknown = problem if isinstance(problem, ProblemError) else request.unknown
        known = None if isinstance(problem, ProblemError) or unknown else problem.problem
        record, looked_back = self._ready_moves.look_back(
            topology, record, inputs, self.performance(topology), known
        )
        if looked_back is not None:
            return looked_back
        if isinstance(problem, ProblemError) or unknown:
            hold = message(Code.NOT_SOUGHT, reason=str(unknown))
            return TopologyOutcome(stays, replace(record, hold=hold), hold)
        record = replace(record, hold=None)
        task = request.task(problem, self._settings.solver.seed)
        record = poll_search(record, self._clock(), self._clock)
        search = record.search
        outdated = search is None or search.task != task
        verdict: MoveVerdict | None = None
        conditions = replace(
            self.conditions(topology, record, inputs.switches),
            relieved=inputs.observation.relieved,
        )
        if search is not None and search.solution is not None:
            record, found_by, verdict = self._candidates.evaluate(
                record, request, search, conditions, outdated=outdated
            )
            if verdict.hold is None and not (outdated and is_stale(found_by, self._clock())):
                outcome = self._move(topology, record, verdict.candidate, inputs)
                return replace(outcome, outdated=outdated)
            if verdict.is_shown_in_status:
                record = replace(record, hold=verdict.report)
            if observes and verdict.hold is not None:
                observed = verdict.hold.code is Code.MODE_OBSERVE
                found = verdict.candidate.found if observed else verdict.report
                stays = Decline(message(Code.OBSERVED, found=found))
        last, limits, now = record.search, self._settings.moves, self._clock()
        again = last is None
        if last is not None and last.failure is not None:
            again = bool(request.drained_host) or may_retry(last, task.problem, now)
        elif last is not None and outdated and verdict is not None:
            again = may_search_again(last, verdict, conditions, limits, now)
        # Without a verdict on what a search found, or a failure, it is still under way.
        if again:
            record = self._candidates.search(record, task, self._candidates.longest(request))
        if verdict is None or verdict.hold is None:
            failure = search.failure if search is not None else None
            if failure is not None:
                return TopologyOutcome(stays, record, failure.reason)
            report = message(Code.SEARCHING if verdict is None or again else Code.FOUND_TOO_OLD)
            return TopologyOutcome(stays, record, report, pending=True)
        candidate = verdict.candidate
        return TopologyOutcome(
            stays,
            record,
            verdict.report,
            candidate.reported_solution,
            candidate.before,
            outdated,
        )

    def _note_overload(self, topology: TopologyState, record: TopologyRecord) -> TopologyRecord:
        """Add this round to an overload, by what the load model said in the last one."""
        predicted = record.candidate.prediction if record.candidate is not None else None
        found = note_overload(record.overload, self.performance(topology), predicted, self._clock())
        record = replace(record, overload=found)
        overrated = note_overrated(record.overrated, found, predicted)
        if overrated == record.overrated:
            return record
        return replace(record, overrated=overrated, request=None, candidate=None, cheaper=())

    def _move(
        self,
        topology: TopologyState,
        record: TopologyRecord,
        candidate: CandidateMove,
        inputs: RoundInputs,
    ) -> TopologyOutcome:
        solution, slots = candidate.solution, candidate.slots
        problem, objective = candidate.request.problem, candidate.request.settings.objective
        if solution is None or slots is None or not isinstance(problem, TopologyProblem):
            raise ValueError(f"{topology.topology.id}: nothing to move to")
        worth = solution_message(solution, objective, candidate.before)
        must_move = [candidate.must_move] if candidate.must_move else []
        status = placed_message(
            worth, [*problem.assumptions, *must_move], slots, inputs.observation
        )
        predicted = candidate.prediction.gain if candidate.prediction is not None else None
        trial: MoveTrial | None = None
        if not candidate.is_forced:  # there is no way back, whatever it was worth
            trial = MoveTrial(
                topology.assignment,
                self.performance(topology).latest(),
                weighs_latency=objective.weighs_latency,
                problem=problem.problem,
                target=solution.placement,
            )
        handover = Handover(slots.assignment, status, trial)
        price = price_of(candidate, self.started.starts)
        outcome = self._hand_over(topology, record, solution, handover, inputs)
        self.started.spend(topology, slots.assignment)
        gain = predicted and message(Code.PREDICTED_GAIN, least=predicted[0], greatest=predicted[1])
        return replace(
            outcome,
            report=message(
                Code.DECIDED_MOVE,
                decided=outcome.report,
                gap=price.gap,
                cost=price.seconds,
                gain=gain or "",
            ),
            before=candidate.before,
            price=price.seconds,
            predicted=predicted,
        )

    def _hand_over(
        self,
        topology: TopologyState,
        record: TopologyRecord,
        solution: Solution,
        handover: Handover,
        inputs: RoundInputs,
    ) -> TopologyOutcome:
        self.started.expect(topology, handover.assignment, inputs.observation.state)
        handover = handover.after(record.handover, self._clock())
        record = replace(record, handover=handover)
        report = message(
            Code.DECIDED,
            status=handover.status,
            seconds=solution.seconds,
            moves=solution.moves,
            search=search_summary(solution),
        )
        return TopologyOutcome(Place(handover.assignment), record, report, solution)

    def _request(
        self,
        topology: TopologyState,
        settings: TopologySettings,
        record: TopologyRecord,
        inputs: RoundInputs,
    ) -> tuple[TopologyRecord, PlacementRequest]:
        request = request_placement(
            record.request,
            inputs.observation,
            topology,
            settings,
            self._known_delays,
            record.history.uncertainty,
            record.crossing_cost,
            record.overrated,
        )
        return replace(record, request=request), request
