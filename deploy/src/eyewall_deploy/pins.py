"""Pins of a topology's components (`eyewall.pin`), checked against a cluster's hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyewall_contracts.setting_keys import PIN
from ruamel.yaml import YAML

from eyewall_deploy.failure import Failure, name_choices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyewall_deploy.cluster_file import Cluster


def pinned_hosts(cluster: Cluster, pins: Sequence[str]) -> set[str]:
    """Return the hosts that pins allow: by name, `label:…` or `site:…`."""
    hosts = set()
    for pin in pins:
        kind, _, name = pin.rpartition(":")
        hosts |= {
            host.name
            for host in cluster.hosts
            if (kind == "label" and name in host.labels)
            or (kind == "site" and name == host.site)
            or (not kind and name == host.name)
        }
    return hosts


def check_pins(cluster: Cluster, options: Sequence[str]) -> Failure | None:
    """Return why an option `eyewall.pin=…` cannot be kept on this cluster; None if it can.

    This checks hosts only. The sidecar, which knows the topology's components, checks the rest.
    """
    problem = find_pin_problem(cluster, read_pins(options))
    return None if problem is None else Failure(f"-o {PIN.name}: {problem}")


def find_pin_problem(cluster: Cluster, pins: Mapping[str, Sequence[str]]) -> str | None:
    """Return which component is pinned to what a cluster does not have; None if none is."""
    for component, places in pins.items():
        for place in places:
            if not pinned_hosts(cluster, [place]):
                sites = sorted({f"site:{host.site}" for host in cluster.hosts})
                labels = sorted({f"label:{it}" for host in cluster.hosts for it in host.labels})
                choices = name_choices("allowed", [*cluster.host_names, *sites, *labels], place)
                return (
                    f"{component} is pinned to {place}, which {cluster.name} does not have; "
                    f"{choices}"
                )
    return None


def read_pins(options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return component → pins, from the last of the options that gives pins."""
    pins: dict[str, tuple[str, ...]] = {}
    for option in options:
        key, _, value = option.partition("=")
        table = YAML(typ="safe", pure=True).load(value) if key == PIN.name else None
        if isinstance(table, dict):
            pins = pins_of(table)
    return pins


def pins_of(setting: Mapping[Any, Any]) -> dict[str, tuple[str, ...]]:
    """Return component → pins of a setting that has a list or one place for each."""
    return {
        str(component): tuple(map(str, own if isinstance(own, list) else [own]))
        for component, own in setting.items()
    }
