"""Changes to a running cluster: programs, its scheduler, its delays and links, a host's CPU."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eyewall_deploy import state_file
from eyewall_deploy.failure import Failure, name_choices
from eyewall_deploy.host import cgroups
from eyewall_deploy.lifecycle.programs import LINKS, host_programs
from eyewall_deploy.lifecycle.settings_files import write_nimbus_settings
from eyewall_deploy.lifecycle.up import start_and_wait
from eyewall_deploy.processes.control import Control, SupervisordGoneError
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.wan import delay_file, link_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.progress import CommandProgress

_TRIES, _POLL = 100, 0.05
_DELAY = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit>us|ms|s)")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_FEWEST_CORES = 0.01
_MOST_CORES = 1024
_BYTES_PER_SECOND = 1e6 / 8
"""Of one Mbit/s."""


def start(deployment: Deployment, program: str, progress: CommandProgress) -> Failure | None:
    """Start one program and wait until it is ready."""
    return start_and_wait(deployment, Control(deployment.run.socket), [program], progress)


def stop(deployment: Deployment, program: str, progress: CommandProgress) -> Failure | None:
    """Stop one program; as everywhere in Storm, a supervisor's workers go on without it."""
    progress.show(f"{program} is ending")
    try:
        return Control(deployment.run.socket).stop(program)
    except SupervisordGoneError:
        return deployment.run.end_notice


def kill(deployment: Deployment, program: str) -> Failure | None:
    """End one program as a crash would; it is started again at once."""
    try:
        return Control(deployment.run.socket).kill(program)
    except SupervisordGoneError:
        return deployment.run.end_notice


def fail_host(deployment: Deployment, host: str) -> Failure | None:
    """End a host's programs as a power failure would, and leave them ended; not its workers."""
    return _change_host(deployment, host, _end_for_good)


def return_host(deployment: Deployment, host: str) -> Failure | None:
    """Start the programs of a host that has failed; those that run are left alone."""
    return _change_host(deployment, host, Control.start)


def _end_for_good(control: Control, program: str) -> Failure | None:
    """End a program by SIGKILL, and keep supervisord from restarting it."""
    for _ in range(_TRIES):
        failure = control.kill(program) or control.stop(program, wait=False)
        if failure is not None or control.state(program).state in {"STOPPING", "STOPPED"}:
            return failure
        time.sleep(_POLL)  # it had ended already, and is about to be restarted
    return Failure(f"program {program}: supervisord restarts it again and again")


def _change_host(
    deployment: Deployment, name: str, change: Callable[[Control, str], Failure | None]
) -> Failure | None:
    """Change all programs of a host; return what failed first."""
    control = Control(deployment.run.socket)
    (host,) = (it for it in deployment.cluster.hosts if it.name == name)
    try:
        failures = [change(control, it) for it in host_programs(host)]
    except SupervisordGoneError:
        return deployment.run.end_notice
    return next((it for it in failures if it is not None), None)


def restart(deployment: Deployment, program: str, progress: CommandProgress) -> Failure | None:
    """Stop and start one program, and wait until it is ready."""
    return stop(deployment, program, progress) or start(deployment, program, progress)


def change_scheduler(
    deployment: Deployment, scheduler: SchedulerChoice, progress: CommandProgress
) -> Failure | None:
    """Give Nimbus another scheduler, which it reads when it starts."""
    run = deployment.run
    if scheduler is SchedulerChoice.EYEWALL:
        if deployment.state.sidecar is None or not any(run.extlib_daemon.glob("*.jar")):
            return Failure(
                "this cluster was brought up without the scheduler's jar or the sidecar; "
                "`down`, then `up` with both (see `up --help`)"
            )
        failure = start(deployment, "sidecar", progress)
        if failure is not None:
            return failure
    changed = replace(deployment, state=replace(deployment.state, scheduler=scheduler))
    state_file.write(run.state, changed.state)
    write_nimbus_settings(changed)
    return restart(changed, "nimbus", progress)


