"""The operators' switches, and whether they are in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.switches import Switches
from pydantic import ConfigDict

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.signal import zookeeper_signal

if TYPE_CHECKING:
    from eyewall_monitor.dashboard.snapshot import SidecarSnapshot, Snapshot


class SwitchesView(View):
    """The switches that operators turn while the cluster runs."""

    available: bool
    """False: no ZooKeeper holds them, or it does not answer."""
    frozen: bool = False
    frozen_topologies: tuple[str, ...] = ()
    """Storm's ids."""
    drained_hosts: tuple[str, ...] = ()
    in_force: bool = False
    """The sidecar holds the same values."""
    note: str = ""


class Frozen(View):
    """The body of a change of a switch."""

    model_config = ConfigDict(strict=True)

    frozen: bool


def switches_view(snapshot: Snapshot, written: Switches | None = None) -> SwitchesView:
    """Return the switches in ZooKeeper; `written` are those that were written a moment ago."""
    switches = written or snapshot.zookeeper.switches
    store = zookeeper_signal(snapshot)
    if switches is None or (written is None and store.state != "fresh"):
        remarks = [it for it in snapshot.zookeeper.remarks if "switches" in it]
        note = "; ".join([store.note or "the switches cannot be read", *remarks])
        return SwitchesView(available=False, note=note)
    note = _not_in_force(snapshot.sidecar, switches)
    return SwitchesView(
        available=True,
        frozen=switches.frozen,
        frozen_topologies=tuple(sorted(switches.frozen_topologies)),
        drained_hosts=tuple(sorted(switches.drained_hosts)),
        in_force=not note,
        note=note,
    )


def _not_in_force(sidecar: SidecarSnapshot, switches: Switches) -> str:
    """Return why the sidecar does not hold these values; empty if it does."""
    if sidecar.status is None or sidecar.error:
        return "the sidecar does not answer: whether the switches are in force is unknown"
    held = sidecar.status.switches
    if not held.available:
        return "the sidecar has no ZooKeeper configured: it does not see these switches"
    as_held = Switches(
        held.frozen, frozenset(held.frozen_topologies), frozenset(held.drained_hosts)
    )
    if as_held != switches:
        return held.remark or "the sidecar has not read the last change yet"
    return ""
