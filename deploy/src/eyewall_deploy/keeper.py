"""The process that holds a running cluster, and with whose end everything ends.

It runs in a session of its own, apart from the command that started it. That command keeps the
other end of the keeper's standard input, the *lease*: when the lease breaks before the word
`detach` has come, the command is dead and the cluster ends with it.

    namespaces   keeper ─▶ supervisord, process 1 of a private room: with it the kernel ends all
    loopback     keeper ─▶ guard ─▶ supervisord: keeper and guard each end what the other leaves
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from eyewall_deploy.cluster_links import leased_hosts
from eyewall_deploy.failure import Failure
from eyewall_deploy.host import cgroups, linux
from eyewall_deploy.lifecycle.lease import AT_ONCE, DETACH
from eyewall_deploy.lifecycle.plans import read_plan
from eyewall_deploy.lifecycle.programs import programs
from eyewall_deploy.lifecycle.shares import group_name, make_shares
from eyewall_deploy.processes.descendants import adopt_orphans, end_descendants
from eyewall_deploy.processes.supervisord import configuration
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.state import Mode
from eyewall_deploy.wan.addresses import addresses
from eyewall_deploy.wan.private import enter_private_namespaces, set_up_private_mounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.lifecycle.programs import Plan

_LEASE = 0  # standard input
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, AT_ONCE)
_CALM_END_SECONDS = 10.0
_COULD_NOT_START = 70


def main() -> None:
    """Hold the cluster of the run dir that is the only argument, until it ends or is ended."""
    run = RunDir(Path(sys.argv[1]))
    lock = run.lock()
    plan = read_plan(run)
    if lock is None or isinstance(plan, Failure):
        sys.exit(plan.reason if isinstance(plan, Failure) else f"{run.path} has a keeper already")
    for number in _SIGNALS:
        signal.signal(number, lambda *_: None)  # they are seen through the wakeup descriptor
    if plan.state.mode is Mode.NAMESPACES:
        _hold_room(run, plan.cluster)
    else:
        _write_supervisord(plan)
        adopt_orphans()
        _hold(_fork(lambda: _guard(run), on_parents_end=AT_ONCE))
        end_descendants()
    run.forget()


def _hold_room(run: RunDir, cluster: Cluster) -> None:
    found = cgroups.found_parents()  # now: this process is not in the room's /proc
    make_shares(run, cluster)
    plan = read_plan(run)
    if isinstance(plan, Failure):
        sys.exit(plan.reason)
    _write_supervisord(plan)
    enter_private_namespaces()
    _hold(_fork(lambda: _become_supervisord(run, before=lambda: _furnish(plan))))
    for left in cgroups.remove(group_name(run), found):
        print(left, file=sys.stderr)


def _furnish(plan: Plan) -> None:
    from eyewall_deploy.wan.choice import build  # netlink: half a second that loopback saves
    from eyewall_deploy.wan.kind import Kind

    set_up_private_mounts(plan.run.hosts)
    address_of = addresses([host.name for host in plan.cluster.hosts])
    build(Kind(plan.state.network), address_of, leased_hosts(plan.cluster.dedicated))


def _guard(run: RunDir) -> None:
    adopt_orphans()
    _hold(_fork(lambda: _become_supervisord(run, before=lambda: None)), lease=False)
    end_descendants()


def _write_supervisord(plan: Plan) -> None:
    run = plan.run
    text = configuration(programs(plan), run.path, run.logs(), run.socket)
    run.supervisord.write_text(text, encoding="utf-8")


def _become_supervisord(run: RunDir, before: Callable[[], None]) -> None:
    before()
    os.dup2(os.open(os.devnull, os.O_RDONLY), _LEASE)
    command = [sys.executable, "-m", "supervisor.supervisord", "-n", "-c", str(run.supervisord)]
    os.execv(command[0], command)  # noqa: S606 - no shell wanted


def _fork(action: Callable[[], None], on_parents_end: int = signal.SIGKILL) -> int:
    """Start a child that is sent a signal when this process ends, however that comes about."""
    parent = os.getpid()
    child = os.fork()
    if not child:
        _be_child(parent, action, on_parents_end)
    return child


def _be_child(parent: int, action: Callable[[], None], on_parents_end: int) -> NoReturn:
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
    """Return when the child has ended: by itself, asked to by a signal, or with the lease."""
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
            if not ready:  # the calm end took too long
                os.kill(child, signal.SIGKILL)
            if wakeup in ready:
                at_once = AT_ONCE in os.read(wakeup, 64)
                os.kill(child, signal.SIGKILL if at_once else signal.SIGTERM)
                limit = _CALM_END_SECONDS
            if _LEASE in ready:
                if os.read(_LEASE, len(DETACH)) != DETACH:
                    os.kill(child, signal.SIGKILL)
                selector.unregister(_LEASE)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
