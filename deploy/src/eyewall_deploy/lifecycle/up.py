"""Brings a cluster up: programs in order, each really ready before the next needs it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.clearing import clear_redis, clear_zookeeper
from eyewall_deploy.lifecycle.ended import has_ended
from eyewall_deploy.lifecycle.lease import Lease
from eyewall_deploy.lifecycle.preparation import prepare
from eyewall_deploy.lifecycle.programs import (
    CONNECTIONS,
    DASHBOARD,
    LINKS,
    MARKS,
    RATES,
    latency_name,
    monitor_name,
    programs,
    redis_prefix,
    supervisor_name,
    zookeeper_root,
)
from eyewall_deploy.lifecycle.ready import probe_before_start
from eyewall_deploy.lifecycle.shares import read_shares
from eyewall_deploy.processes.control import SupervisordGoneError
from eyewall_deploy.processes.readiness import wait_until_ready
from eyewall_deploy.processes.supervisord import how_it_ended, output_file
from eyewall_deploy.state import Delays, Scheduler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_deploy.lifecycle.options import UpOptions
    from eyewall_deploy.lifecycle.programs import Plan
    from eyewall_deploy.lifecycle.steps import Steps
    from eyewall_deploy.processes.control import Control

_PATIENCE = 120.0
"""Seconds that a program may take to become ready: a JVM on a third of a busy core is slow."""

_ON_HOSTS = {"supervisor": "supervisors", "monitor": "monitor agents", "latency": "latency agents"}


@dataclass(frozen=True, slots=True)
class Up:
    """A cluster that is ready, and the hold on it."""

    plan: Plan
    lease: Lease


def up(options: UpOptions, steps: Steps) -> Up | Failure:
    """Start a cluster; on failure nothing is left running."""
    plan = prepare(options, steps)
    if isinstance(plan, Failure):
        return plan
    lease = Lease(plan.run)
    try:
        failure = _start_all(plan, lease, steps)
    except BaseException:
        steps.doing("ending what has been started")
        lease.end()
        raise
    if failure is not None:
        lease.end()
        return failure
    return Up(plan, lease)


def stages(plan: Plan) -> Iterator[list[str]]:
    """Names of programs that start together, each after those of the stages before it."""
    there = [program.name for program in programs(plan)]
    first = ["router", MARKS, "forwarder"]
    second = ["zookeeper", "redis"]
    if plan.state.scheduler is Scheduler.EYEWALL:
        second.append("sidecar")
    hosts = plan.cluster.hosts
    last = [*map(supervisor_name, hosts), *map(monitor_name, hosts), *map(latency_name, hosts)]
    last += ["ui", RATES, DASHBOARD, CONNECTIONS, LINKS]
    for stage in (first, second, ["nimbus"], last):
        names = [name for name in stage if name in there]
        if names:
            yield names


def start_and_wait(
    plan: Plan, control: Control, names: Sequence[str], steps: Steps
) -> Failure | None:
    """Start programs together and return when all are ready, or one of them fails."""
    try:
        return _start_and_wait(plan, control, names, steps)
    except SupervisordGoneError:
        return has_ended(plan.run)


def _start_and_wait(
    plan: Plan, control: Control, names: Sequence[str], steps: Steps
) -> Failure | None:
    states = {program.name: program for program in control.states()}
    probe_of = {}
    for name in names:
        if name in states:
            probe_of[name] = probe_before_start(plan, name, runs=bool(states[name].pid))
        failure = control.start(name)
        if failure is not None:
            return failure
    logs = {program.name: program.logs for program in programs(plan)}
    for number, name in enumerate(names):
        more = f" ({number} of {len(names)} ready)" if len(names) > 1 else ""
        steps.doing(f"{name}{more}")
        failure = wait_until_ready(
            name,
            probe_of[name],
            control,
            (*logs[name], output_file(plan.run.logs(), name)),
            ending=partial(how_it_ended, plan.run.logs() / "supervisord.log", name),
            seconds=_PATIENCE,
            clock=time.monotonic,
            sleep=time.sleep,
        )
        if failure is not None:
            return failure
    return None


def _start_all(plan: Plan, lease: Lease, steps: Steps) -> Failure | None:
    steps.doing(f"{plan.state.mode} for {len(plan.cluster.hosts)} hosts")
    control = lease.wait_for_supervisord(time.sleep)
    if isinstance(control, Failure):
        return control
    for line in read_shares(plan.run).refused:
        steps.done(line)
    if not plan.state.own_zookeeper:
        clear_zookeeper(plan.state.zookeeper, zookeeper_root(plan.state))
    if plan.state.redis_server is None:
        clear_redis(plan.state.redis, redis_prefix(plan.state))
    for names in stages(plan):
        failure = start_and_wait(plan, control, names, steps)
        if failure is not None:
            return failure
        steps.done(f"{_in_short(names)} ready")
    if plan.state.delays is Delays.MEASURED:
        steps.done("delays are measured: the latency agents of all hosts probe each other")
    return None


def _in_short(names: Sequence[str]) -> str:
    """Names of programs, but of those that every host has how many there are."""
    of_hosts = [name for name in names if name.partition("-")[0] in _ON_HOSTS]
    counts = Counter(_ON_HOSTS[name.partition("-")[0]] for name in of_hosts)
    others = [name for name in names if name not in of_hosts]
    return ", ".join([*(f"{count} {kind}" for kind, count in counts.items()), *others])
