"""`eyewall what-if`: what to expect of a running topology at another rate or on other hosts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from eyewall_contracts.proto import operations_pb2 as pb
from rich.console import Console
from rich.table import Table

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.client import BAD_INPUT, OperationsError, as_json
from eyewall_sidecar.cli.console import counted, figure, printable, show_progress
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar, connect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OFF = "off"
MOST_EXECUTORS = 5
"""That are shown, those with the highest utilisation."""


def what_if(
    topology: Annotated[
        str,
        typer.Argument(help="By its name or Storm's id.", autocompletion=completion.topologies),
    ],
    *,
    rate: Annotated[
        str, typer.Option(metavar="2x", help="The multiple of the present rate.")
    ] = "1x",
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST=off", help="A host that is off, or what is left of its cores: fog-1=0.5x."
        ),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            help="Place all executors again by this policy; else only those of hosts that are off."
        ),
    ] = "",
    sidecar: Sidecar = None,
    config: Config = None,
    json: AsJson = False,
) -> None:
    """Show what saturates first, how busy hosts would be, and the latency and throughput to expect.

    Nothing is moved. Exit code 2 for an unknown name or a value that makes no sense, 1 if the
    sidecar is away or knows no answer now.
    """
    with connect("what-if", sidecar, config) as client:
        request = pb.ForecastRequest(topology=topology, policy=policy)
        request.rate = _multiple_of(f"--rate {rate}", rate)
        request.hosts.extend(_shares(host or ()))
        with show_progress(f"forecasting {topology} …"):
            found = client.forecast(request)
    if json:
        sys.stdout.write(as_json(found) + "\n")
    else:
        _show(found, rate, Console())


def _multiple_of(option: str, text: str) -> float:
    """Read `2x`, or 2; OperationsError repeats the option and says what is allowed."""
    try:
        return float(text.removesuffix("x"))
    except ValueError:
        allowed = "it must be a multiple such as 2x or 0.5x"
        raise OperationsError(f"{option}: {allowed}", exit_code=BAD_INPUT) from None


def _shares(hosts: Iterable[str]) -> Iterator[pb.HostShare]:
    given: set[str] = set()
    for it in hosts:
        name, equals, left = it.partition("=")
        if not (name and equals):
            allowed = "it must be HOST=off, or HOST=0.5x for what is left of its cores"
            raise OperationsError(f"--host {it}: {allowed}", exit_code=BAD_INPUT)
        if name in given:
            raise OperationsError(f"--host {it}: {name} is given twice", exit_code=BAD_INPUT)
        given.add(name)
        share = 0.0 if left == OFF else _multiple_of(f"--host {it}", left)
        yield pb.HostShare(host=name, share=share)


def _show(found: pb.Forecast, rate: str, console: Console) -> None:
    console.print(printable(f"{found.topology}: now, and at {rate} of the present rate"))
    table = Table("", "now", "then")
    both = found.now, found.then
    table.add_row("throughput, tuples/s", *(_count(it.throughput) for it in both))
    table.add_row("response time", *(_time(it.response_time) for it in both))
    table.add_row("sustainable, × the present rate", *(_multiple(it.sustainable) for it in both))
    table.add_row("saturates first", *(printable(it.bottleneck) for it in both))
    now = {it.name: it.share for it in found.now.hosts}
    for it in found.then.hosts:
        table.add_row(printable(f"CPU of {it.name}"), _share(now.get(it.name)), _share(it.share))
    for name in now.keys() - {it.name for it in found.then.hosts}:
        table.add_row(printable(f"CPU of {name}"), _share(now[name]), "off")
    of_executors = {it.name: it.share for it in found.now.executors}
    busiest = sorted(found.then.executors, key=lambda it: -it.share.value)[:MOST_EXECUTORS]
    for it in busiest:
        before = of_executors.get(it.name)
        table.add_row(printable(f"thread of {it.name}"), _share(before), _share(it.share))
    console.print(table)
    if found.moves:
        console.print(f"{counted(len(found.moves), 'executor')} elsewhere:")
        for move in found.moves:
            where = f"{move.source_host} → {move.target_host}"
            console.print(printable(f"  {move.executor}: {where}"))
    for remark in found.remarks:
        console.print(printable(remark))


def _between(value: str, least: str, greatest: str) -> str:
    return value if least == greatest else f"{value} ({least} to {greatest})"


def _time(it: pb.Interval) -> str:
    return _between(*(figure("R", value) for value in (it.value, it.least, it.greatest)))


def _count(it: pb.Interval) -> str:
    return _between(*(f"{value:,.4g}" for value in (it.value, it.least, it.greatest)))


def _multiple(it: pb.Interval) -> str:
    return _between(*(f"{value:.2f}" for value in (it.value, it.least, it.greatest)))


def _share(it: pb.Interval | None) -> str:
    if it is None:
        return "off"
    return _between(*(f"{value:.0%}" for value in (it.value, it.least, it.greatest)))
