"""Pins of a topology's components (`eyewall.pin`), held against a cluster's hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ruamel.yaml import YAML

from eyewall_deploy.cluster_file import choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_deploy.cluster_file import Cluster

_KEY = "eyewall.pin"


def pinned_hosts(cluster: Cluster, wanted: Sequence[str]) -> set[str]:
    """Hosts that a pin allows: by name, `label:…` or `site:…`."""
    found = set()
    for pin in wanted:
        kind, _, name = pin.rpartition(":")
        found |= {
            host.name
            for host in cluster.hosts
            if (kind == "label" and name in host.labels)
            or (kind == "site" and name == host.site)
            or (not kind and name == host.name)
        }
    return found


def wrong_pin(cluster: Cluster, options: Sequence[str]) -> str | None:
    """Why an option `eyewall.pin=…` can't be kept on this cluster; None if it can.

    Only pins to what is not there: whether the value is a map of lists is the sidecar's to say,
    which knows the topology's components too.
    """
    for component, pin in _pins(options):
        if not pinned_hosts(cluster, [pin]):
            return (
                f"-o {_KEY}: {component} is pinned to {pin}, which {cluster.name} does not have; "
                + choices("allowed", list(_known(cluster)), pin)
            )
    return None


def _pins(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    for option in options:
        key, _, value = option.partition("=")
        table = YAML(typ="safe", pure=True).load(value) if key == _KEY else None
        if isinstance(table, dict):
            for component, places in table.items():
                listed = places if isinstance(places, list) else [places]
                yield from ((str(component), str(place)) for place in listed)


def _known(cluster: Cluster) -> Iterator[str]:
    yield from (host.name for host in cluster.hosts)
    yield from sorted({f"site:{host.site}" for host in cluster.hosts})
    yield from sorted({f"label:{label}" for host in cluster.hosts for label in host.labels})
