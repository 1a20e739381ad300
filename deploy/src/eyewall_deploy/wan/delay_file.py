"""The delay file: what the links of the emulated network do at this moment.

Written here (at the start, and by each change of a delay), read by the network itself and by
the sidecar. A reader sees the old file or the new one, never half of one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from eyewall_deploy.choices import choices
from eyewall_deploy.wan import state_file
from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster

VERSION: Final = 1
LONGEST_DELAY: Final = 60.0
"""Seconds, one way."""

_KEYS: Final = ("hosts", "delay", "deviation", "bandwidth", "source", "as_of")

Matrix = tuple[tuple[float, ...], ...]


class DelayError(StateFileError):
    """A delay that cannot be set, or a delay file that cannot be read; says why."""


@dataclass(frozen=True, slots=True)
class DelayTable:
    """One-way delays and their standard deviations in seconds, bandwidth in bytes/s.

    Element [i][j] is from hosts[i] to hosts[j]; bandwidth None is unlimited.
    """

    hosts: tuple[str, ...]
    delay: Matrix
    deviation: Matrix
    bandwidth: tuple[tuple[float | None, ...], ...]
    source: str
    as_of: float
    """Seconds since the epoch."""


def delay_table(cluster: Cluster, *, as_of: float) -> DelayTable:
    """Delays between each pair of hosts, as the cluster file has them."""
    delay: list[tuple[float, ...]] = []
    deviation: list[tuple[float, ...]] = []
    bandwidth: list[tuple[float | None, ...]] = []
    for source in cluster.hosts:
        rules = [None if source == t else cluster.rule(source, t) for t in cluster.hosts]
        delay.append(tuple(rule.one_way if rule else 0.0 for rule in rules))
        deviation.append(tuple(rule.deviation if rule else 0.0 for rule in rules))
        bandwidth.append(tuple(rule.bandwidth if rule else None for rule in rules))
    return DelayTable(
        hosts=tuple(host.name for host in cluster.hosts),
        delay=tuple(delay),
        deviation=tuple(deviation),
        bandwidth=tuple(bandwidth),
        source=f"cluster file {cluster.source}",
        as_of=as_of,
    )


def write(path: Path, table: DelayTable) -> None:
    """Put the table in place of the file, in one step."""
    content = {
        "version": VERSION,
        "unit": "s",
        "kind": "one_way",
        "source": table.source,
        "as_of": table.as_of,
        "hosts": table.hosts,
        "delay": table.delay,
        "deviation": table.deviation,
        "bandwidth": table.bandwidth,
    }
    state_file.put(path, content)


def read(path: Path) -> DelayTable:
    """Read a delay file; DelayError names the file and what is wrong with it."""
    content = state_file.take(path, "delay file", VERSION, _KEYS, DelayError)
    hosts = tuple(content["hosts"])
    return DelayTable(
        hosts=hosts,
        delay=_matrix(content, "delay", len(hosts), path),
        deviation=_matrix(content, "deviation", len(hosts), path),
        bandwidth=_matrix(content, "bandwidth", len(hosts), path),
        source=content["source"],
        as_of=content["as_of"],
    )


def set_delay(
    path: Path,
    cluster: Cluster,
    a: str,
    b: str,
    seconds: float,
    *,
    both_directions: bool = True,
    as_of: float,
) -> DelayTable:
    """Change the one-way delay from a to b (each a host or a site) on the running network.

    Between two sites every pair of their hosts changes; a site and itself are the links within
    it. Deviation and bandwidth stay. Returns the table that is now in force.
    """
    if not 0 <= seconds <= LONGEST_DELAY:
        raise DelayError(
            f"delay between {a} and {b}: {seconds * 1000:g} ms; "
            f"allowed are 0 to {LONGEST_DELAY * 1000:g} ms"
        )
    if a == b and a not in cluster.sites:
        raise DelayError(f"delay between {a} and {b}: a host has no delay to itself")
    pairs = {(u, v) for u in _hosts(cluster, a, a, b) for v in _hosts(cluster, b, a, b) if u != v}
    if both_directions:
        pairs |= {(v, u) for u, v in pairs}
    if not pairs:
        raise DelayError(f"delay between {a} and {b}: one host only, so there is no link between")
    with state_file.locked(path):
        table = read(path)
        places = range(len(table.hosts))
        delay = tuple(
            tuple(
                seconds if (table.hosts[i], table.hosts[j]) in pairs else table.delay[i][j]
                for j in places
            )
            for i in places
        )
        changed = replace(table, delay=delay, as_of=as_of)
        write(path, changed)
    return changed


def _hosts(cluster: Cluster, place: str, a: str, b: str) -> list[str]:
    hosts = [host.name for host in cluster.hosts]
    if place in hosts:
        return [place]
    if place in cluster.sites:
        return [host.name for host in cluster.hosts_at(place)]
    allowed = [*hosts, *cluster.sites]
    raise DelayError(
        f"delay between {a} and {b}: no host or site {place}; "
        f"{choices('hosts and sites', allowed, place)}"
    )


def _matrix(content: dict[str, Any], key: str, size: int, path: Path) -> Any:
    rows = content[key]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise DelayError(f"delay file {path}: {key} is not {size} by {size}, as hosts is long")
    return tuple(tuple(row) for row in rows)
