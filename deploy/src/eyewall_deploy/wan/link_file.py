"""The link file: what dedicated links and the hosts' up- and downlinks do at this moment.

Beside the delay file, which has the public network's delays. Written by `up` and by each change
of a link, read by the network itself and by the sidecar's re-allocation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from eyewall_deploy.choices import choices
from eyewall_deploy.cluster_links import DedicatedLink, PublicNetwork
from eyewall_deploy.wan import state_file
from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster

VERSION: Final = 1
WIDEST_DEVIATION: Final = 4.0
MOST_BANDWIDTH: Final = 125e9
"""Bytes/s, as in the cluster file."""

_KEYS: Final = ("hosts", "uplink", "downlink", "public", "dedicated", "source", "as_of")


@dataclass(frozen=True, slots=True)
class LinkTable:
    """Both kinds of links, but for the public network's delays.

    Parameters
    ----------
    uplink, downlink
        Bytes/s on average to and from the public network, of each of `hosts`; None is unlimited.
    as_of
        Seconds since the epoch.
    """

    hosts: tuple[str, ...]
    uplink: tuple[float | None, ...]
    downlink: tuple[float | None, ...]
    public: PublicNetwork
    dedicated: tuple[DedicatedLink, ...]
    source: str
    as_of: float


def link_table(cluster: Cluster, *, as_of: float) -> LinkTable:
    """All links as the cluster file has them."""
    return LinkTable(
        hosts=tuple(host.name for host in cluster.hosts),
        uplink=tuple(host.uplink for host in cluster.hosts),
        downlink=tuple(host.downlink for host in cluster.hosts),
        public=cluster.public,
        dedicated=cluster.dedicated,
        source=f"cluster file {cluster.source}",
        as_of=as_of,
    )


def write(path: Path, table: LinkTable) -> None:
    """Put the table in place of the file, in one step."""
    content = {
        "version": VERSION,
        "units": {"delay": "s", "bandwidth": "bytes/s", "price": "per byte"},
        "source": table.source,
        "as_of": table.as_of,
        "hosts": table.hosts,
        "uplink": table.uplink,
        "downlink": table.downlink,
        "public": {
            "log2_deviation": table.public.log2_deviation,
            "redrawn_every": table.public.redrawn_every,
        },
        "dedicated": [
            {
                "between": [link.a, link.b],
                "delay": link.one_way,
                "bandwidth": link.bandwidth,
                "price": link.price,
            }
            for link in table.dedicated
        ],
    }
    state_file.put(path, content)


def read(path: Path) -> LinkTable:
    """Read a link file; StateFileError names the file and what is wrong with it."""
    content = state_file.take(path, "link file", VERSION, _KEYS)
    try:
        return LinkTable(
            hosts=tuple(content["hosts"]),
            uplink=tuple(content["uplink"]),
            downlink=tuple(content["downlink"]),
            public=PublicNetwork(**content["public"]),
            dedicated=tuple(
                DedicatedLink(a, b, it["delay"], it["bandwidth"], it["price"])
                for it in content["dedicated"]
                for a, b in [it["between"]]
            ),
            source=content["source"],
            as_of=content["as_of"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StateFileError(f"link file {path}: {error}") from None


def set_bandwidth(path: Path, a: str, b: str, bandwidth: float, *, as_of: float) -> LinkTable:
    """Change what the dedicated link between two hosts carries, bytes/s each way."""
    pair = f"dedicated link between {a} and {b}"
    if not 0 < bandwidth <= MOST_BANDWIDTH:
        raise StateFileError(
            f"{pair}: {bandwidth * 8e-6:g} Mbit/s; allowed is more than 0, up to 1000000 Mbit/s"
        )
    with state_file.locked(path):
        table = read(path)
        for name in (a, b):
            if name not in table.hosts:
                raise StateFileError(
                    f"{pair}: no host {name}; {choices('hosts', table.hosts, name)}"
                )
        if not any({link.a, link.b} == {a, b} for link in table.dedicated):
            there = ", ".join(f"{link.a} and {link.b}" for link in table.dedicated) or "no pair"
            raise StateFileError(f"{pair}: there is none; dedicated links are between {there}")
        links = tuple(
            replace(link, bandwidth=bandwidth) if {link.a, link.b} == {a, b} else link
            for link in table.dedicated
        )
        changed = replace(table, dedicated=links, as_of=as_of)
        write(path, changed)
    return changed


def set_deviation(path: Path, log2_deviation: float, *, as_of: float) -> LinkTable:
    """Change how much the public network varies: σ of the log₂-ratio of its rates to the mean."""
    if not 0 <= log2_deviation <= WIDEST_DEVIATION:
        raise StateFileError(
            f"log₂-deviation of the public network: {log2_deviation:g}; "
            f"allowed are 0 to {WIDEST_DEVIATION:g}"
        )
    with state_file.locked(path):
        table = read(path)
        public = replace(table.public, log2_deviation=log2_deviation)
        changed = replace(table, public=public, as_of=as_of)
        write(path, changed)
    return changed
