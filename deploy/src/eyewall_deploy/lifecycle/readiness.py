"""When a program is ready: a server answers, a line or a file appears, Nimbus knows the host."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import (
    DASHBOARD,
    LINKS,
    RATES,
    latency_name,
    monitor_name,
    supervisor_name,
)
from eyewall_deploy.processes import probes
from eyewall_deploy.storm.nimbus import NimbusUnreachableError, read_summary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.endpoint import Endpoint
    from eyewall_deploy.processes.control import Control

Probe: TypeAlias = Callable[[], str | None]
"""Returns what is missing; None if nothing is."""

_POLL_SECONDS = 0.2
_LOG_LINES = 12
_ROUNDING = 1
"""Seconds that an uptime in whole seconds may be off."""


def wait_until_ready(
    name: str,
    probe: Probe,
    control: Control,
    logs: Sequence[Path],
    *,
    read_end: Callable[[], str],
    seconds: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Failure | None:
    """Return when nothing is missing, when the program ends, or when the time is over.

    Parameters
    ----------
    logs
        The last lines of the first one that has any go into the failure.
    read_end
        Returns how the program ended, after it did.
    seconds
        The longest time to wait.
    """
    end = clock() + seconds
    first_pid = 0
    while True:
        state = control.state(name)
        first_pid = first_pid or state.pid
        if state.state not in {"STARTING", "RUNNING"} or state.pid != first_pid:
            reason = f"{name} ended while it was starting ({read_end()})"
            return Failure(_with_log(reason, logs))
        missing = probe()
        if missing is None and state.state == "RUNNING":  # not a process that is about to end
            return None
        if clock() >= end:
            reason = f"{name}: not ready after {seconds:g} s: {missing or state.state}"
            return Failure(_with_log(reason, logs))
        sleep(_POLL_SECONDS)


def make_probe(deployment: Deployment, name: str, *, runs: bool) -> Probe:
    """Return a program's probe; to be called before the program is started.

    What an earlier run of it left (its line, its file, its registration with Nimbus) does not
    count for the new one. A program that `runs` already is ready by what it has written.
    """
    run, state = deployment.run, deployment.state
    servers: dict[str, Probe] = {
        "zookeeper": partial(probes.zookeeper, state.zookeeper),
        "redis": partial(probes.redis, state.redis),
        "nimbus": partial(_leads, state.nimbus),
    }
    if state.ui is not None:
        servers["ui"] = partial(probes.http_ok, state.ui, "/index.html")
    if state.sidecar is not None:
        servers["sidecar"] = partial(probes.grpc_health, state.sidecar)
    if state.dashboard is not None:
        servers[DASHBOARD] = partial(probes.http_ok, state.dashboard, "/api/v1/health")
    if name in servers:
        return servers[name]
    output = run.output(name)
    begin = 0 if runs else _size(output)
    for host in deployment.cluster.hosts:
        if name == supervisor_name(host):
            since = None if runs else time.monotonic()
            return partial(_is_registered, state.nimbus, host.name, since)
        if name == monitor_name(host):
            return partial(_has_written, output, begin, b" ready on ")
        if name == latency_name(host):
            return partial(_has_written, output, begin, b" probes by ")
    if name in {RATES, LINKS}:
        return partial(_has_written, output, begin, b" ready on ")
    file = run.ready_file(name)
    if not runs:
        file.unlink(missing_ok=True)
    return lambda: None if file.exists() else f"{file} is missing"


def last_lines(log: Path, count: int) -> list[str]:
    """Return the end of a log; no lines if there is no log yet."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return [line.removesuffix("\n") for line in deque(file, maxlen=count)]
    except OSError:
        return []


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _has_written(output: Path, begin: int, words: bytes) -> str | None:
    """Probe the output of a program that listens inside its host, out of reach."""
    if output.exists():
        with output.open("rb") as file:
            file.seek(begin if _size(output) >= begin else 0)  # 0: supervisord began a new file
            if words in file.read():
                return None
    return f"no line in {output} that it is ready"


def _leads(endpoint: Endpoint) -> str | None:
    try:
        summary = read_summary(endpoint, with_topologies=False)
    except NimbusUnreachableError as error:
        return str(error)
    return None if summary.has_leader else "Nimbus answers, but does not lead yet"


def _is_registered(endpoint: Endpoint, host: str, since: float | None) -> str | None:
    """Probe whether Nimbus knows the host's supervisor, and not only one from before `since`."""
    try:
        summary = read_summary(endpoint, with_topologies=False)
    except NimbusUnreachableError as error:
        return str(error)
    uptimes = [supervisor.uptime for supervisor in summary.supervisors if supervisor.host == host]
    if not uptimes:
        return f"Nimbus does not know host {host} yet"
    if since is not None and min(uptimes) > time.monotonic() - since + _ROUNDING:
        return f"Nimbus knows only the former supervisor of host {host}"
    return None


def _with_log(reason: str, logs: Sequence[Path]) -> str:
    for log in logs:
        lines = last_lines(log, _LOG_LINES)
        if lines:
            return "\n".join([reason, f"last lines of {log}:", *(f"  {line}" for line in lines)])
    return reason
