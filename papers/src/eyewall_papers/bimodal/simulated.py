"""What goes into a simulation of a platform, and what it comes to (paper 004, section 6)."""

from dataclasses import dataclass

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.task import Task


@dataclass(frozen=True, slots=True)
class Arrival:
    """A task that is asked for.

    Parameters
    ----------
    at
        Seconds since the beginning.
    task
        What is to be mapped; its first stream has a target rate above 0.
    volume
        Bytes from its source.
    """

    at: float
    task: Task
    volume: float

    @property
    def nominal(self) -> float:
        """Seconds that the task takes at its target rate."""
        return self.volume / self.task.bandwidth(0)


@dataclass(frozen=True, slots=True)
class Run:
    """What became of an accepted task.

    Parameters
    ----------
    arrival
        The task.
    finished
        Seconds since the beginning when its last byte was delivered.
    delivered
        Bytes, in all windows together.
    """

    arrival: Arrival
    finished: float
    delivered: float

    @property
    def deviation(self) -> float:
        """Mean of (B − B̂) / B over all windows, each with its length (section 6.2).

        The paper writes the sum; what it shows are percent.
        """
        return 1.0 - self.arrival.nominal / (self.finished - self.arrival.at)

    @property
    def elongation(self) -> float:
        """How much longer than at its target rate it took, as a part of that."""
        return (self.finished - self.arrival.at) / self.arrival.nominal - 1.0


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a simulation came to.

    Parameters
    ----------
    offered
        How many tasks arrived.
    runs
        Those that were accepted, in the order in which they ended.
    horizon
        Seconds until the last arrival: throughput and utilisations are means over these.
    throughput
        Bytes/s that were delivered.
    server_utilisation, link_utilisation
        Parts of all cores, and of the bandwidth of all dedicated links, that were reserved.
    free
        What was left at the end.
    """

    offered: int
    runs: tuple[Run, ...]
    horizon: float
    throughput: float
    server_utilisation: float
    link_utilisation: float
    free: Resources

    @property
    def acceptance(self) -> float:
        """Part of the tasks that was accepted."""
        return len(self.runs) / self.offered