def parse_delay(text: str) -> float | Failure:
    """Read a delay such as `80ms`, in seconds."""
    match = _DELAY.fullmatch(text)
    if match is None:
        return Failure(f"delay {text!r}: expected a number with us, ms or s, such as 80ms")
    return float(match["number"]) * _SECONDS[match["unit"]]


def change_delay(
    deployment: Deployment, a: str, b: str, seconds: float, *, both_directions: bool
) -> Failure | None:
    """Change the one-way delay between hosts or sites; the network follows at once."""
    if deployment.on_loopback:
        return Failure("delays are not emulated on this cluster: its hosts share the loopback")
    try:
        delay_file.set_delay(
            deployment.run.delays,
            deployment.cluster,
            a,
            b,
            seconds,
            both_directions=both_directions,
            as_of=time.time(),
        )
    except state_file.StateFileError as error:
        return Failure(str(error))
    return None


@dataclass(frozen=True, slots=True)
class CpuChange:
    """Cores that a host could use before, and can use now."""

    before: float
    after: float


def change_cpu(deployment: Deployment, host: str, cores: float) -> CpuChange | Failure:
    """Let a host, with its workers, use so many of this machine's cores from now on."""
    names = deployment.cluster.host_names
    if host not in names:
        return Failure(f"cpu of {host}: no such host; {name_choices('hosts', names, host)}")
    if not _FEWEST_CORES <= cores <= _MOST_CORES:
        return Failure(
            f"cpu of {host}: {cores:g} cores; allowed are {_FEWEST_CORES:g} to {_MOST_CORES}"
        )
    if deployment.on_loopback:
        return Failure(
            f"cpu of {host}: on loopback hosts have no control groups that could limit it"
        )
    folders = deployment.groups.folders.get(host, ())
    before = cgroups.read_cpu(folders)
    if before is None:
        refused = [line for line in deployment.groups.refused if line.startswith("cpu:")]
        return Failure(f"cpu of {host}: {'; '.join(refused) or 'no control group limits it'}")
    try:
        cgroups.set_cpu(folders, cores)
    except OSError as error:
        return Failure(f"cpu of {host}: {error.filename}: {error.strerror}")
    return CpuChange(before, cores)


def change_bandwidth(deployment: Deployment, a: str, b: str, mbit: float) -> Failure | None:
    """Change what the dedicated link between two hosts carries."""
    if not deployment.has_two_kinds:
        return _one_kind(deployment)
    bandwidth = mbit * _BYTES_PER_SECOND
    try:
        link_file.set_bandwidth(deployment.run.links, a, b, bandwidth, as_of=time.time())
    except state_file.StateFileError as error:
        return Failure(str(error))
    return None


def change_deviation(deployment: Deployment, log2_deviation: float) -> Failure | None:
    """Change how much the public network varies."""
    if not deployment.has_two_kinds:
        return _one_kind(deployment)
    try:
        link_file.set_deviation(deployment.run.links, log2_deviation, as_of=time.time())
    except state_file.StateFileError as error:
        return Failure(str(error))
    return None


def start_reallocation(deployment: Deployment, progress: CommandProgress) -> Failure | None:
    """Let connections move between the two kinds of links."""
    if not deployment.has_two_kinds:
        return _one_kind(deployment)
    return start(deployment, LINKS, progress)


def stop_reallocation(deployment: Deployment, progress: CommandProgress) -> Failure | None:
    """Put all connections on the public network, and leave them there."""
    if not deployment.has_two_kinds:
        return _one_kind(deployment)
    failure = stop(deployment, LINKS, progress)
    if failure is None:
        link_file.write_marks(deployment.run.marks, ())
    return failure


def _one_kind(deployment: Deployment) -> Failure:
    name = deployment.state.cluster
    return Failure(f"{name} does not have two kinds of links ([[dedicated]], uplink_mbit)")
