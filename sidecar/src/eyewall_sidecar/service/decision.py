"""What is decided for one topology in one round."""

from dataclasses import dataclass

from eyewall_sidecar.storm import Assignment


@dataclass(frozen=True, slots=True)
class Place:
    """Run exactly these workers."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class Keep:
    """The topology stays as it is, also where Storm would ask for more workers.

    `reason` says what kept anything better from being looked for; empty if nothing did.
    """

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decline:
    """Not decided here, for this reason; the inner scheduler places what has no slot."""

    reason: str


Verdict = Place | Keep | Decline


@dataclass(frozen=True, slots=True)
class Decision:
    """One topology's verdict.

    Parameters
    ----------
    topology_id, base
        Which topology, and the assignment that this was computed from.
    verdict
        What shall happen.
    status
        One line a person understands; empty leaves the last one as it is.
    """

    topology_id: str
    base: bytes
    verdict: Verdict
    status: str = ""
