"""The workers that an assignment starts: counted against the budget, and timed."""

from collections.abc import Callable, Iterable

from eyewall_contracts.sample import Sample

from eyewall_sidecar.service.worker_budget import WorkerBudget
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import Assignment, ClusterState, TopologyState, workers_started


class StartedWorkers:
    """What starting workers has cost, and may cost yet."""

    def __init__(self, clock: Callable[[], float], starts: WorkerStarts) -> None:
        """Begin with nothing started; `starts` may know what starts took before."""
        self.budget = WorkerBudget()
        self.starts = starts
        self._clock = clock

    def observe(self, state: ClusterState, reports: Iterable[Sample]) -> None:
        """Learn from hosts' reports; nothing more is awaited of topologies that are gone."""
        self.starts.retain({it.topology.id for it in state.topologies})
        self.starts.observe(reports, self._clock())

    def expect(self, topology: TopologyState, assignment: Assignment, state: ClusterState) -> None:
        """Time the starts of an assignment that Nimbus is given."""
        hosts = {it.id: it.host for it in state.supervisors}
        before = topology.assignment
        self.starts.expect(topology.topology.id, before, assignment, hosts, self._clock())

    def spend(self, topology: TopologyState, assignment: Assignment) -> None:
        """Count the starts of a move; a first placement costs no budget."""
        starts = workers_started(topology.assignment, assignment)
        self.budget.spend(topology.topology.id, assignment, starts)
