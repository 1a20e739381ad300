"""The process that holds a running cluster; when it ends, everything ends.

It runs in a session of its own, apart from the command that started it. That command keeps the
other end of the keeper's standard input, the *lease*: if the lease breaks before the word `detach`
has come, the command is dead and the cluster ends with it.

    namespaces   keeper ─▶ supervisord, process 1 of a private room: with it the kernel ends all
    loopback     keeper ─▶ guard ─▶ supervisord: keeper and guard each end what the other leaves
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import psutil

from eyewall_deploy import state_file
from eyewall_deploy.deployment import read_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.host import cgroups, linux
from eyewall_deploy.lifecycle.lease import AT_ONCE, DETACH
from eyewall_deploy.lifecycle.programs import programs
from eyewall_deploy.processes.supervisord import configuration
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.wan.link_file import leased_hosts

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_deploy.deployment import Deployment

_LEASE = 0  # standard input
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, AT_ONCE)
_ORDERLY_SECONDS = 10.0
_COULD_NOT_START = 70
_PAUSE = 0.05


def main() -> None:
    """Hold the cluster of the run dir that is the only argument, until it ends or is ended."""
    run = RunDir(Path(sys.argv[1]))
    lock = run.lock()
    deployment = read_deployment(run)
    if isinstance(deployment, Failure):
        sys.exit(deployment.reason)
    if lock is None:
        sys.exit(f"{run.path} has a keeper already")
    for number in _SIGNALS:
        signal.signal(number, lambda *_: None)  # they arrive through the wakeup descriptor
    if deployment.on_loopback:
        _write_supervisord(deployment)
        linux.adopt_orphans()
        _hold(_fork(lambda: _guard(run), on_parents_end=AT_ONCE))
        _end_descendants()
    else:
        _hold_room(deployment)
    run.forget()


def _hold_room(deployment: Deployment) -> None:
    run, cluster = deployment.run, deployment.cluster
    parents = cgroups.own_parents()  # before the room, whose /proc lacks this process
    shares = {host.name: cgroups.host_share(cluster, host) for host in cluster.hosts}
    groups = cgroups.make_groups(run.group_name, shares, parents)
    state_file.write(run.control_groups, groups)
    deployment = replace(deployment, groups=groups)
    _write_supervisord(deployment)
    from eyewall_deploy.wan.namespaces import enter_room  # netlink: half a second

    enter_room()
    _hold(_fork(lambda: _become_supervisord(run, lambda: _build(deployment))))
    for line in cgroups.remove_groups(run.group_name, parents):
        print(line, file=sys.stderr)


def _build(deployment: Deployment) -> None:
    from eyewall_deploy.wan.emulator import build
    from eyewall_deploy.wan.namespaces import mount_room

    assert deployment.state.network is not None  # noqa: S101 - as always in namespaces
    mount_room(deployment.run.hosts)
    leased = leased_hosts(deployment.cluster.dedicated)
    build(deployment.state.network, deployment.address_of, leased)


def _guard(run: RunDir) -> None:
    linux.adopt_orphans()
    _hold(_fork(lambda: _become_supervisord(run, lambda: None)), lease=False)
    _end_descendants()


def _write_supervisord(deployment: Deployment) -> None:
    run = deployment.run
    run.supervisord.write_text(configuration(programs(deployment), run), encoding="utf-8")


def _become_supervisord(run: RunDir, prepare: Callable[[], None]) -> None:
    prepare()
    os.dup2(os.open(os.devnull, os.O_RDONLY), _LEASE)
    command = [sys.executable, "-m", "supervisor.supervisord", "-n", "-c", str(run.supervisord)]
    os.execv(command[0], command)  # noqa: S606 - no shell wanted


def _fork(action: Callable[[], None], on_parents_end: int = signal.SIGKILL) -> int:
    """Start a child that gets a signal when this process ends, for any reason."""
    parent = os.getpid()
    child = os.fork()
    if not child:
        _run_child(parent, action, on_parents_end)
    return child


def _run_child(parent: int, action: Callable[[], None], on_parents_end: int) -> NoReturn:
    status = _COULD_NOT_START
    try:
        linux.die_with_parent(on_parents_end)
        if os.getppid() in {parent, 0}:  # 0: the parent is outside this room
            action()
            status = 0
    except BaseException:  # noqa: BLE001 - the edge of a process
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(status)


def _hold(child: int, *, lease: bool = True) -> None:
    """Return when the child has ended: by itself, because of a signal, or with the lease."""
    wakeup, woken = os.pipe()
    for descriptor in (wakeup, woken):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(woken)
    end = os.pidfd_open(child)
    with selectors.DefaultSelector() as selector:
        selector.register(end, selectors.EVENT_READ)
        selector.register(wakeup, selectors.EVENT_READ)
        if lease:
            selector.register(_LEASE, selectors.EVENT_READ)
        limit: float | None = None
        while True:
            ready = {key.fd for key, _ in selector.select(limit)}
            if end in ready:
                break
            if not ready:  # the orderly end took too long
                os.kill(child, signal.SIGKILL)
            if wakeup in ready:
                at_once = AT_ONCE in os.read(wakeup, 64)
                os.kill(child, signal.SIGKILL if at_once else signal.SIGTERM)
                limit = _ORDERLY_SECONDS
            if _LEASE in ready:
                if os.read(_LEASE, len(DETACH)) != DETACH:
                    os.kill(child, signal.SIGKILL)
                selector.unregister(_LEASE)
    os.waitpid(child, 0)


def _end_descendants() -> None:
    """Kill every descendant of this process, and return when all are gone.

    Orphans are among them because this process adopts them. Others may start new ones meanwhile,
    so this goes on until none is left.
    """
    this = psutil.Process()
    while children := this.children(recursive=True):
        for child in children:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
        _reap()
        time.sleep(_PAUSE)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main()
