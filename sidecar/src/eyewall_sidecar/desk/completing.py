"""Names that the shell completes, as a sidecar that runs knows them; silent where none answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_proto import operations_pb2 as pb

PATIENCE = 0.5
"""Seconds; whoever types does not wait longer."""


def topologies(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a topology."""
    return _beginning(incomplete, (it.name for it in _status(context)))


def executors(context: typer.Context, incomplete: str) -> list[str]:
    """Complete an executor of the topology that was named before, or of any."""
    named = context.params.get("topology")
    return _beginning(
        incomplete,
        (
            executor.executor
            for it in _status(context)
            if named in (None, it.name, it.topology_id)
            for executor in it.executors
        ),
    )


def hosts(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a host that something runs on."""
    found = (executor.host for it in _status(context) for executor in it.executors)
    return _beginning(incomplete, found)


def _status(context: typer.Context) -> Iterable[pb.TopologyStatus]:
    # Only here: it takes a moment to load, and a shell asks for nothing most of the time.
    from eyewall_sidecar.desk.client import Desk, DeskError
    from eyewall_sidecar.desk.options import address_of

    sidecar, config = context.params.get("sidecar"), context.params.get("config")
    try:
        with Desk(address_of(sidecar, config), PATIENCE) as desk:
            return desk.status().topologies
    except DeskError:
        return ()


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted({it for it in names if it and it.startswith(incomplete)})
