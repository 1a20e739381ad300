"""A host's share of the machine, kept by control groups: CPU quota and memory limit.

A host of speed 0.5 gets half of its CPU, in slices as short as the kernel keeps to. Work on one
tuple that takes less CPU than a tick of the kernel's clock (1–10 ms) is not slowed by that while
the host is otherwise idle; longer work and a loaded host are.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from eyewall_deploy.host.cgroup_mounts import CONTROLLERS, parents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from eyewall_deploy.cluster_file import Cluster, Host
    from eyewall_deploy.host.cgroup_mounts import Controller, Parent

_PERIOD: Final = 4_000
"""Microseconds. The kernel's default of 100 ms would stop a worker for tens of milliseconds at a
time; below a tick of its clock (4 ms on many machines) less than the share is granted."""
_SHORTEST: Final = 1_000
_LONGEST: Final = 1_000_000
"""Microseconds; the kernel takes no shorter quota and no longer period."""
_HOSTS_WEIGH: Final = 10
"""To the kernel a group with all in it is one more process among those outside, which Nimbus and
the solver are; this many ordinary processes is what the hosts together count for."""
_PATIENCE: Final = 5.0
"""Seconds that killed processes may take to leave a group that is removed."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a host may use."""

    cpu: float
    """Cores, speed and the cluster's scale included."""
    memory: int
    """Bytes."""

    @property
    def quota_and_period(self) -> tuple[int, int]:
        """CPU time in each period, and the period; microseconds."""
        return _quota_and_period(self.cpu)


@dataclass(frozen=True, slots=True)
class HostGroup:
    """A host's control groups, one for each hierarchy."""

    folders: tuple[Path, ...]
    """For `python -m eyewall_deploy.host.enter --cgroup FOLDER`."""
    refused: tuple[str, ...]
    """What is not limited on this machine, and why; one line each."""


def share(cluster: Cluster, host: Host) -> Share:
    """Work out a host's share from the cluster file."""
    return Share(cpu=host.cpu * host.speed * cluster.cpu_scale, memory=host.memory)


def found_parents() -> dict[Controller, Parent]:
    """Where this process can make groups."""
    proc = Path("/proc/self")
    return parents(
        (proc / "mountinfo").read_text(encoding="utf-8"),
        (proc / "cgroup").read_text(encoding="utf-8"),
    )


def make(
    cluster: str, host: str, limits: Share, found: Mapping[Controller, Parent] | None = None
) -> HostGroup:
    """Make the groups eyewall-CLUSTER/HOST and set their limits; what is refused is said."""
    found = found_parents() if found is None else found
    folders: dict[Path, None] = {}
    refused = []
    for controller in CONTROLLERS:
        if controller not in found:
            refused.append(f"{controller}: no cgroup mount with this controller; not limited")
            continue
        try:
            folders[_limited(found[controller], controller, cluster, host, limits)] = None
        except OSError as error:
            refused.append(f"{controller}: {error.filename}: {error.strerror}; not limited")
    return HostGroup(tuple(folders), tuple(refused))


def cpu_of(folders: Iterable[Path]) -> float | None:
    """Cores that a host may use now; None where no group of it limits CPU."""
    for folder in folders:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        elif (folder / "cpu.cfs_quota_us").exists():
            quota = (folder / "cpu.cfs_quota_us").read_text(encoding="ascii").strip()
            period = (folder / "cpu.cfs_period_us").read_text(encoding="ascii")
        else:
            continue
        return None if quota in {"max", "-1"} else int(quota) / int(period)
    return None


def set_cpu(folders: Iterable[Path], cores: float) -> None:
    """Let a host use so many cores from now on; OSError names the file that is refused."""
    for folder in folders:
        if (folder / "cpu.max").exists():
            _limit_cpu(folder, 2, cores)
        elif (folder / "cpu.cfs_quota_us").exists():
            _limit_cpu(folder, 1, cores)


def remove(cluster: str, found: Mapping[Controller, Parent] | None = None) -> tuple[str, ...]:
    """Remove all groups of a cluster, whoever made them; say what could not be.

    Their processes must have ended, or be about to.
    """
    found = found_parents() if found is None else found
    left = []
    mounts = {parent.mount for parent in found.values()}
    for top in [top for mount in mounts for top in _named(f"eyewall-{cluster}", mount)]:
        for folder, _, _ in os.walk(top, topdown=False):
            error = _removed(Path(folder))
            if error is not None:
                left.append(f"{folder}: {error.strerror}")
    return tuple(left)


def _named(name: str, mount: Path) -> Iterator[Path]:
    """Find groups by their name; the walk passes over those that vanish meanwhile."""
    for folder, below, _ in os.walk(mount):
        if name in below:
            below.remove(name)
            yield Path(folder, name)


def _limited(
    parent: Parent, controller: Controller, cluster: str, host: str, limits: Share
) -> Path:
    top = parent.folder / f"eyewall-{cluster}"
    folder = top / host
    if parent.version == 2:
        _put(parent.folder / "cgroup.subtree_control", f"+{controller}")
    top.mkdir(exist_ok=True)
    if parent.version == 2:
        _put(top / "cgroup.subtree_control", f"+{controller}")
    folder.mkdir(exist_ok=True)
    match parent.version, controller:
        case 1, "cpu":
            _put(top / "cpu.shares", str(_HOSTS_WEIGH * 1024))
            _limit_cpu(folder, 1, limits.cpu)
        case 2, "cpu":
            _put(top / "cpu.weight", str(_HOSTS_WEIGH * 100))
            _limit_cpu(folder, 2, limits.cpu)
        case 1, _:
            _put(folder / "memory.limit_in_bytes", str(limits.memory))
        case _:
            _put(folder / "memory.max", str(limits.memory))
    return folder


def _limit_cpu(folder: Path, version: Literal[1, 2], cores: float) -> None:
    quota, period = _quota_and_period(cores)
    if version == 2:
        _put(folder / "cpu.max", f"{quota} {period}")
        return
    _put(folder / "cpu.cfs_quota_us", "-1")  # or the old quota would be held against the new period
    _put(folder / "cpu.cfs_period_us", str(period))
    _put(folder / "cpu.cfs_quota_us", str(quota))


def _quota_and_period(cores: float) -> tuple[int, int]:
    period = min(max(_PERIOD, _SHORTEST / cores), _LONGEST)
    return round(period * cores), round(period)


def _put(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="ascii")
    except OSError as error:  # a write's error does not say on which file
        raise OSError(error.errno, f"{error.strerror} ({text})", str(file)) from None


def _removed(folder: Path) -> OSError | None:
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
