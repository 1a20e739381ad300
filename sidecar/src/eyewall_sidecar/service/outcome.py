"""What one topology is decided from in a round, and what was decided."""

from dataclasses import dataclass
from typing import NamedTuple

from eyewall_sidecar.model import Evaluation, Solution
from eyewall_sidecar.service.decision import Decline, Keep, Place
from eyewall_sidecar.service.measuring import Measured
from eyewall_sidecar.service.memory import Memory
from eyewall_sidecar.service.plan import Plan
from eyewall_sidecar.stores import DelayTable, HeldSwitches
from eyewall_sidecar.storm import ClusterState, Mode, TopologyState


@dataclass(frozen=True, slots=True)
class Round:
    """State so far, what is measured, how the switches stand, and by when to be done.

    `ordered` are the topologies, by Storm's id, of which a plan is to be applied.
    """

    state: ClusterState
    delays: DelayTable
    measured: Measured
    switches: HeldSwitches
    ordered: frozenset[str]
    until: float


class Outcome(NamedTuple):
    """What was decided for one topology.

    `solution` is what was found, whether it is taken or not, and `older` whether it was looked for
    before the problem was what it is now; `before` is what ran, as it is worth. `failed`: the
    solver did. `order`: the plan that this applies.
    """

    verdict: Place | Keep | Decline
    memory: Memory
    said: str
    solution: Solution | None = None
    before: Evaluation | None = None
    older: bool = False
    failed: bool = False
    order: Plan | None = None


def as_it_is(topology: TopologyState, mode: Mode, reason: str) -> Keep | Decline:
    """Leave what runs whole where it runs; what lacks a slot is the inner scheduler's."""
    whole = bool(topology.assignment) and not topology.missing()
    return Keep(reason) if whole and mode is Mode.AUTO else Decline(reason)
