"""What the sidecar learns of its cluster, and a restarted one begins with."""

from collections.abc import Callable
from dataclasses import dataclass

from eyewall_contracts.crossing_costs import CrossingCostRecord
from eyewall_contracts.wait_fit import WaitRecord

from eyewall_sidecar.service.crossing_memory import CrossingMemory
from eyewall_sidecar.service.wait_tracker import WaitTracker
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.stores import NoKnowledge


@dataclass(frozen=True, slots=True)
class Learned:
    """How long tuples wait for CPU, what crossings cost, and how long workers start."""

    waits: WaitTracker
    crossings: CrossingMemory
    starts: WorkerStarts

    @classmethod
    def nothing(cls, clock: Callable[[], float]) -> "Learned":
        """Begin with nothing, and keep it nowhere."""
        return cls(
            WaitTracker(NoKnowledge(WaitRecord()), clock),
            CrossingMemory(NoKnowledge(CrossingCostRecord()), clock),
            WorkerStarts(),
        )
