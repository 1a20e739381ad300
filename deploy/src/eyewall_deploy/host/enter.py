"""Run a command on an emulated host: in its network, with its name and its share of the machine.

    python -m eyewall_deploy.host.enter --network-namespace NAME [--cgroup FOLDER]… -- COMMAND…

The command takes this process's place, so signals and exit codes are its own.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
from pathlib import Path

from eyewall_deploy.host import linux


def enter(namespace: str, groups: list[str]) -> None:
    """Move this process to the host; its host name becomes the namespace's."""
    for group in groups:
        (Path(group) / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
    linux.enter_network_namespace(namespace)
    linux.unshare(linux.CLONE_NEWUTS)
    socket.sethostname(namespace)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="enter", description=__doc__)
    parser.add_argument("--network-namespace", required=True, metavar="NAME")
    parser.add_argument("--cgroup", action="append", default=[], metavar="FOLDER")
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    arguments = parser.parse_args()
    try:
        enter(arguments.network_namespace, arguments.cgroup)
    except OSError as error:
        return _refuse(arguments.network_namespace, str(error))
    try:
        os.execvp(arguments.command[0], arguments.command)  # noqa: S606 - no shell wanted
    except OSError as error:
        return _refuse(arguments.network_namespace, f"{arguments.command[0]}: {error.strerror}")


def _refuse(namespace: str, why: str) -> int:
    print(f"enter {namespace}: {why}", file=sys.stderr)
    return 127


if __name__ == "__main__":
    sys.exit(main())
