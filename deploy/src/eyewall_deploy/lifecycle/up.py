"""Brings a cluster up: programs in order, each ready before another one needs it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from eyewall_deploy.deployment import read_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.lease import Lease
from eyewall_deploy.lifecycle.preparation import prepare
from eyewall_deploy.lifecycle.programs import programs, start_stages
from eyewall_deploy.lifecycle.readiness import make_probe, wait_until_ready
from eyewall_deploy.processes.control import SupervisordGoneError
from eyewall_deploy.processes.supervisord import read_end
from eyewall_deploy.state import DelaySource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.endpoint import Endpoint
    from eyewall_deploy.lifecycle.preparation import UpOptions
    from eyewall_deploy.processes.control import Control
    from eyewall_deploy.progress import CommandProgress

_PATIENCE = 120.0
"""Seconds that a program may take to become ready: a JVM on a third of a busy core is slow."""
_KEYS_AT_ONCE = 500
"""Keys of Redis looked at in one round trip."""
_ON_HOSTS = {"supervisor": "supervisors", "monitor": "monitor agents", "latency": "latency agents"}


@dataclass(frozen=True, slots=True)
class StartedCluster:
    """A cluster that is ready, and the hold on it."""

    deployment: Deployment
    lease: Lease


def up(options: UpOptions, progress: CommandProgress) -> StartedCluster | Failure:
    """Start a cluster; on failure nothing is left running."""
    deployment = prepare(options, progress)
    if isinstance(deployment, Failure):
        return deployment
    lease = Lease(deployment.run)
    try:
        failure = _start_all(deployment, lease, progress)
    except BaseException:
        progress.show("ending everything that was started")
        lease.end()
        raise
    if failure is not None:
        lease.end()
        return failure
    return StartedCluster(deployment, lease)


def start_and_wait(
    deployment: Deployment, control: Control, names: Sequence[str], progress: CommandProgress
) -> Failure | None:
    """Start programs together and return when all are ready, or when one of them fails."""
    run = deployment.run
    try:
        states = {program.name: program for program in control.states()}
        probe_of = {}
        for name in names:
            if name in states:
                probe_of[name] = make_probe(deployment, name, runs=bool(states[name].pid))
            failure = control.start(name)
            if failure is not None:
                return failure
        log_of = {program.name: program.log for program in programs(deployment)}
        for number, name in enumerate(names):
            more = f" ({number} of {len(names)} ready)" if len(names) > 1 else ""
            progress.show(f"{name}{more}")
            failure = wait_until_ready(
                name,
                probe_of[name],
                control,
                [log for log in (log_of[name], run.output(name)) if log is not None],
                read_end=partial(read_end, run.logs() / "supervisord.log", name),
                seconds=_PATIENCE,
                clock=time.monotonic,
                sleep=time.sleep,
            )
            if failure is not None:
                return failure
    except SupervisordGoneError:
        return run.end_notice
    return None


def clear_redis(server: Endpoint, prefix: str) -> None:
    """Delete the keys below `prefix`: delays and histories of an earlier cluster."""
    from redis import Redis  # only here, and slow to import

    client = Redis(server.host, server.port)
    try:
        for key in client.scan_iter(match=f"{prefix}:*", count=_KEYS_AT_ONCE):
            client.unlink(key)
    finally:
        client.close()


def _clear_zookeeper(server: Endpoint, root: str) -> None:
    """Leave an empty node in place of `root` and everything below it."""
    from kazoo.client import KazooClient  # only here, and slow to import

    client = KazooClient(str(server))
    client.start()
    try:
        if client.exists(root):
            client.delete(root, recursive=True)
        client.ensure_path(root)
    finally:
        client.stop()
        client.close()


def _start_all(deployment: Deployment, lease: Lease, progress: CommandProgress) -> Failure | None:
    state = deployment.state
    progress.show(f"{state.mode} for {len(deployment.cluster.hosts)} hosts")
    control = lease.wait_for_supervisord()
    if isinstance(control, Failure):
        return control
    kept = read_deployment(deployment.run)  # with the control groups that the keeper made
    if isinstance(kept, Failure):
        return kept
    for line in kept.groups.refused:
        progress.log(line)
    if not state.own_zookeeper:
        _clear_zookeeper(state.zookeeper, deployment.storm_root)
    if state.redis_server is None:
        clear_redis(state.redis, deployment.redis_prefix)
    for names in start_stages(deployment):
        failure = start_and_wait(deployment, control, names, progress)
        if failure is not None:
            return failure
        progress.log(f"{_summarise(names)} ready")
    if state.delays is DelaySource.MEASURED:
        progress.log("delays are measured: the latency agents of all hosts probe each other")
    return None


def _summarise(names: Sequence[str]) -> str:
    """Return names of programs; of those that every host has, only how many there are."""
    of_hosts = [name for name in names if name.partition("-")[0] in _ON_HOSTS]
    counts = Counter(_ON_HOSTS[name.partition("-")[0]] for name in of_hosts)
    others = [name for name in names if name not in of_hosts]
    return ", ".join([*(f"{count} {kind}" for kind, count in counts.items()), *others])
