"""Where control groups for CPU and memory can be made: cgroups version 1 or 2, by controller."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Controller = Literal["cpu", "memory"]
CONTROLLERS: Final[tuple[Controller, ...]] = ("cpu", "memory")


@dataclass(frozen=True, slots=True)
class Parent:
    """The group below which a controller's new groups are made."""

    folder: Path
    version: Literal[1, 2]
    mount: Path
    """Where the hierarchy is mounted; groups made by a caller in another group are below it too."""


def parents(mountinfo: str, own: str) -> dict[Controller, Parent]:
    """Find the parent group of each controller; a controller that is nowhere mounted is left out.

    Version 1: below the caller's own group, whose limits then hold too. Version 2: at the top,
    since a group there may not hold processes and groups at once.

    Parameters
    ----------
    mountinfo
        Text of /proc/self/mountinfo.
    own
        Text of /proc/self/cgroup.
    """
    groups = dict(_own_groups(own))
    found: dict[Controller, Parent] = {}
    unified: Path | None = None
    for root, point, kind, options in _mounts(mountinfo):
        if kind == "cgroup2":
            unified = Path(point)
        for controller in CONTROLLERS:
            if kind == "cgroup" and controller in options:
                below = _below(groups.get(controller, "/"), root)
                found[controller] = Parent(Path(point + below), 1, Path(point))
    if unified is not None:
        for controller in CONTROLLERS:
            found.setdefault(controller, Parent(unified, 2, unified))
    return found


def _own_groups(own: str) -> Iterator[tuple[str, str]]:
    for line in own.splitlines():
        _, controllers, group = line.split(":", 2)
        for controller in controllers.split(","):
            yield controller, group


def _mounts(mountinfo: str) -> Iterator[tuple[str, str, str, list[str]]]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ")[:3]
        root, point = before.split(" ")[3:5]
        yield root, point, kind, options.split(",")


def _below(group: str, root: str) -> str:
    """Path of a group below a mount that shows the hierarchy from `root` on."""
    if root == "/":
        relative = group
    elif group == root or group.startswith(root + "/"):
        relative = group[len(root) :]
    else:
        return ""
    clean = posixpath.normpath("/" + relative)
    return "" if clean == "/" or "/.." in relative else clean
