"""The control group that this host's processes live in: what it grants, and what it used.

A group's limits are the tightest of its own and those above it, and what counts against one is the
use of the group that has it: others share it. Both versions are read.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Limit = TypeVar("_Limit", int, float)

_NANOSECOND: Final = 1e-9
_MICROSECOND: Final = 1e-6
_NO_LIMIT: Final = 2**60
"""Version 1 writes the largest number of pages if there is no limit."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A group's folder in one hierarchy, and where that is mounted."""

    path: Path
    mount: Path
    version: int

    def upwards(self) -> Iterator[Path]:
        """The group and those above it."""
        path = self.path
        while path != self.mount and self.mount in path.parents:
            yield path
            path = path.parent
        yield self.mount


@dataclass(frozen=True, slots=True)
class Use:
    """What a group may use, and what has been used of that; None: not limited, or not known.

    Parameters
    ----------
    quota
        Cores.
    cpu
        CPU-seconds, since it was made, of the group that has the quota.
    throttled
        Seconds for which that was stopped by it.
    memory_limit, memory
        Bytes; those of the group that has the limit.
    """

    quota: float | None = None
    cpu: float | None = None
    throttled: float = 0.0
    memory_limit: int | None = None
    memory: int | None = None
    granting: Path | None = field(default=None, compare=False)
    """The group that has the quota."""


class ControlGroup:
    """The group of one process.

    Parameters
    ----------
    mountinfo, own
        Text of /proc/PID/mountinfo and /proc/PID/cgroup.
    """

    def __init__(self, mountinfo: str, own: str) -> None:
        self._folders = _folders(mountinfo, own)

    def use(self) -> Use:
        """Read what holds now."""
        cpu, memory = self._folders.get("cpu"), self._folders.get("memory")
        use = Use()
        if cpu is not None:
            quota, granting = _tightest(cpu, _quota)
            use = Use(
                quota=quota,
                cpu=None if quota is None else self._used(cpu, granting),
                throttled=_throttled(granting),
                granting=granting,
            )
        if memory is None:
            return use
        limit, limiting = _tightest(memory, _memory_limit)
        used = _number(limiting / "memory.current")
        if used is None:
            used = _number(limiting / "memory.usage_in_bytes")
        return replace(use, memory_limit=limit, memory=used)

    def _used(self, cpu: Folder, granting: Path) -> float | None:
        stat = _stat(granting).get("usage_usec")
        if stat is not None:
            return stat * _MICROSECOND
        counted = self._folders.get("cpuacct")
        if counted is not None and cpu.path.relative_to(cpu.mount) == counted.path.relative_to(
            counted.mount
        ):
            same = counted.mount / granting.relative_to(cpu.mount)
            usage = _number(same / "cpuacct.usage")
            if usage is not None:
                return usage * _NANOSECOND
        return None

    def processes(self) -> list[int]:
        """Processes in the group that has the quota: not every hierarchy that has one counts use.

        None without a quota.
        """
        cpu = self._folders.get("cpu")
        if cpu is None:
            return []
        quota, granting = _tightest(cpu, _quota)
        lists = granting.rglob("cgroup.procs") if quota is not None else ()
        return [int(number) for it in lists for number in _text(it).split()]


def _folders(mountinfo: str, own: str) -> dict[str, Folder]:
    groups: dict[str, str] = {}
    for line in own.splitlines():
        _, controllers, group = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), group)
    found: dict[str, Folder] = {}
    for root, point, kind, options in _mounts(mountinfo):
        for controller in ("cpu", "cpuacct", "memory"):
            if kind == "cgroup" and controller in options and controller in groups:
                found[controller] = Folder(
                    Path(point + _below(groups[controller], root)), Path(point), 1
                )
    for root, point, kind, _ in _mounts(mountinfo):
        if kind == "cgroup2" and "" in groups:
            unified = Folder(Path(point + _below(groups[""], root)), Path(point), 2)
            found = {"cpu": unified, "memory": unified} | found
    return found


def _mounts(mountinfo: str) -> Iterator[tuple[str, str, str, list[str]]]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ")[:3]
        root, point = before.split(" ")[3:5]
        yield root, point, kind, options.split(",")


def _below(group: str, root: str) -> str:
    """Path of a group below a mount that shows the hierarchy from `root` on."""
    if root != "/" and group != root and not group.startswith(root + "/"):
        return ""
    relative = posixpath.normpath("/" + (group if root == "/" else group[len(root) :]))
    return "" if relative == "/" or "/.." in group else relative


def _tightest(
    folder: Folder, limit_of: Callable[[Path], _Limit | None]
) -> tuple[_Limit | None, Path]:
    """Return the least limit of the group and those above it, and whose it is; else the group.

    Of several that have it, the one that most share.
    """
    found = [(limit, it) for it in folder.upwards() if (limit := limit_of(it)) is not None]
    return min(reversed(found), key=lambda it: it[0]) if found else (None, folder.path)


def _quota(folder: Path) -> float | None:
    version_2 = _text(folder / "cpu.max").split()
    if len(version_2) == 2:
        granted, period = version_2
        return None if granted == "max" else int(granted) / int(period)
    granted_1, period_1 = (
        _number(folder / "cpu.cfs_quota_us"),
        _number(folder / "cpu.cfs_period_us"),
    )
    if granted_1 is None or not period_1 or granted_1 < 0:
        return None
    return granted_1 / period_1


def _throttled(folder: Path) -> float:
    stat = _stat(folder)
    if "throttled_usec" in stat:
        return stat["throttled_usec"] * _MICROSECOND
    return stat.get("throttled_time", 0) * _NANOSECOND


def _memory_limit(folder: Path) -> int | None:
    limit = _number(folder / "memory.max")
    if limit is None:
        limit = _number(folder / "memory.limit_in_bytes")
    return None if limit is None or limit >= _NO_LIMIT else limit


def _stat(folder: Path) -> dict[str, int]:
    pairs = (line.split() for line in _text(folder / "cpu.stat").splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _number(file: Path) -> int | None:
    try:
        return int(_text(file))
    except ValueError:
        return None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except OSError:
        return ""
