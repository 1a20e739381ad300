"""A host's share of the machine, kept by control groups: CPU quota and memory limit.

A host of speed 0.5 gets half of its CPU, in slices as short as the kernel allows. Work on one tuple
that takes less CPU than a tick of the kernel's clock (1–10 ms) is not slowed by that while the
host is otherwise idle; longer work and a loaded host are.
"""

from __future__ import annotations

import os
import posixpath
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from eyewall_deploy.cluster_file import Cluster, ClusterHost

Controller = Literal["cpu", "memory"]
_CONTROLLERS: Final[tuple[Controller, ...]] = ("cpu", "memory")

_PERIOD: Final = 4_000
"""Microseconds. The kernel's default of 100 ms would stop a worker for tens of milliseconds at a
time; below a tick of its clock (4 ms on many machines) less than the share is granted."""
_SHORTEST: Final = 1_000
_LONGEST: Final = 1_000_000
"""Microseconds; the kernel takes no shorter quota and no longer period."""
_WEIGHT: Final = 10
"""To the kernel a group and all in it is one process among those outside, such as Nimbus and the
solver; the hosts together count for this many ordinary processes."""
_PATIENCE: Final = 5.0
"""Seconds that killed processes may take to leave a group that is removed."""


@dataclass(frozen=True, slots=True)
class CgroupParent:
    """The group below which a controller's new groups are made.

    Parameters
    ----------
    mount
        Where the hierarchy is mounted; groups made by a caller in another group are below it too.
    """

    folder: Path
    version: Literal[1, 2]
    mount: Path


@dataclass(frozen=True, slots=True)
class HostShare:
    """What a host may use: cores, with its speed and the cluster's scale, and bytes of memory."""

    cpu: float
    memory: int


@dataclass(frozen=True, slots=True)
class ControlGroups:
    """The control groups of hosts.

    Parameters
    ----------
    folders
        Folders by host, one for each hierarchy.
    refused
        One line for each limit that this machine does not keep.
    """

    folders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    version: int = 1


def find_parents(mountinfo: str, own: str) -> dict[Controller, CgroupParent]:
    """Return the parent group of each controller; a controller without a mount is left out.

    Version 1: below the caller's own group, whose limits then hold too. Version 2: at the top,
    since a group there may not hold processes and groups at once.

    Parameters
    ----------
    mountinfo
        Text of /proc/self/mountinfo.
    own
        Text of /proc/self/cgroup.
    """
    groups: dict[str, str] = {}
    for line in own.splitlines():
        _, controllers, group = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), group)
    parents: dict[Controller, CgroupParent] = {}
    unified: Path | None = None
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ")[:3]
        root, point = before.split(" ")[3:5]
        if kind == "cgroup2":
            unified = Path(point)
        for controller in _CONTROLLERS:
            if kind == "cgroup" and controller in options.split(","):
                below = _path_below(groups.get(controller, "/"), root)
                parents[controller] = CgroupParent(Path(point + below), 1, Path(point))
    if unified is not None:
        for controller in _CONTROLLERS:
            parents.setdefault(controller, CgroupParent(unified, 2, unified))
    return parents


def own_parents() -> dict[Controller, CgroupParent]:
    """Return where this process can make groups."""
    proc = Path("/proc/self")
    return find_parents(
        (proc / "mountinfo").read_text(encoding="utf-8"),
        (proc / "cgroup").read_text(encoding="utf-8"),
    )


def host_share(cluster: Cluster, host: ClusterHost) -> HostShare:
    """Return a host's share by the cluster file."""
    return HostShare(cpu=host.cpu * host.speed * cluster.cpu_scale, memory=host.memory)


def make_groups(
    name: str, shares: Mapping[str, HostShare], parents: Mapping[Controller, CgroupParent]
) -> ControlGroups:
    """Make a group eyewall-NAME/HOST for each host, and set its limits."""
    folders: dict[str, tuple[str, ...]] = {}
    refused: dict[str, None] = {}
    for host, share in shares.items():
        own: dict[str, None] = {}
        for controller in _CONTROLLERS:
            parent = parents.get(controller)
            if parent is None:
                refused[f"{controller}: no cgroup mount with this controller; not limited"] = None
                continue
            try:
                own[str(_make_group(parent, controller, name, host, share))] = None
            except OSError as error:
                refused[f"{controller}: {error.filename}: {error.strerror}; not limited"] = None
        folders[host] = tuple(own)
    return ControlGroups(folders, tuple(refused))


