"""How many worker processes moves start, in a round and in an hour."""

from dataclasses import dataclass

from eyewall_sidecar.storm import Assignment, ClusterState

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class _Start:
    """Workers that were started, and when."""

    time: float
    workers: int


@dataclass(frozen=True, slots=True)
class _Handover:
    """A move that Nimbus was given in the last round."""

    assignment: Assignment
    workers: int


class WorkerBudget:
    """Counts the worker processes that moves start.

    A move's workers count in the round that decides it, and in the hour once Nimbus's assignment
    shows that it was done. Rounds write it, one at a time; any thread may read it.
    """

    def __init__(self) -> None:
        """Begin with nothing started."""
        # Replaced as a whole by each change, for those who read.
        self._handovers: dict[str, _Handover] = {}
        self._starts: tuple[_Start, ...] = ()

    def begin_round(self, state: ClusterState, now: float) -> None:
        """Count what the last round decided and Nimbus did; forget what is older than an hour."""
        running = {it.topology.id: set(it.assignment) for it in state.topologies}
        done = [
            _Start(now, it.workers)
            for topology, it in self._handovers.items()
            if running.get(topology) == set(it.assignment)
        ]
        recent = (it for it in self._starts if now - it.time < HOUR)
        self._starts, self._handovers = (*recent, *done), {}

    def spend(self, topology: str, assignment: Assignment, workers: int) -> None:
        """Count the workers that an assignment starts which Nimbus is given in this round."""
        self._handovers = {**self._handovers, topology: _Handover(assignment, workers)}

    def started_in_round(self) -> int:
        """Return how many this round's moves start."""
        return sum(it.workers for it in self._handovers.values())

    def started_in_hour(self, now: float) -> int:
        """Return how many moves started in the last hour, without this round's."""
        return sum(it.workers for it in self._starts if now - it.time < HOUR)
