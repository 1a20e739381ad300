"""The operators' switches, read from ZooKeeper in a thread of their own.

While ZooKeeper is away, or holds what cannot be understood, the last known switches hold: what was
frozen remains frozen.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from eyewall_contracts.stores.switch_store import SwitchesError, read_switches
from eyewall_contracts.switches import Switches
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient

from eyewall_sidecar.stores.zookeeper_thread import ZookeeperThread

LOG = logging.getLogger("eyewall.switches")


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
    """Where switches are read."""

    def read(self) -> HeldSwitches:
        """Return what was last read; never waits and never raises."""
        ...


class NoSwitches:
    """The store of a sidecar without a ZooKeeper: nobody can turn anything."""

    def read(self) -> HeldSwitches:
        """Return that there are none."""
        return HeldSwitches()


class ZookeeperSwitches:
    """Reads until it is closed."""

    def __init__(self, servers: str, paths: Znodes, steady: Callable[[], float]) -> None:
        """Read from `servers`; `steady` is a clock that does not jump."""
        self._servers = servers
        self._paths = paths
        self._steady = steady
        # Both in one value: a reader gets what belongs together.
        self._known: tuple[Switches, float] | None = None
        # Not from a server that lost its quorum: it may not know that something was frozen.
        self._thread = ZookeeperThread(
            servers,
            steady,
            self._look,
            self._say,
            "switches cannot be read",
            expected=(SwitchesError,),
        )

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Read no more."""
        self._thread.close()

    def read(self) -> HeldSwitches:
        """Return what was last read, and what is wrong now."""
        known, remark = self._known, self._thread.wrong
        if remark:
            remark = f"switches in ZooKeeper {self._servers}: {remark}"
        if known is None:
            return HeldSwitches(wanted=True, remark=remark)
        switches, at = known
        return HeldSwitches(
            wanted=True, switches=switches, age=max(0.0, self._steady() - at), remark=remark
        )

    def _look(self, client: KazooClient) -> None:
        found = read_switches(client, self._paths)
        before = self._known
        if before is None or before[0] != found:
            LOG.info("switches: %s", _worded(found))
        self._known = found, self._steady()

    def _say(self, before: str, wrong: str) -> None:
        """Log when something goes wrong, once, and when it is good again."""
        if wrong and wrong != before:
            kept = "nothing that runs is moved" if self._known is None else "the last ones hold"
            LOG.warning("switches in ZooKeeper %s: %s; %s", self._servers, wrong, kept)
        if before and not wrong:
            LOG.info("switches are read again")


def _worded(switches: Switches) -> str:
    frozen = ", ".join(sorted(switches.frozen_topologies))
    said = f"frozen: {frozen}" if frozen else "nothing is frozen"
    if switches.frozen:
        said = "all moves are frozen"
    drained = ", ".join(sorted(switches.drained_hosts))
    return f"{said}; drained: {drained}" if drained else said
