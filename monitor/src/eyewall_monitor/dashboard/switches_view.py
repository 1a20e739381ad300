"""The operators' switches, and whether the sidecar goes by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.dashboard import signals
from eyewall_monitor.dashboard.views.switches import SwitchesView

if TYPE_CHECKING:
    from eyewall_contracts.switches import Switches

    from eyewall_monitor.dashboard.known import Known


def switches_view(known: Known, turned: Switches | None = None) -> SwitchesView:
    """Show the switches as ZooKeeper has them; `turned` is what was written a moment ago."""
    switches = turned or known.zookeeper.switches
    store = signals.of_zookeeper(known)
    if switches is None or (turned is None and store.state != "fresh"):
        why = store.note or "the switches cannot be read"
        return SwitchesView(available=False, note="; ".join([why, *_switch_remarks(known)]))
    held = known.sidecar.status.switches if known.sidecar.status is not None else None
    in_force = (
        held is not None
        and not known.sidecar.wrong
        and held.available
        and held.frozen == switches.frozen
        and set(held.frozen_topologies) == switches.frozen_topologies
    )
    return SwitchesView(
        available=True,
        frozen=switches.frozen,
        frozen_topologies=tuple(sorted(switches.frozen_topologies)),
        in_force=in_force,
        note="" if in_force else _why_not(known),
    )


def _why_not(known: Known) -> str:
    status = known.sidecar.status
    if status is None or known.sidecar.wrong:
        return "whether the sidecar holds them is not known: it does not answer"
    if not status.switches.available:
        return "the sidecar was told of no ZooKeeper: it does not see these switches"
    return status.switches.remark or "the sidecar has not read the last change yet"


def _switch_remarks(known: Known) -> list[str]:
    return [it for it in known.zookeeper.remarks if "switches" in it]
