"""One scheduling round: a cluster's state in, one decision for each topology out.

No socket and no clock of its own. What is remembered from round to round are values: each
topology's `TopologyRecord`, and the `RoundSnapshot` for readers between rounds.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf

from eyewall_sidecar.config import ServiceSettings
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.plugins import described
from eyewall_sidecar.service.candidate_move import MoveConditions
from eyewall_sidecar.service.crossing_memory import CrossingLesson
from eyewall_sidecar.service.decider import TopologyDecider
from eyewall_sidecar.service.decision import (
    Decision,
    Keep,
    LastLines,
    Place,
    RoundInputs,
    TopologyOutcome,
    TopologyRecord,
    cancel_search,
    leave_alone,
    record_of,
)
from eyewall_sidecar.service.decision_log import DecisionLog
from eyewall_sidecar.service.estimates import EstimateTracker
from eyewall_sidecar.service.expected_load import (
    ExpectedLoad,
    expect_load,
    relieved_hosts,
    still_expected,
    with_expected,
)
from eyewall_sidecar.service.learned import Learned
from eyewall_sidecar.service.lookup import UnavailableError
from eyewall_sidecar.service.movement_rules import find_freeze
from eyewall_sidecar.service.old_workers import (
    OldWorker,
    old_workers,
    reserve,
    serving,
    still_running,
)
from eyewall_sidecar.service.overview import RoundSnapshot
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.service.plans import Plan, PlanStore
from eyewall_sidecar.service.problem_cache import Observation, PlacementRequest
from eyewall_sidecar.service.solver_pool import Solvers
from eyewall_sidecar.service.started_workers import StartedWorkers
from eyewall_sidecar.stores import (
    DelayStore,
    HeldSwitches,
    MeasurementStore,
    NoMeasurements,
    NoSwitches,
    SwitchStore,
)
from eyewall_sidecar.storm import ClusterState, DelayTable, TopologyState, mode_of

LOG = logging.getLogger("eyewall.decisions")

LONGEST_UNREST = 600.0
"""Seconds after which rates count as known though measurements have not come to rest: a host may
not report, or a worker take no tuples."""
REPLY_SECONDS = 0.1
"""Kept of a round for the reply's way back, or half of a round that is shorter than twice that."""


@dataclass(frozen=True, slots=True)
class InputStores:
    """What a round reads."""

    delays: DelayStore
    measurements: MeasurementStore = field(default_factory=NoMeasurements)
    switches: SwitchStore = field(default_factory=NoSwitches)


@dataclass(frozen=True, slots=True)
class _DrainedState:
    """A state as Nimbus gave it, and with its drained hosts."""

    state: ClusterState
    hosts: frozenset[str]
    drained: ClusterState


