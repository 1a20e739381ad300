"""What a shell offers for what was begun: names that the sidecar knows."""

from pathlib import Path

import typer

PATIENCE = 1.0
"""Seconds for the sidecar; a shell waits for that."""


def topologies(context: typer.Context, incomplete: str) -> list[str]:
    """Return the topologies whose name begins so."""
    from eyewall_sidecar.desk.client import Desk, DeskError

    try:
        with Desk(_address(context), PATIENCE) as desk:
            names = [it.name for it in desk.status().topologies]
    except DeskError:
        return []
    return [it for it in names if it.startswith(incomplete)]


def plans(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the plans whose id begins so, and of what they are."""
    from eyewall_sidecar.desk.client import Desk, DeskError

    try:
        with Desk(_address(context), PATIENCE) as desk:
            known = desk.plans().plans
    except DeskError:
        return []
    return [
        (it.id, f"{it.topology}, {it.policy}, {it.objective}")
        for it in known
        if it.id.startswith(incomplete)
    ]


def _address(context: typer.Context) -> str:
    from eyewall_sidecar.desk.options import address_of

    config = context.params.get("config")
    return address_of(context.params.get("sidecar"), Path(config) if config else None)
