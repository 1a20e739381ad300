"""A topology's placement problem, built again only when something it depends on has changed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from eyewall_contracts.sample import WorkerSample

from eyewall_sidecar.messages import Message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.service.estimates import Estimates
from eyewall_sidecar.service.solver_pool import PlacementTask
from eyewall_sidecar.service.worker_starts import start_cpu
from eyewall_sidecar.storm import (
    UNFITTED,
    USUAL_COST,
    Capacities,
    ClusterState,
    CrossingCost,
    DelayTable,
    Executor,
    KnownDelaysCache,
    MeasuredTopology,
    Signals,
    Slot,
    SlotChoice,
    SupervisorRequests,
    TopologyProblem,
    TopologySettings,
    TopologyState,
    WaitFit,
    choose_slots,
    problem_of_missing,
    problem_of_moving,
    supervisor_capacities,
)


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known of the cluster at one moment: Nimbus's state, delays, estimates, and waits.

    `reserved` is for workers that serve on though their executors moved; `serving` has their slots,
    each with the topology's id. `relieved` has hosts that a topology is leaving, with its id.
    """

    state: ClusterState
    delays: DelayTable
    estimates: Estimates
    waits: WaitFit = UNFITTED
    reserved: SupervisorRequests = field(default_factory=dict)
    serving: Mapping[Slot, str] = field(default_factory=dict)
    relieved: Mapping[str, str] = field(default_factory=dict)

    def capacities(self, topology: TopologyState) -> Capacities:
        """Return the capacity that a topology has on each supervisor."""
        held = {slot for slot, of in self.serving.items() if of != topology.topology.id}
        return supervisor_capacities(self.state, topology, self.reserved, held)


@dataclass(frozen=True, slots=True)
class PlacementRequest:
    """A topology's problem and what it depends on.

    Parameters
    ----------
    observation
        For which it holds.
    topology, capacities, settings
        Whose executors are placed, the capacities for them, and what its owner asks for.
    problem
        The problem, or why there is none.
    """

    observation: Observation
    topology: TopologyState
    capacities: Capacities
    settings: TopologySettings
    problem: TopologyProblem | ProblemError

    @property
    def crossing_cost(self) -> CrossingCost | None:
        """What its workers and crossings cost, as far as it is known; None without a problem."""
        of_topology = self.problem
        if not isinstance(of_topology, TopologyProblem):
            return None
        load = of_topology.problem.load
        return CrossingCost(load.worker_cpu, load.crossing_cpu, load.send_cpu)

    @property
    def measured(self) -> MeasuredTopology | None:
        """What was measured of the topology; None if nothing is measured at all."""
        return self.observation.estimates.of(self.topology.topology.id)

    @property
    def start_cpu(self) -> float:
        """CPU-seconds that one more start takes, by what those of its workers took."""
        reported = self.reported_workers({it.slot.supervisor for it in self.topology.assignment})
        name = self.topology.topology.id
        return start_cpu(it for it in reported.values() if it.topology == name)

    def reported_workers(self, supervisors: Iterable[str]) -> Mapping[Slot, WorkerSample]:
        """Return the workers of all topologies on supervisors by their hosts' reports.

        Also those that are about to end.
        """
        reports = self.observation.estimates.reports
        return {
            Slot(it, worker.port): worker
            for it in supervisors
            if (capacity := self.capacities.get(it)) is not None
            and (report := reports.get(capacity.supervisor.host)) is not None
            for worker in report.workers
        }

    def choose_slots(self, placed: Mapping[Executor, str]) -> SlotChoice:
        """Choose slots on the supervisors of executors; ProblemError if there are too few."""
        if not isinstance(self.problem, TopologyProblem):
            raise ValueError(f"{self.topology.topology.id}: no problem to choose slots by")
        return choose_slots(
            placed,
            self.topology,
            self.capacities,
            self.settings.executors_per_slot,
            self.problem.traffic(),
            self.reported_workers(set(placed.values())).keys(),
        )

    @property
    def drained_host(self) -> str:
        """A drained host that its workers have to leave; empty if there is none."""
        capacities = (self.capacities.get(it.slot.supervisor) for it in self.topology.assignment)
        # What runs in a slot that is not offered any more stays in it.
        leaving = (it for it in capacities if it is not None and it.supervisor.drained and it.held)
        return next((it.supervisor.host for it in leaving), "")

    @property
    def unknown(self) -> Message | str:
        """What has to be known better before anything that runs is moved; empty if nothing.

        What leaves a drained host has to run somewhere, whatever is known.
        """
        if not isinstance(self.problem, TopologyProblem) or self.drained_host:
            return ""
        depends_on_rates = self.settings.objective.depends_on_rates
        rates_unknown = self.problem.rates_unknown if depends_on_rates else None
        loads_unknown = None if self._is_misplaced else self.problem.loads_unknown
        return self.problem.delays_assumed or rates_unknown or loads_unknown or ""

    @property
    def _is_misplaced(self) -> bool:
        """Whether an executor runs where its pin does not allow it: it has to leave."""
        if not isinstance(self.problem, TopologyProblem):
            return False
        problem = self.problem.problem
        return any(
            node not in problem.candidates(it) for it, node in (problem.current or {}).items()
        )

    def task(self, problem: TopologyProblem, seed: int) -> PlacementTask:
        """Return what the topology's policy is asked."""
        return PlacementTask(
            problem.problem,
            self.settings.objective,
            self.settings.policy,
            seed,
            problem.interchangeable,
        )