class SchedulingService:
    """Decides, one round at a time; any thread may read its snapshot."""

    def __init__(
        self,
        settings: ServiceSettings,
        inputs: InputStores,
        solvers: Solvers,
        log: DecisionLog,
        clock: Callable[[], float],
        learned: Learned | None = None,
    ) -> None:
        """Decide by these settings and inputs; `clock` is the one that deadlines are on.

        `learned` may know what an earlier sidecar did.
        """
        learned = learned or Learned.nothing(clock)
        self.settings = settings
        self.plans = PlanStore(clock)
        self.snapshot: RoundSnapshot | None = None
        """The last round; None before the first."""
        self._inputs = inputs
        self._estimates = EstimateTracker(inputs.measurements, settings.minimum_confidence)
        self._decider = TopologyDecider(
            settings, solvers, self.plans, clock, StartedWorkers(clock, learned.starts)
        )
        self._log = log
        self._clock = clock
        self._waits = learned.waits
        self._crossings = learned.crossings
        self._records: dict[str, TopologyRecord] = {}
        self._old: tuple[OldWorker, ...] = ()
        self._expected: tuple[ExpectedLoad, ...] = ()
        self._drained: _DrainedState | None = None
        self._delay_remark = ""

    @property
    def delay_source(self) -> str:
        """Where delays come from: redis, file or none."""
        return self._inputs.delays.source

    @property
    def run(self) -> str:
        """Names this life of the sidecar."""
        return self._log.run

    def now(self) -> float:
        """Return the time by the clock that rounds are on."""
        return self._clock()

    def last_round(self) -> RoundSnapshot:
        """Return the last round; UnavailableError before the first."""
        if self.snapshot is None:
            raise UnavailableError(message(Code.NO_ROUND_YET))
        return self.snapshot

    def switches(self) -> HeldSwitches:
        """Return the operators' switches as they are now."""
        return self._inputs.switches.read()

    def waits_age(self) -> float | None:
        """Return the seconds since κ and γ were last fitted to a latency; None if never."""
        return self._waits.age()

    def freeze_of(self, topology: str) -> Message | None:
        """Return who keeps a topology (by Storm's id) from being moved; None if nobody does."""
        return find_freeze(self.settings.moves, self.switches(), topology)

    def workers_started_in_hour(self) -> int:
        """Return how many worker processes moves started in the last hour."""
        return self._decider.started.budget.started_in_hour(self._clock())

    def conditions(
        self, topology: TopologyState, records: Mapping[str, TopologyRecord]
    ) -> MoveConditions:
        """Return what holds now for moving a topology, of which these records may have one."""
        unknown = TopologyRecord(topology.assignment_digest, self._clock())
        record = records.get(topology.topology.id, unknown)
        conditions = self._decider.conditions(topology, record, self.switches())
        return replace(conditions, relieved=relieved_hosts(self._expected))

    def decide(
        self, state: ClusterState, deadline: float, nimbus: str = ""
    ) -> tuple[Decision, ...]:
        """Return one decision for each topology; first placements are solved before the deadline.

        A topology that is placed takes its slots from those decided after it. `nimbus` names the
        Nimbus that asks.
        """
        began, switches = self._clock(), self.switches()
        if switches.switches is not None:
            state = self._with_drained(state, switches.switches.drained_hosts)
        self._decider.started.budget.begin_round(state, began)
        self.plans.follow_up(state)
        estimates = self._estimates.read(it.topology for it in state.topologies)
        self._waits.read()
        if self._crossings.read():
            self._take_up_crossings(state)
        self._old = still_running(self._old, state, estimates.reports, began)
        self._expected = still_expected(self._expected, state, estimates.reports, began)
        loads = with_expected(estimates.loads, self._expected)
        estimates = replace(estimates, loads=loads)
        seen = observation = Observation(
            state,
            self._read_delays(),
            estimates,
            self._waits.fit,
            reserve(self._old, state.least_worker_cores),
            serving(self._old),
            relieved_hosts(self._expected),
        )
        self._decider.observe(observation)
        plans = self.plans.queued()
        self._forget_all_but({it.topology.id for it in state.topologies})
        waiting = [it for it in state.topologies if it.missing()]
        others = [it for it in state.topologies if not it.missing()]
        others.sort(key=lambda it: self._turn(it.topology.id, plans))
        left = max(0.0, deadline - self._clock())
        reply_by = deadline - min(REPLY_SECONDS, left / 2)
        decisions: dict[str, Decision] = {}
        for number, topology in enumerate([*waiting, *others]):
            name = topology.topology.id
            until = self._share(reply_by, max(1, len(waiting) - number))
            inputs = RoundInputs(observation, switches, plans, until)
            decision = decisions[name] = self._decide(topology, inputs)
            if isinstance(decision.verdict, Place):
                observation = self._placed(observation, topology, decision.verdict)
        for topology in others:
            self._learn(topology)
        now, records = self._clock(), dict(self._records)
        with_rates = (it for it in state.topologies if it.topology.id in estimates.rates_age)
        ids = (it.topology.id for it in with_rates if self._is_unsettled(it, now))
        unsettled = frozenset(ids)
        self.snapshot = RoundSnapshot(nimbus, now, now - began, seen, records, decisions, unsettled)
        return tuple(decisions[it.topology.id] for it in state.topologies)

    def _with_drained(self, state: ClusterState, hosts: frozenset[str]) -> ClusterState:
        """Return the same object for the same state: problems are then known to be the same."""
        if not hosts:
            return state
        known = self._drained
        if known is None or known.state is not state or known.hosts != hosts:
            known = self._drained = _DrainedState(state, hosts, state.with_drained(hosts))
        return known.drained

    def _placed(
        self, observation: Observation, topology: TopologyState, place: Place
    ) -> Observation:
        """Return what topologies see that are decided after this one."""
        name, estimates = topology.topology.id, observation.estimates
        if place.overlaps:
            self._old += tuple(old_workers(topology, place.assignment, self._clock()))
        request = self._records[name].request
        if request is not None:
            found = expect_load(request, place.assignment, self._clock())
            if found is not None:
                self._expected += (found,)
                loads = with_expected(estimates.loads, (found,))
                estimates = replace(estimates, loads=loads)
        return replace(
            observation,
            state=observation.state.assigned(name, place.assignment),
            estimates=estimates,
            reserved=reserve(self._old, observation.state.least_worker_cores),
            serving=serving(self._old),
            relieved=relieved_hosts(self._expected),
        )

    def _is_unsettled(self, topology: TopologyState, now: float) -> bool:
        """Whether its rates may be those of workers that start, reported or not."""
        performance = self._decider.performance(topology)
        since = self._records[topology.topology.id].since
        # While not all report, it has no workers that could have started later.
        if len(performance.workers) == len(topology.assignment):
            since = max(since, performance.since)
        return not performance.at_rest and now - since < LONGEST_UNREST

    def _turn(self, topology: str, plans: Mapping[str, Plan]) -> tuple[bool, float]:
        """Return what running topologies are sorted by: orders, then those that wait longest.

        On a large cluster a round may be over before each of them had its turn.
        """
        record = self._records.get(topology)
        return topology not in plans, record.considered if record is not None else -inf

    def _read_delays(self) -> DelayTable:
        delays = self._inputs.delays.read()
        if (remark := delays.doubt()) != self._delay_remark:
            self._delay_remark = remark
            LOG.warning("%s", remark or "delays are good again")
        return delays

    def _forget_all_but(self, known: set[str]) -> None:
        for gone in self._records.keys() - known:
            cancel_search(self._records.pop(gone))

    def _take_up_crossings(self, state: ClusterState) -> None:
        """Give topologies that came before it was read what an earlier sidecar learned of them."""
        for topology in (it.topology for it in state.topologies):
            if (record := self._records.get(topology.id)) is not None:
                prior = self._crossings.prior(topology.name)
                self._records[topology.id] = replace(record, crossing_cost=prior)

    def _share(self, reply_by: float, topologies: int) -> float:
        """Return the moment by which one of so many topologies has to be decided."""
        now = self._clock()
        return now + max(0.0, reply_by - now) / topologies

    def _decide(self, topology: TopologyState, inputs: RoundInputs) -> Decision:
        """Decide; an unexpected error in one topology must not stop the others."""
        name = topology.topology.id
        prior = self._crossings.prior(topology.topology.name)
        supervisors = {it.id for it in inputs.observation.state.supervisors}
        known, now = self._records.get(name), self._clock()
        record = record_of(known, topology, supervisors, now, prior)
        try:
            outcome = self._decider.decide(topology, record, inputs)
        # The edge between topologies.
        except Exception as error:
            failed = message(Code.FAILED, error=described(error))
            if not record.lines.logged.endswith(str(failed)):
                LOG.exception("%s: eyewall failed", name)
            mode = mode_of(topology.topology, self.settings.defaults)
            outcome = TopologyOutcome(leave_alone(topology, mode, failed), record, failed)
        lines = self._report(topology, outcome, inputs.observation)
        verdict = outcome.verdict
        was_kept = record.was_kept or (isinstance(verdict, Keep) and verdict.reason is not None)
        record = replace(outcome.record, lines=lines, was_kept=was_kept)
        self._records[name] = record
        status = replace(outcome, record=record).status
        return Decision(name, topology.assignment_digest, verdict, status)

    def _learn(self, topology: TopologyState) -> None:
        """Learn from a topology that runs how long tuples wait, and what crossings cost."""
        request = self._records[topology.topology.id].request
        if request is None or request.topology.assignment_digest != topology.assignment_digest:
            return
        performance = self._decider.performance(topology)
        try:
            if not self._expected:  # else the model has loads that nobody measured
                self._waits.observe(request, performance)
            self._learn_crossings(request, performance)
        # The edge between topologies.
        except Exception:
            LOG.exception("%s teaches nothing", topology.topology.id)

    def _learn_crossings(self, request: PlacementRequest, performance: Performance) -> None:
        topology, cost = request.topology.topology, request.crossing_cost
        flow = performance.throughput
        if cost is None or flow is None or not (performance.at_rest and performance.is_steady):
            return
        record = self._records[topology.id]
        lesson = CrossingLesson.after(record.lesson, flow.mean, cost)
        self._records[topology.id] = replace(record, lesson=lesson)
        self._crossings.learn(topology.name, lesson.cost)

    def _report(
        self, topology: TopologyState, outcome: TopologyOutcome, observation: Observation
    ) -> LastLines:
        """Report a decision, which holds whether it can be reported or not."""
        try:
            return self._log.report(topology, outcome, observation, self.settings.solver.seed)
        # The edge between topologies.
        except Exception:
            LOG.exception("%s: a decision is not reported", topology.topology.id)
            return outcome.record.lines
