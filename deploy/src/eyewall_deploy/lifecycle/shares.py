"""Which control groups the hosts of a running cluster have, and what of them was refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.host import cgroups

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.run_dir import RunDir


@dataclass(frozen=True, slots=True)
class Shares:
    """Control groups by host, and one line for each limit that this machine does not keep."""

    groups: Mapping[str, tuple[Path, ...]]
    refused: tuple[str, ...]


def make_shares(run: RunDir, cluster: Cluster) -> Shares:
    """Make the hosts' groups and write down which."""
    groups: dict[str, tuple[Path, ...]] = {}
    refused: dict[str, None] = {}
    found = cgroups.found_parents()
    for host in cluster.hosts:
        made = cgroups.make(group_name(run), host.name, cgroups.share(cluster, host), found)
        groups[host.name] = made.folders
        refused |= dict.fromkeys(made.refused)
    folders = {host: [str(folder) for folder in made] for host, made in groups.items()}
    content = {"groups": folders, "refused": list(refused)}
    run.shares.write_text(json.dumps(content), encoding="utf-8")
    return Shares(groups, tuple(refused))


def read_shares(run: RunDir) -> Shares:
    """Read what was written down; nothing, where nothing was (loopback)."""
    try:
        content = json.loads(run.shares.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Shares({}, ())
    groups = {host: tuple(map(Path, folders)) for host, folders in content["groups"].items()}
    return Shares(groups, tuple(content["refused"]))


def group_name(run: RunDir) -> str:
    """Name of the cluster's groups, which two clusters of one name do not share."""
    return f"{run.path.name}-{run.tag}"