def request_placement(
    previous: PlacementRequest | None,
    observation: Observation,
    topology: TopologyState,
    settings: TopologySettings,
    known_delays: KnownDelaysCache,
    uncertainty: float = 1.0,
    crossing_cost: CrossingCost = USUAL_COST,
    overrated: float = 1.0,
) -> PlacementRequest:
    """Return where what has no slot belongs or, if nothing lacks one, where everything does.

    `previous` is the topology's last request: its problem is kept if nothing has changed.
    `uncertainty` widens the intervals of what is predicted; `crossing_cost` is what workers and
    crossings cost by the assignments before; the load model overrates by `overrated` what is
    carried, so that it wants so much more headroom.
    """
    if previous is not None and not _is_current(previous, observation, topology, settings):
        previous = None
    if previous is not None and previous.observation.state is observation.state:
        return replace(previous, observation=observation)
    capacities = observation.capacities(topology)
    if previous is not None and previous.capacities == capacities:
        return replace(previous, observation=observation)
    problem = _build(observation, topology, settings, capacities, known_delays, crossing_cost)
    if isinstance(problem, TopologyProblem):
        before = problem.problem.load
        load = replace(before, uncertainty=uncertainty, headroom=overrated * before.headroom)
        if load != before:
            problem = replace(problem, problem=replace(problem.problem, load=load))
    return PlacementRequest(observation, topology, capacities, settings, problem)


def _is_current(
    request: PlacementRequest,
    observation: Observation,
    topology: TopologyState,
    settings: TopologySettings,
) -> bool:
    """Whether all but the cluster's state is as it was."""
    return (
        request.topology == topology
        and request.settings == settings
        and request.observation.delays == observation.delays
        and request.measured == observation.estimates.of(topology.topology.id)
        and request.observation.estimates.loads == observation.estimates.loads
        and request.observation.estimates.overheads_of(topology.topology.id)
        == observation.estimates.overheads_of(topology.topology.id)
        and request.observation.waits.values == observation.waits.values
    )


def _build(
    observation: Observation,
    topology: TopologyState,
    settings: TopologySettings,
    capacities: Capacities,
    known_delays: KnownDelaysCache,
    crossing_cost: CrossingCost,
) -> TopologyProblem | ProblemError:
    build = problem_of_missing if topology.missing() else problem_of_moving
    estimates, name = observation.estimates, topology.topology.id
    signals = Signals(
        observation.delays,
        estimates.of(name),
        estimates.loads,
        estimates.overheads_of(name),
        crossing_cost,
        observation.waits,
        known_delays,
    )
    try:
        return build(capacities, topology, settings, signals)
    except ProblemError as error:
        return error.with_traceback(None)
