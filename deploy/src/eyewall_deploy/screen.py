"""What the commands show to people."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_deploy.doctor.finding import Severity
from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.status import Status as Spinner

    from eyewall_deploy.doctor.finding import Finding
    from eyewall_deploy.lifecycle.status import Status, TopologyStatus

_MARKS = {
    Severity.FINE: ("ok", "green"),
    Severity.ADVICE: ("advice", "yellow"),
    Severity.FAULT: ("fault", "red"),
    Severity.STOPS_NIMBUS: ("STOPS NIMBUS", "bold red"),
}
_MINUTE, _HOUR = 60, 3600
_Value = TypeVar("_Value")


def or_fail(result: _Value | Failure) -> _Value:
    """Take what there is, or end the command with the reason why there is nothing."""
    if isinstance(result, Failure):
        fail(result.reason)
    return result


def fail(reason: str) -> NoReturn:
    """End the command."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(Text(reason, style="red"))
    raise typer.Exit(1)


class ScreenSteps:
    """Steps as a line that turns, and a line with its time for each that is done.

    Where nobody looks on (a pipe, a CI log) only the lines that stay are written.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
        self._spinner: Spinner | None = None

    def doing(self, text: str) -> None:
        """Show what goes on now."""
        if not self._console.is_terminal:
            return
        if self._spinner is None:
            self._spinner = self._console.status(Text(text))
            self._spinner.start()
        self._spinner.update(Text(text))

    def done(self, text: str) -> None:
        """Show what has been reached."""
        elapsed = time.monotonic() - self._began
        self._console.print(Text(f"{elapsed:6.1f} s  {text}"))

    def finish(self) -> None:
        """Take the turning line away."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None


def show_status(console: Console, status: Status) -> None:
    """Show programs, hosts and topologies as tables."""
    scheduler = f"scheduler {status.scheduler}" + (", stock timing" if status.stock_timing else "")
    delays = "delays NOT emulated" if status.network == "none" else f"delays by {status.network}"
    scheduler += f" (by {status.delays} delays)" if status.scheduler == "eyewall" else ""
    console.print(f"[bold]{status.cluster}[/bold]: {status.mode}, {delays}, {scheduler}")
    for name, address in status.addresses.items():
        console.print(f"  {name:10} {address}", highlight=False)
    for line in status.not_limited:
        console.print(Text(f"  {line}", style="yellow"))
    programs = _table("program", "state", "pid", "up")
    for program in status.programs:
        style = "" if program.state == "RUNNING" else "yellow"
        pid = str(program.pid) if program.pid else ""
        up = duration(program.uptime) if program.pid else ""
        programs.add_row(program.name, program.state, pid, up, style=style)
    console.print(programs)
    hosts = _table("host", "site", "address", "slots used")
    for host in status.hosts:
        used = "not registered" if host.slots_used is None else f"{host.slots_used} of {host.slots}"
        hosts.add_row(host.name, host.site, host.address, used)
    console.print(hosts)
    if status.nimbus_error:
        console.print(Text(status.nimbus_error, style="red"))
    for topology in status.topologies:
        _show_topology(console, topology)


def show_findings(console: Console, findings: Iterable[Finding]) -> None:
    """Show each finding as it comes, and what to do about it."""
    for finding in findings:
        mark, style = _MARKS[finding.severity]
        line = Text.assemble((f"{mark:>12}  ", style), (f"{finding.check}: ", "bold"))
        console.print(line.append(finding.found))
        if finding.advice:
            console.print(Text(f"{'':14}→ {finding.advice}"))


def duration(seconds: float) -> str:
    """Write a time span as people say it."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"


def _show_topology(console: Console, topology: TopologyStatus) -> None:
    head = Text.assemble((topology.name, "bold"), f"  {topology.status}  {topology.scheduling}")
    console.print(head)
    executors = _table("executor", "tasks", "host", "port")
    for executor in topology.executors:
        first, last = executor.tasks
        tasks = str(first) if first == last else f"{first}-{last}"
        executors.add_row(executor.component, tasks, executor.host, str(executor.port))
    console.print(executors)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=True, header_style="dim")
    for column in columns:
        table.add_column(column)
    return table
