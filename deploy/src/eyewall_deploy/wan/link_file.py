"""Networks with two kinds of links: the link file and the mark file.

Asaduzzaman et al., "Bi-modal networks" (paper 004), sections 2 and 6.1: a dedicated link is steady
and priced by the byte; the public network joins all hosts, varies and is free. The link file has
what both carry, apart from the public network's delays; `up` and each change of a link write it.
The mark file has the connections that use dedicated links; `eyewall links` writes it. The network
itself reads both.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from eyewall_deploy import state_file
from eyewall_deploy.endpoint import LARGEST_PORT
from eyewall_deploy.failure import name_choices
from eyewall_deploy.folder_lock import locked
from eyewall_deploy.state_file import StateFileError
from eyewall_deploy.wan.link_kinds import (  # noqa: TC001 - msgspec reads the annotations
    LeasedLine,
    LinkKind,
    PublicNetwork,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster

WIDEST_DEVIATION: Final = 4.0
MOST_BANDWIDTH: Final = 125e9
"""Bytes/s, as in the cluster file."""


@dataclass(frozen=True, slots=True)
class LinkTable:
    """Both kinds of links, apart from the public network's delays.

    Parameters
    ----------
    uplink, downlink
        Mean bytes/s to and from the public network, for each of `hosts`; None is unlimited.
    as_of
        Seconds since the epoch.
    """

    hosts: tuple[str, ...]
    uplink: tuple[float | None, ...]
    downlink: tuple[float | None, ...]
    public: PublicNetwork
    dedicated: tuple[LeasedLine, ...]
    source: str
    as_of: float
    version: int = 1
    units: dict[str, str] = field(
        default_factory=lambda: {"delay": "s", "bandwidth": "bytes/s", "price": "per byte"}
    )


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """Connections of one host to one port of another, and the hosts on their route.

    Parameters
    ----------
    port
        Of the target: a worker listens on its slot's port.
    route
        From source to target, both included, over dedicated links.
    """

    source: str
    target: str
    port: Annotated[int, Meta(ge=1, le=LARGEST_PORT)]
    route: tuple[str, ...] = ()
    kind: LinkKind = "dedicated"


@dataclass(frozen=True, slots=True)
class _Marks:
    connections: tuple[Mark, ...]
    version: int = 1


def declared_links(cluster: Cluster, *, as_of: float) -> LinkTable:
    """Return the links that the cluster file declares."""
    return LinkTable(
        hosts=tuple(host.name for host in cluster.hosts),
        uplink=tuple(host.uplink for host in cluster.hosts),
        downlink=tuple(host.downlink for host in cluster.hosts),
        public=cluster.public,
        dedicated=cluster.dedicated,
        source=f"cluster file {cluster.origin}",
        as_of=as_of,
    )


def leased_hosts(links: Iterable[LeasedLine]) -> tuple[str, ...]:
    """Return the hosts at the ends of dedicated links, sorted."""
    return tuple(sorted({host for link in links for host in link.between}))


def read(path: Path) -> LinkTable:
    """Read a link file; StateFileError names the file and what is wrong with it."""
    return state_file.read(path, LinkTable, "link file")


def set_bandwidth(path: Path, a: str, b: str, bandwidth: float, *, as_of: float) -> LinkTable:
    """Change what the dedicated link between two hosts carries, in bytes/s each way."""
    pair = f"dedicated link between {a} and {b}"
    if not 0 < bandwidth <= MOST_BANDWIDTH:
        raise StateFileError(
            f"{pair}: {bandwidth * 8e-6:g} Mbit/s; allowed is more than 0, up to 1000000 Mbit/s"
        )
    with locked(path.parent):  # keeps two changes of the file apart
        table = read(path)
        for name in (a, b):
            if name not in table.hosts:
                raise StateFileError(
                    f"{pair}: no host {name}; {name_choices('hosts', table.hosts, name)}"
                )
        if not any({*link.between} == {a, b} for link in table.dedicated):
            known = ", ".join(" and ".join(link.between) for link in table.dedicated) or "no pair"
            raise StateFileError(f"{pair}: there is none; dedicated links are between {known}")
        links = tuple(
            replace(link, bandwidth=bandwidth) if {*link.between} == {a, b} else link
            for link in table.dedicated
        )
        changed = replace(table, dedicated=links, as_of=as_of)
        state_file.write(path, changed)
    return changed


def set_deviation(path: Path, log2_deviation: float, *, as_of: float) -> LinkTable:
    """Change how much the public network varies: σ of log₂(transient rate / mean)."""
    if not 0 <= log2_deviation <= WIDEST_DEVIATION:
        raise StateFileError(
            f"log₂-deviation of the public network: {log2_deviation:g}; "
            f"allowed are 0 to {WIDEST_DEVIATION:g}"
        )
    with locked(path.parent):  # keeps two changes of the file apart
        table = read(path)
        public = replace(table.public, log2_deviation=log2_deviation)
        changed = replace(table, public=public, as_of=as_of)
        state_file.write(path, changed)
    return changed


def write_marks(path: Path, marks: Iterable[Mark]) -> None:
    """Replace all marks by these."""
    state_file.write(path, _Marks(tuple(marks)))


def read_marks(path: Path, links: Collection[LeasedLine]) -> tuple[Mark, ...]:
    """Read the marks of connections that use dedicated links, and check them against these links.

    Raises
    ------
    StateFileError
        Names the file, the connection, and what is wrong with it.
    """
    marks = state_file.read(path, _Marks, "mark file").connections
    hops = {direction for link in links for direction in link.directions}
    dedicated = tuple(mark for mark in marks if mark.kind == "dedicated")
    for mark in dedicated:
        route = ", ".join(mark.route)
        where = f"mark file {path}: {mark.source} to {mark.target}:{mark.port}: route {route}"
        if len(mark.route) < 2 or (mark.route[0], mark.route[-1]) != (mark.source, mark.target):
            raise StateFileError(f"{where}; it must lead from {mark.source} to {mark.target}")
        for a, b in pairwise(mark.route):
            if (a, b) not in hops:
                raise StateFileError(f"{where}: no dedicated link between {a} and {b}")
    return dedicated
