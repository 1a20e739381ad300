"""The switches that freeze, and how they are turned."""

from __future__ import annotations

from pydantic import ConfigDict

from eyewall_monitor.dashboard.views.view import View


class SwitchesView(View):
    """What operators turn while all runs."""

    available: bool
    """False: there is no ZooKeeper to hold them, or it is away."""
    frozen: bool = False
    frozen_topologies: tuple[str, ...] = ()
    """Storm's ids."""
    in_force: bool = False
    """The sidecar holds the same."""
    note: str = ""


class Frozen(View):
    """Body of a change of a freeze switch."""

    model_config = ConfigDict(strict=True)

    frozen: bool
