"""Changes to a running cluster: its scheduler, its delays, a host's CPU, single programs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from eyewall_deploy.choices import choices
from eyewall_deploy.failure import Failure
from eyewall_deploy.host import cgroups
from eyewall_deploy.lifecycle.ended import has_ended
from eyewall_deploy.lifecycle.program_settings import write_nimbus_settings
from eyewall_deploy.lifecycle.shares import read_shares
from eyewall_deploy.lifecycle.up import start_and_wait
from eyewall_deploy.processes.control import Control, SupervisordGoneError
from eyewall_deploy.state import Mode, Scheduler, write_state
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from eyewall_deploy.lifecycle.programs import Plan
    from eyewall_deploy.lifecycle.steps import Steps

Change: TypeAlias = Callable[["Plan", str, "Steps"], "Failure | None"]
"""A change to one program."""

_DELAY = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit>us|ms|s)")
_FEWEST_CORES = 0.01
_MOST_CORES = 1024
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def change_scheduler(plan: Plan, scheduler: Scheduler, steps: Steps) -> Failure | None:
    """Give Nimbus another scheduler, which it reads when it starts."""
    control = Control(plan.run.socket)
    if scheduler is Scheduler.EYEWALL:
        if plan.state.sidecar is None or not any(plan.run.extlib_daemon.glob("*.jar")):
            return Failure(
                "this cluster was brought up without the scheduler's jar or the sidecar; "
                "`down`, then `up` with both (see `up --help`)"
            )
        failure = start_and_wait(plan, control, ["sidecar"], steps)
        if failure is not None:
            return failure
    changed = replace(plan, state=replace(plan.state, scheduler=scheduler))
    write_state(plan.run.state, changed.state)
    write_nimbus_settings(changed)
    return restart(changed, "nimbus", steps)


def start(plan: Plan, program: str, steps: Steps) -> Failure | None:
    """Start one program and wait until it is ready."""
    return start_and_wait(plan, Control(plan.run.socket), [program], steps)


def stop(plan: Plan, program: str, steps: Steps) -> Failure | None:
    """Stop one program; as everywhere in Storm, a supervisor's workers go on without it."""
    steps.doing(f"{program} is ending")
    try:
        return Control(plan.run.socket).stop(program)
    except SupervisordGoneError:
        return has_ended(plan.run)


def restart(plan: Plan, program: str, steps: Steps) -> Failure | None:
    """Stop and start one program, and wait until it is ready."""
    return stop(plan, program, steps) or start(plan, program, steps)


def parse_delay(text: str) -> float | Failure:
    """Read a delay such as `80ms`, in seconds."""
    match = _DELAY.fullmatch(text)
    if match is None:
        return Failure(f"delay {text!r}: expected is a number with us, ms or s, such as 80ms")
    return float(match["number"]) * _SECONDS[match["unit"]]


def change_delay(
    plan: Plan, a: str, b: str, seconds: float, *, both_directions: bool
) -> Failure | None:
    """Change the one-way delay between hosts or sites; the network takes it up at once."""
    if plan.state.mode is Mode.LOOPBACK:
        return Failure("delays are not emulated on this cluster: its hosts share the loopback")
    try:
        delay_file.set_delay(
            plan.run.delays,
            plan.cluster,
            a,
            b,
            seconds,
            both_directions=both_directions,
            as_of=time.time(),
        )
    except delay_file.DelayError as error:
        return Failure(str(error))
    return None


@dataclass(frozen=True, slots=True)
class CpuChange:
    """Cores that a host could use before, and can use now."""

    before: float
    after: float


def change_cpu(plan: Plan, host: str, cores: float) -> CpuChange | Failure:
    """Let a host use so many of this machine's cores from now on, its workers included."""
    names = [known.name for known in plan.cluster.hosts]
    if host not in names:
        return Failure(f"cpu of {host}: no such host; {choices('hosts', names, host)}")
    if not _FEWEST_CORES <= cores <= _MOST_CORES:
        return Failure(
            f"cpu of {host}: {cores:g} cores; allowed are {_FEWEST_CORES:g} to {_MOST_CORES}"
        )
    if plan.state.mode is Mode.LOOPBACK:
        return Failure(
            f"cpu of {host}: on loopback hosts have no control groups that could limit it"
        )
    groups = plan.groups.get(host, ())
    before = cgroups.cpu_of(groups)
    if before is None:
        refused = [line for line in read_shares(plan.run).refused if line.startswith("cpu:")]
        return Failure(f"cpu of {host}: {'; '.join(refused) or 'no control group limits it'}")
    try:
        cgroups.set_cpu(groups, cores)
    except OSError as error:
        return Failure(f"cpu of {host}: {error.filename}: {error.strerror}")
    return CpuChange(before, cores)
