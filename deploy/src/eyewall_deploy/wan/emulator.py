"""Which emulator delays packets: the kernel's netem or the user-space router; what is allowed here.

    python -m eyewall_deploy.wan.emulator namespaces|netem

tries it in a process that leaves nothing behind; exit code 1 and one line if it does not work.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eyewall_deploy.failure import Failure
from eyewall_deploy.host import linux
from eyewall_deploy.state import NetworkEmulator
from eyewall_deploy.wan import namespaces, netem
from eyewall_deploy.wan.addresses import CONTROL, CONTROL_ADDRESS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

HOW_TO_ALLOW: Final = (
    "run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
    "kernel.apparmor_restrict_unprivileged_userns=0); in a container: --privileged, "
    "or CAP_SYS_ADMIN and CAP_NET_ADMIN with /dev/net/tun"
)


@dataclass(frozen=True, slots=True)
class EmulatorChoice:
    """An emulator, and the reason for it in words for people."""

    emulator: NetworkEmulator
    reason: str


def check_namespaces() -> Failure | None:
    """Try namespaces, mounts and TUN devices; return what is not allowed, and how to allow it."""
    refusal = _try("namespaces")
    if refusal is None:
        return None
    return Failure(f"network namespaces are not allowed ({refusal}); {HOW_TO_ALLOW}")


def choose_emulator(wish: NetworkEmulator | None) -> EmulatorChoice:
    """Return the wish; without one, or where netem does not work, the best emulator there is.

    Netem is the better one: the kernel delays packets without waking a program for each.
    """
    if wish is NetworkEmulator.ROUTER:
        return EmulatorChoice(wish, "user-space router: as requested")
    refusal = _try("netem")
    if refusal is None:
        return EmulatorChoice(NetworkEmulator.NETEM, "netem: this kernel has all it needs")
    return EmulatorChoice(NetworkEmulator.ROUTER, f"user-space router: {refusal}")


def build(
    emulator: NetworkEmulator, address_of: Mapping[str, str], leased: Collection[str] = ()
) -> None:
    """Make all namespaces and interfaces; the emulator's program gives them their delays.

    `leased` hosts have dedicated links, which only the user-space router emulates.
    """
    namespaces.make_namespaces(address_of)
    if emulator is NetworkEmulator.NETEM:
        netem.add_interfaces(address_of)
    else:
        namespaces.add_interfaces(address_of, leased)


def _try(what: str) -> str | None:
    """Try it in another process; return why it does not work."""
    trial = subprocess.run(
        [sys.executable, "-m", __name__, what],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if trial.returncode == 0:
        return None
    lines = (trial.stdout + trial.stderr).strip().splitlines()
    return lines[-1] if lines else f"the trial ended with {trial.returncode}"


def _try_namespaces() -> None:
    """Make once what a cluster needs."""
    namespaces.enter_room()
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    namespaces.mount_room()
    build(NetworkEmulator.ROUTER, {CONTROL: CONTROL_ADDRESS})


def _try_netem() -> None:
    """Use netem in a network namespace that ends with this process."""
    linux.unshare(linux.CLONE_NEWNET)
    refusal = netem.find_obstacle()
    if refusal is not None:
        sys.exit(refusal)


def main() -> None:
    """Try what the argument says."""
    try:
        if sys.argv[1] == "namespaces":
            _try_namespaces()
        else:
            _try_netem()
    except OSError as error:
        sys.exit(f"{error.filename or ''}: {error.strerror}".lstrip(": "))


if __name__ == "__main__":
    main()
