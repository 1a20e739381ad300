"""The delay file: the delays of the emulated network at this moment.

`up` and each change of a delay write it; the network itself and the sidecar read it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from eyewall_deploy import state_file
from eyewall_deploy.failure import name_choices
from eyewall_deploy.folder_lock import locked
from eyewall_deploy.state_file import StateFileError

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster

LONGEST_DELAY: Final = 60.0
"""Seconds, one way."""

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class EmulatedDelays:
    """One-way delays and their standard deviations in seconds, bandwidths in bytes/s.

    Element [i][j] is from hosts[i] to hosts[j]; bandwidth None is unlimited. `as_of` is in seconds
    since the epoch.
    """

    hosts: tuple[str, ...]
    delay: Matrix
    deviation: Matrix
    bandwidth: tuple[tuple[float | None, ...], ...]
    source: str
    as_of: float
    version: int = 1
    unit: str = "s"
    kind: str = "one_way"

    def between(self, source: str, target: str) -> float:
        """Return the one-way delay from one host to another."""
        return self.delay[self.hosts.index(source)][self.hosts.index(target)]


def declared_delays(cluster: Cluster, *, as_of: float) -> EmulatedDelays:
    """Return the delays that the cluster file declares."""
    rules = [
        [None if source == target else cluster.rule(source, target) for target in cluster.hosts]
        for source in cluster.hosts
    ]
    return EmulatedDelays(
        hosts=tuple(host.name for host in cluster.hosts),
        delay=tuple(tuple(rule.one_way if rule else 0.0 for rule in row) for row in rules),
        deviation=tuple(tuple(rule.deviation if rule else 0.0 for rule in row) for row in rules),
        bandwidth=tuple(tuple(rule.bandwidth if rule else None for rule in row) for row in rules),
        source=f"cluster file {cluster.origin}",
        as_of=as_of,
    )


def read(path: Path, hosts: tuple[str, ...] | None = None) -> EmulatedDelays:
    """Read a delay file, whose hosts must be these if any are given.

    Raises
    ------
    StateFileError
        Names the file and what is wrong with it.
    """
    table = state_file.read(path, EmulatedDelays, "delay file")
    size = len(table.hosts)
    for key in ("delay", "deviation", "bandwidth"):
        rows = getattr(table, key)
        if len(rows) != size or any(len(row) != size for row in rows):
            raise StateFileError(f"delay file {path}: {key} is not {size} by {size}, like hosts")
    if hosts is not None and table.hosts != hosts:
        raise StateFileError(
            f"delay file {path}: hosts are {', '.join(table.hosts)}; "
            f"this network was made for {', '.join(hosts)}"
        )
    return table


def set_delay(
    path: Path,
    cluster: Cluster,
    a: str,
    b: str,
    seconds: float,
    *,
    both_directions: bool = True,
    as_of: float,
) -> EmulatedDelays:
    """Change the one-way delay from a to b (each a host or a site) on the running network.

    Between two sites every pair of their hosts changes; a site and itself are the links within it.
    Deviation and bandwidth stay. Return the table that is now in force.
    """
    link = f"delay between {a} and {b}"
    if not 0 <= seconds <= LONGEST_DELAY:
        raise StateFileError(
            f"{link}: {seconds * 1000:g} ms; allowed are 0 to {LONGEST_DELAY * 1000:g} ms"
        )
    if a == b and a not in cluster.site_names:
        raise StateFileError(f"{link}: a host has no delay to itself")
    sources, targets = _hosts(cluster, a, link), _hosts(cluster, b, link)
    pairs = {(u, v) for u in sources for v in targets if u != v}
    if both_directions:
        pairs |= {(v, u) for u, v in pairs}
    if not pairs:
        raise StateFileError(f"{link}: the site has one host, so it has no link")
    with locked(path.parent):  # keeps two changes of the file apart
        table = read(path)
        delay = tuple(
            tuple(
                seconds if (source, target) in pairs else old
                for target, old in zip(table.hosts, row, strict=True)
            )
            for source, row in zip(table.hosts, table.delay, strict=True)
        )
        changed = replace(table, delay=delay, as_of=as_of)
        state_file.write(path, changed)
    return changed


def _hosts(cluster: Cluster, place: str, link: str) -> list[str]:
    if place in cluster.site_names:
        return [host.name for host in cluster.hosts_at(place)]
    hosts = [host.name for host in cluster.hosts]
    if place in hosts:
        return [place]
    allowed = [*hosts, *cluster.site_names]
    raise StateFileError(
        f"{link}: no host or site {place}; {name_choices('hosts and sites', allowed, place)}"
    )
