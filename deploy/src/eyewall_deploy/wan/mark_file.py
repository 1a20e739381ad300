"""The mark file: which worker-to-worker connections go over dedicated links, and which way.

Written by the sidecar's re-allocation (`eyewall links`), read by the network. A connection that
has no mark goes over the public network.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from eyewall_deploy.choices import choices
from eyewall_deploy.wan import state_file
from eyewall_deploy.wan.link_kind import LinkKind
from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from eyewall_deploy.cluster_links import DedicatedLink

VERSION: Final = 1
LARGEST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """Connections of one host to one port of another, and the hosts that they go over."""

    source: str
    target: str
    port: int
    """Of the target: a worker listens on its slot's port."""
    route: tuple[str, ...]
    """From source to target, both included, over dedicated links."""


def write(path: Path, marks: Sequence[Mark]) -> None:
    """Put these marks in force in place of all others."""
    connections = [
        {
            "source": mark.source,
            "target": mark.target,
            "port": mark.port,
            "kind": LinkKind.DEDICATED,
            "route": mark.route,
        }
        for mark in marks
    ]
    state_file.put(path, {"version": VERSION, "connections": connections})


def read(path: Path, links: Sequence[DedicatedLink]) -> tuple[Mark, ...]:
    """Read the marks and hold them against the dedicated links there are.

    Raises
    ------
    StateFileError
        Names the file, the connection, and what is wrong with it.
    """
    content = state_file.take(path, "mark file", VERSION, ("connections",))
    joined = {pair for link in links for pair in ((link.a, link.b), (link.b, link.a))}
    marks = []
    for row in content["connections"]:
        try:
            connection = f"{row['source']} to {row['target']}:{row['port']}"
            wrong = _wrong(row, joined)
        except (KeyError, TypeError) as error:
            raise StateFileError(f"mark file {path}: {row}: {error!r}") from None
        if wrong is not None:
            raise StateFileError(f"mark file {path}: {connection}: {wrong}")
        if row["kind"] == LinkKind.DEDICATED:
            marks.append(Mark(row["source"], row["target"], row["port"], tuple(row["route"])))
    return tuple(marks)


def _wrong(row: dict[str, Any], joined: Collection[tuple[str, str]]) -> str | None:
    if row["kind"] not in list(LinkKind):
        return f"kind {row['kind']!r}; {choices('kinds', list(LinkKind), str(row['kind']))}"
    if type(row["port"]) is not int or not 0 < row["port"] <= LARGEST_PORT:
        return f"port {row['port']!r}; allowed are 1 to {LARGEST_PORT}"
    if row["kind"] == LinkKind.PUBLIC:
        return None
    route = row["route"]
    if len(route) < 2 or (route[0], route[-1]) != (row["source"], row["target"]):
        return f"route {', '.join(route)}; it must lead from {row['source']} to {row['target']}"
    for hop in pairwise(route):
        if hop not in joined:
            return f"route {', '.join(route)}: no dedicated link between {hop[0]} and {hop[1]}"
    return None
