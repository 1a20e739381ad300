"""Pins of a topology's components (`eyewall.pin`), held against a cluster's hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ruamel.yaml import YAML

from eyewall_deploy.choices import choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_deploy.cluster_file import Cluster

KEY = "eyewall.pin"


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
    for component, places in pins_in(options).items():
        for pin in places:
            if not pinned_hosts(cluster, [pin]):
                return (
                    f"-o {KEY}: {component} is pinned to {pin}, which {cluster.name} does not "
                    "have; " + choices("allowed", list(_known(cluster)), pin)
                )
    return None


def pins_in(options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Component → places, by the last of the options that gives pins."""
    pins: dict[str, tuple[str, ...]] = {}
    for option in options:
        key, _, value = option.partition("=")
        table = YAML(typ="safe", pure=True).load(value) if key == KEY else None
        if isinstance(table, dict):
            pins = {
                str(component): tuple(map(str, places if isinstance(places, list) else [places]))
                for component, places in table.items()
            }
    return pins


def _known(cluster: Cluster) -> Iterator[str]:
    yield from (host.name for host in cluster.hosts)
    yield from sorted({f"site:{host.site}" for host in cluster.hosts})
    yield from sorted({f"label:{label}" for host in cluster.hosts for label in host.labels})
