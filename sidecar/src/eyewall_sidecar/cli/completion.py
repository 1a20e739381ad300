"""Shell completion: names that the sidecar knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer  # noqa: TC002 - typer reads the types of these functions

from eyewall_sidecar.cli.client import OperationsClient, OperationsError
from eyewall_sidecar.cli.options import address_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.proto import operations_pb2 as pb

ANSWER_SECONDS = 2.0
"""For the sidecar: a shell waits for it."""


def topologies(context: typer.Context, incomplete: str) -> list[str]:
    """Return the topologies whose name begins so."""
    return _beginning(incomplete, (it.name for it in _status(context)))


def executors(context: typer.Context, incomplete: str) -> list[str]:
    """Return the executors whose name begins so, of the topology that was named before, or any."""
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
    """Return the hosts whose name begins so and that something runs on."""
    found = (executor.host for it in _status(context) for executor in it.executors)
    return _beginning(incomplete, found)


def supervisors(context: typer.Context, incomplete: str) -> list[str]:
    """Return the hosts whose name begins so and that Storm has a supervisor on."""
    try:
        with OperationsClient(_address(context), ANSWER_SECONDS) as client:
            found = client.status().supervisors
    except OperationsError:
        return []
    return _beginning(incomplete, (it.host for it in found))


def plans(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the plans whose id begins so, each with its topology, policy and objective."""
    try:
        with OperationsClient(_address(context), ANSWER_SECONDS) as client:
            known = client.plans().plans
    except OperationsError:
        return []
    return [
        (it.id, f"{it.topology}, {it.policy}, {it.objective}")
        for it in known
        if it.id.startswith(incomplete)
    ]


def _status(context: typer.Context) -> Iterable[pb.TopologyStatus]:
    try:
        with OperationsClient(_address(context), ANSWER_SECONDS) as client:
            return client.status().topologies
    except OperationsError:
        return ()


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted({it for it in names if it and it.startswith(incomplete)})


def _address(context: typer.Context) -> str:
    config = context.params.get("config")
    return address_of(context.params.get("sidecar"), Path(config) if config else None)
