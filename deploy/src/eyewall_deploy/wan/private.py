"""A private room for a cluster: mounts, process ids and network names that no one else sees.

When the first process of the room ends, in whatever way, the kernel kills all others in it and
the room's mounts go, the named network namespaces among them: nothing is left behind.

    child:       enter_private_namespaces()
    its child:   set_up_private_mounts(hosts_file)   # process 1 of the room
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eyewall_deploy.host import linux

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES: Final = Path("/etc/hosts")


def enter_private_namespaces() -> None:
    """Give this process mounts of its own, and its next child a process tree of its own.

    Without root a user namespace comes first, in which this user is root. The caller must have
    one thread only, and forks next.
    """
    if os.geteuid() != 0:
        user, group = os.geteuid(), os.getegid()
        linux.unshare(linux.CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1", encoding="ascii")
    linux.unshare(linux.CLONE_NEWNS | linux.CLONE_NEWPID)
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)


def set_up_private_mounts(hosts_file: Path | None = None) -> None:
    """Mount what the room needs: its own /proc, names of network namespaces, /etc/hosts.

    For the first process of the room, before it starts others.
    """
    linux.mount("proc", "/proc", "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)
    linux.NAMED.mkdir(parents=True, exist_ok=True)
    linux.mount("tmpfs", str(linux.NAMED), "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=755")
    if hosts_file is not None:
        linux.mount(str(hosts_file), str(_NAMES), flags=linux.MS_BIND)


def hosts_file_text(addresses: Mapping[str, str], existing: str) -> str:
    """Text of an /etc/hosts that knows the emulated hosts besides what it knew before.

    An existing line that gives one of these names another address is left out.
    """
    kept = [line for line in existing.splitlines() if not _names(line) & addresses.keys()]
    ours = [f"{address}\t{name}" for name, address in addresses.items()]
    return "\n".join([*kept, "# the emulated network", *ours]) + "\n"


def _names(line: str) -> set[str]:
    return set(line.partition("#")[0].split()[1:])
