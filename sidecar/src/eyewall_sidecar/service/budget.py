"""How many worker processes moves have started, and how many more they may.

What a move starts counts against the round in which it is decided, and against the hour once
Nimbus's assignment shows that it was done.
"""

from dataclasses import dataclass
from typing import NamedTuple

from eyewall_sidecar.service.wording import counted
from eyewall_sidecar.storm import Assignment, ClusterState

HOUR = 3600.0


class _Started(NamedTuple):
    at: float
    workers: int


@dataclass(frozen=True, slots=True)
class _Decided:
    """A move that Nimbus was told of in the last round."""

    assignment: Assignment
    workers: int


class Budget:
    """Counts; one round at a time."""

    def __init__(self, per_round: int | None, per_hour: int | None) -> None:
        """Allow as many in one round and in an hour; None: any number."""
        self._per_round = per_round
        self._per_hour = per_hour
        self._decided: dict[str, _Decided] = {}
        self._started: tuple[_Started, ...] = ()

    def begin_round(self, state: ClusterState, now: float) -> None:
        """Count what the last round decided and Nimbus did; forget what is older than an hour."""
        running = {it.topology.id: set(it.assignment) for it in state.topologies}
        done = [
            _Started(now, it.workers)
            for topology, it in self._decided.items()
            if running.get(topology) == set(it.assignment)
        ]
        lately = (it for it in self._started if now - it.at < HOUR)
        self._started, self._decided = (*lately, *done), {}

    def spend(self, topology: str, assignment: Assignment, workers: int) -> None:
        """Take it that Nimbus is told to run a topology so, which starts as many workers."""
        # Another value each time: `held_back` may be asked by any thread, as well.
        self._decided = {**self._decided, topology: _Decided(assignment, workers)}

    def held_back(self, workers: int, now: float) -> str:
        """Say which budget forbids to start as many more; empty if none does."""
        wants = f"{counted(workers, 'worker')} would start"
        this_round = sum(it.workers for it in self._decided.values())
        if self._per_round is not None and this_round + workers > self._per_round:
            others = f", {this_round} did already" if this_round else ""
            return f"{wants}{others}, and workers_per_round is {self._per_round}"
        lately = self.started(now) + this_round
        if self._per_hour is not None and lately + workers > self._per_hour:
            others = f", {lately} did in the last hour" if lately else ""
            return f"{wants}{others}, and workers_per_hour is {self._per_hour}"
        return ""

    def started(self, now: float) -> int:
        """Count what moves started in the last hour. May be asked by any thread."""
        return sum(it.workers for it in self._started if now - it.at < HOUR)
