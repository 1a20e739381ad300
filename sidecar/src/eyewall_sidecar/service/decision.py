"""What is decided for one topology in one round."""

from dataclasses import dataclass

from eyewall_sidecar.model import Evaluation, Solution
from eyewall_sidecar.service.messages import Code, Message, message
from eyewall_sidecar.service.plans import Plan
from eyewall_sidecar.service.topology_record import TopologyRecord
from eyewall_sidecar.storm import Assignment, Mode, TopologyState


@dataclass(frozen=True, slots=True)
class Place:
    """Run exactly these workers."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class Keep:
    """The topology stays as it is, also where Storm would ask for more workers.

    `reason` says why nothing better is looked for; None if something is.
    """

    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class Decline:
    """Not decided here, for this reason; the inner scheduler places what has no slot."""

    reason: Message


@dataclass(frozen=True, slots=True)
class Decision:
    """One topology's decision.

    Parameters
    ----------
    topology_id, base
        Which topology, and the assignment that this was computed from.
    verdict
        What shall happen.
    status
        The line in Storm UI; None leaves the last one as it is.
    """

    topology_id: str
    base: bytes
    verdict: Place | Keep | Decline
    status: Message | None = None


@dataclass(frozen=True, slots=True)
class TopologyOutcome:
    """A verdict, and what it rests on.

    Parameters
    ----------
    verdict, record
        What shall happen, and what to remember of the topology.
    report
        What the log says; None if there is nothing to say.
    solution
        What was found, whether it is applied or not.
    before
        What ran, by the same model.
    outdated
        The solution was found for a problem that has changed since.
    pending
        A solution is still being looked for: nothing is settled yet.
    plan
        The plan that this applies.
    """

    verdict: Place | Keep | Decline
    record: TopologyRecord
    report: Message | None = None
    solution: Solution | None = None
    before: Evaluation | None = None
    outdated: bool = False
    pending: bool = False
    plan: Plan | None = None

    @property
    def status(self) -> Message | None:
        """The line in Storm UI."""
        match self.verdict:
            case Place():
                return self.record.handover.status if self.record.handover else None
            case Decline(reason):
                return reason
            case Keep(reason):
                return reason or self._kept_status()

    def _kept_status(self) -> Message | None:
        status, hold = self.record.status, self.record.hold
        if status is None and self.record.was_kept:
            status = message(Code.KEPT)
        if status is None or hold is None:
            return status or hold
        return message(Code.STATUS_WITH_HOLD, status=status, hold=hold)


def leave_alone(topology: TopologyState, mode: Mode, reason: Message) -> Keep | Decline:
    """Keep what runs whole; what lacks a slot is left to the inner scheduler."""
    runs_whole = bool(topology.assignment) and not topology.missing()
    return Keep(reason) if runs_whole and mode is Mode.AUTO else Decline(reason)
