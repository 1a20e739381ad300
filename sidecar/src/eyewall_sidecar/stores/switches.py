"""The operators' switches, as the sidecar holds them."""

from dataclasses import dataclass
from typing import Protocol

from eyewall_contracts.switches import Switches


@dataclass(frozen=True, slots=True)
class HeldSwitches:
    """What was last read.

    Parameters
    ----------
    wanted
        Whether there are switches at all: there is a ZooKeeper to hold them.
    switches
        None: they were never read.
    age
        Seconds since they were; None: never.
    remark
        What is wrong; empty if nothing is.
    """

    wanted: bool = False
    switches: Switches | None = None
    age: float | None = None
    remark: str = ""


class SwitchStore(Protocol):
    """Tells how the switches stand."""

    def read(self) -> HeldSwitches:
        """Return what was last read; never waits and never raises."""
        ...


class NoSwitches:
    """The store of a sidecar that was told of no ZooKeeper: nobody can turn anything."""

    def read(self) -> HeldSwitches:
        """Return that there are none."""
        return HeldSwitches()
