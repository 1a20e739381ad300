"""What commands show to people."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.status import Status

    from eyewall_deploy.lifecycle.status import ClusterStatus, TopologyStatus

OUT = Console(highlight=False, soft_wrap=True)
ERR = Console(stderr=True, highlight=False, soft_wrap=True)

_MINUTE, _HOUR = 60, 3600
_Value = TypeVar("_Value")


class ConsoleProgress:
    """A line with a spinner for what goes on, and a line with its time for each result.

    Without a terminal (in a pipe, in a CI log) only results are written.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
        self._spinner: Status | None = None

    def show(self, text: str) -> None:
        """Show what goes on now."""
        if not self._console.is_terminal:
            return
        if self._spinner is None:
            self._spinner = self._console.status(Text(text))
            self._spinner.start()
        self._spinner.update(Text(text))

    def log(self, text: str) -> None:
        """Write a result."""
        elapsed = time.monotonic() - self._began
        self._console.print(Text(f"{elapsed:6.1f} s  {text}"))

    def finish(self) -> None:
        """Remove the line with the spinner."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None


@contextmanager
def show_progress(console: Console = ERR) -> Iterator[ConsoleProgress]:
    """Show progress during a command."""
    progress = ConsoleProgress(console)
    try:
        yield progress
    finally:
        progress.finish()


def or_fail(result: _Value | Failure) -> _Value:
    """Return a result, or end the command with the reason why there is none."""
    if isinstance(result, Failure):
        fail(result.reason)
    return result


def fail(reason: str) -> NoReturn:
    """End the command."""
    ERR.print(Text(reason, style="red"))
    raise typer.Exit(1)


def show_status(status: ClusterStatus) -> None:
    """Show programs, hosts and topologies as tables."""
    scheduler = f"scheduler {status.scheduler}" + (", stock timing" if status.stock_timing else "")
    delays = "delays NOT emulated" if status.network == "none" else f"delays by {status.network}"
    scheduler += f" (by {status.delays} delays)" if status.scheduler == "eyewall" else ""
    OUT.print(f"[bold]{status.cluster}[/bold]: {status.mode}, {delays}, {scheduler}")
    for name, address in status.addresses.items():
        OUT.print(f"  {name:10} {address}")
    for line in status.not_limited:
        OUT.print(Text(f"  {line}", style="yellow"))
    programs = _table("program", "state", "pid", "up")
    for program in status.programs:
        style = "" if program.state == "RUNNING" else "yellow"
        pid = str(program.pid) if program.pid else ""
        up = _format_time_span(program.uptime) if program.pid else ""
        programs.add_row(program.name, program.state, pid, up, style=style)
    OUT.print(programs)
    hosts = _table("host", "site", "address", "slots used")
    for host in status.hosts:
        used = "not registered" if host.slots_used is None else f"{host.slots_used} of {host.slots}"
        hosts.add_row(host.name, host.site, host.address, used)
    OUT.print(hosts)
    if status.nimbus_error:
        OUT.print(Text(status.nimbus_error, style="red"))
    for topology in status.topologies:
        _show_topology(topology)


def _show_topology(topology: TopologyStatus) -> None:
    name = (topology.name, "bold")
    OUT.print(Text.assemble(name, f"  {topology.status}  {topology.scheduling}"))
    executors = _table("executor", "tasks", "host", "port")
    for executor in topology.executors:
        first, last = executor.tasks
        tasks = str(first) if first == last else f"{first}-{last}"
        executors.add_row(executor.component, tasks, executor.host, str(executor.port))
    OUT.print(executors)


def _format_time_span(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=True, header_style="dim")
    for column in columns:
        table.add_column(column)
    return table