def read_cpu(folders: Iterable[str]) -> float | None:
    """Return the cores that a host may use now; None if no group of it limits CPU."""
    for folder in map(Path, folders):
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        elif (folder / "cpu.cfs_quota_us").exists():
            quota = (folder / "cpu.cfs_quota_us").read_text(encoding="ascii").strip()
            period = (folder / "cpu.cfs_period_us").read_text(encoding="ascii")
        else:
            continue
        return None if quota in {"max", "-1"} else int(quota) / int(period)
    return None


def set_cpu(folders: Iterable[str], cores: float) -> None:
    """Let a host use so many cores from now on; OSError names the file that is refused."""
    for folder in map(Path, folders):
        if (folder / "cpu.max").exists():
            _limit_cpu(folder, 2, cores)
        elif (folder / "cpu.cfs_quota_us").exists():
            _limit_cpu(folder, 1, cores)


def remove_groups(name: str, parents: Mapping[Controller, CgroupParent]) -> tuple[str, ...]:
    """Remove all groups of a cluster; return one line for each that is left.

    Their processes must have ended, or be about to.
    """
    left = []
    mounts = {parent.mount for parent in parents.values()}
    for top in [top for mount in mounts for top in _find(f"eyewall-{name}", mount)]:
        for folder, _, _ in os.walk(top, topdown=False):
            error = _remove(Path(folder))
            if error is not None:
                left.append(f"{folder}: {error.strerror}")
    return tuple(left)


def quota_and_period(cores: float) -> tuple[int, int]:
    """Return the CPU time in each period, and the period; microseconds."""
    period = min(max(_PERIOD, _SHORTEST / cores), _LONGEST)
    return round(period * cores), round(period)


def _path_below(group: str, root: str) -> str:
    """Return the path of a group below a mount that shows the hierarchy from `root` on."""
    if root == "/":
        relative = group
    elif group == root or group.startswith(root + "/"):
        relative = group[len(root) :]
    else:
        return ""
    clean = posixpath.normpath("/" + relative)
    return "" if clean == "/" or "/.." in relative else clean


def _find(name: str, mount: Path) -> Iterator[Path]:
    """Yield groups by their name; the walk passes over those that vanish meanwhile."""
    for folder, below, _ in os.walk(mount):
        if name in below:
            below.remove(name)
            yield Path(folder, name)


def _make_group(
    parent: CgroupParent, controller: Controller, name: str, host: str, share: HostShare
) -> Path:
    top = parent.folder / f"eyewall-{name}"
    folder = top / host
    if parent.version == 2:
        _put(parent.folder / "cgroup.subtree_control", f"+{controller}")
    top.mkdir(exist_ok=True)
    if parent.version == 2:
        _put(top / "cgroup.subtree_control", f"+{controller}")
    folder.mkdir(exist_ok=True)
    match parent.version, controller:
        case 1, "cpu":
            _put(top / "cpu.shares", str(_WEIGHT * 1024))
            _limit_cpu(folder, 1, share.cpu)
        case 2, "cpu":
            _put(top / "cpu.weight", str(_WEIGHT * 100))
            _limit_cpu(folder, 2, share.cpu)
        case 1, _:
            _put(folder / "memory.limit_in_bytes", str(share.memory))
        case _:
            _put(folder / "memory.max", str(share.memory))
    return folder


def _limit_cpu(folder: Path, version: Literal[1, 2], cores: float) -> None:
    quota, period = quota_and_period(cores)
    if version == 2:
        _put(folder / "cpu.max", f"{quota} {period}")
        return
    _put(folder / "cpu.cfs_quota_us", "-1")  # or the kernel checks the old quota and the new period
    _put(folder / "cpu.cfs_period_us", str(period))
    _put(folder / "cpu.cfs_quota_us", str(quota))


def _put(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="ascii")
    except OSError as error:  # a write's error does not name the file
        raise OSError(error.errno, f"{error.strerror} ({text})", str(file)) from None


def _remove(folder: Path) -> OSError | None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return None
        except OSError as error:
            if time.monotonic() > end:
                return error
            time.sleep(0.02)
        else:
            return None
