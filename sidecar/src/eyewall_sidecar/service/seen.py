"""What the last round went by and came to, for those who ask between rounds."""

from collections.abc import Mapping
from dataclasses import dataclass

from eyewall_sidecar.service.decision import Decision
from eyewall_sidecar.service.measuring import Measured
from eyewall_sidecar.service.memory import Memory
from eyewall_sidecar.stores import DelayTable
from eyewall_sidecar.storm import ClusterState


@dataclass(frozen=True, slots=True)
class Seen:
    """One round, as a value: nothing in it changes while somebody reads it.

    Parameters
    ----------
    nimbus
        Who asked: one name for each start of Nimbus.
    at, seconds
        When the round ended, on the service's clock, and how long it took.
    state
        What Nimbus sent, before anything was decided in this round.
    delays, measured
        What else was gone by.
    memory
        Storm's id of a topology → what is remembered of it.
    decisions
        Storm's id of a topology → what was decided.
    """

    nimbus: str
    at: float
    seconds: float
    state: ClusterState
    delays: DelayTable
    measured: Measured
    memory: Mapping[str, Memory]
    decisions: Mapping[str, Decision]
