"""`eyewall status`: what runs where, and what the sidecar knows."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_sidecar.cli.client import BAD_INPUT, NO_ROUND_YET, OperationsError
from eyewall_sidecar.cli.client import as_json as json_of
from eyewall_sidecar.cli.completion import topologies
from eyewall_sidecar.cli.console import counted, figure, printable, seconds
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar, connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_contracts.proto import operations_pb2 as pb

MODES = {"auto": "green", "observe": "yellow", "off": "dim"}


def status(
    topology: Annotated[
        str,
        typer.Argument(
            help="Name or Storm's id of one, to see all of it.", autocompletion=topologies
        ),
    ] = "",
    *,
    hosts: Annotated[bool, typer.Option("--hosts", help="Show the hosts, too.")] = False,
    sidecar: Sidecar = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show what runs where and what it is worth, by what the sidecar knows.

    Exit code 2 for an unknown topology or a bad option, 1 if no sidecar answers or if it has heard
    no Nimbus yet; what it knows is still shown.
    """
    with connect("status", sidecar, config) as client:
        found = client.status()
        one = _named(found, topology) if topology else None
        if as_json:
            sys.stdout.write(f"{json_of(found if one is None else one)}\n")
        elif one is not None:
            _show_topology(one, Console())
        else:
            console = Console()
            _show_cluster(found, console)
            if hosts:
                _show_hosts(found, console)
        if not found.HasField("round_age"):
            raise OperationsError(NO_ROUND_YET)


def _named(found: pb.Status, name: str) -> pb.TopologyStatus:
    """Return one topology; OperationsError if there is none of that name."""
    if not found.HasField("round_age"):
        raise OperationsError(NO_ROUND_YET)
    for it in found.topologies:
        if name in (it.name, it.topology_id):
            return it
    names = list(dict.fromkeys(it.name for it in found.topologies))
    if not names:
        raise OperationsError(f"no topology {name}; there are no topologies", exit_code=BAD_INPUT)
    near = get_close_matches(name, [*names, *(it.topology_id for it in found.topologies)], n=3)
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    raise OperationsError(f"no topology {name}; topologies are {shown}", tuple(near), BAD_INPUT)


def _show_cluster(status: pb.Status, console: Console) -> None:
    """Print what the sidecar knows, and a line for each topology."""
    for line in _headlines(status):
        console.print(line)
    if not status.topologies:
        if status.HasField("round_age"):
            console.print("no topologies")
        return
    table = _table("topology", "mode", "policy", "R", "placed", "hosts", "status")
    for it in status.topologies:
        here = [executor.host for executor in it.executors if executor.host]
        placed = f"{len(here)}/{len(it.executors)}"
        table.add_row(
            printable(it.name, "bold"),
            Text(it.mode, style=MODES.get(it.mode, "")),
            printable(it.policy),
            _response_time(it),
            Text(placed, style="" if len(here) == len(it.executors) else "yellow"),
            str(len(set(here))),
            printable("; ".join(filter(None, ["frozen" if it.frozen else "", it.status]))),
        )
    console.print()
    console.print(table)


def _show_hosts(status: pb.Status, console: Console) -> None:
    """Print a line for each supervisor."""
    workers: Counter[str] = Counter()
    cores: defaultdict[str, float] = defaultdict(float)
    executors: Counter[str] = Counter()
    there: defaultdict[str, set[str]] = defaultdict(set)
    for it in status.topologies:
        requested = {component.id: component.cpu_cores for component in it.definition.components}
        workers.update(worker.supervisor_id for worker in it.state.workers)
        for executor in it.executors:
            if executor.supervisor_id:
                executors[executor.supervisor_id] += 1
                cores[executor.supervisor_id] += requested.get(executor.component, 0.0)
                there[executor.supervisor_id].add(it.name)
    table = _table("host", "slots used", "executors", "cores requested", "topologies")
    for supervisor in sorted(status.supervisors, key=lambda one: (one.host, one.id)):
        free = "no slot offered" if not supervisor.ports else ""
        used = f"{workers[supervisor.id]}/{len(supervisor.ports)}"
        table.add_row(
            printable(supervisor.host, "bold"),
            free or used,
            str(executors[supervisor.id]),
            f"{cores[supervisor.id]:.3g} of {supervisor.cpu_cores:.3g}",
            printable(", ".join(sorted(there[supervisor.id]))),
        )
    console.print()
    console.print(table)


def _show_topology(it: pb.TopologyStatus, console: Console) -> None:
    """Print all that is known of one topology."""
    title = printable(it.name, "bold")
    title.append_text(printable(f" ({it.topology_id}): {it.mode}"))
    policy = ", ".join(filter(None, [it.policy, it.objective]))
    title.append_text(printable(f", {policy}" if policy else ""))
    console.print(title)
    for line in filter(None, [it.status, _cooling(it), "frozen" if it.frozen else ""]):
        console.print(printable(f"  {line}"))
    if it.unknown:
        console.print(printable(f"  not evaluated: {it.unknown}", "yellow"))
    metrics = [
        f"{metric.name} {figure(metric.name, metric.before, metric.unit)}"
        for metric in it.metrics
        # Of one term the objective is that term.
        if metric.HasField("before") and (metric.name != "objective" or _is_mixed(it))
    ]
    if metrics:
        console.print(f"  by the model: {', '.join(metrics)}", highlight=False)
    console.print()
    console.print(_executors(it))
    if it.streams:
        console.print()
        console.print(_streams(it))
    if it.slowest_path:
        console.print()
        console.print(_path(it))
    for assumption in it.assumptions:
        console.print(printable(f"assumed: {assumption}", "dim"))


def _headlines(status: pb.Status) -> Iterator[Text]:
    heard = status.HasField("round_age")
    if heard:
        took = f"took {seconds(status.round_seconds)}"
        hosts = counted(len({it.host for it in status.supervisors}), "host")
        age = Text(f"{seconds(status.round_age)} ago", style="red" if status.round_age > 30 else "")
        line = Text("Nimbus's last round ")
        line.append_text(age)
        yield line.append(f", {took}; {hosts}")
    delays = status.delays
    sources = {"none": "no delays are read", "": "where delays are from is unknown"}
    where = sources.get(delays.source, f"delays from {delays.source}")
    aged = f", the oldest {seconds(delays.age)} old" if delays.HasField("age") else ""
    yield _with_remark(f"{where}{aged}", delays.remark)
    if heard:
        measured = "rates and loads are measured" if status.measuring else "nothing is measured"
        yield _with_remark(measured, status.measurements_remark)
    yield from _moves(status)


def _moves(status: pb.Status) -> Iterator[Text]:
    rules, switches = status.rules, status.switches
    rule_texts = [
        f"moves gain {100 * rules.minimum_gain:g} % at least",
        f"cool-down {seconds(rules.cool_down_seconds)}",
    ]
    if rules.HasField("workers_per_round"):
        rule_texts.append(f"at most {rules.workers_per_round} workers started in a round")
    if rules.HasField("workers_per_hour"):
        started = rules.workers_started_last_hour
        rule_texts.append(f"{started} of {rules.workers_per_hour} workers started in the last hour")
    yield Text("; ".join(rule_texts))
    if rules.frozen:
        yield Text("frozen by the sidecar's configuration ([replacement] frozen)", style="yellow")
    if switches.frozen:
        yield Text("frozen: nothing that runs is moved", style="yellow")
    if switches.drained_hosts:
        drained = ", ".join(switches.drained_hosts)
        yield printable(f"drained: {drained} (eyewall undrain)", "yellow")
    if switches.remark:
        yield printable(f"switches: {switches.remark}", "yellow")


def _with_remark(text: str, remark: str) -> Text:
    line = Text(text)
    return line.append_text(printable(f" ({remark})", "yellow")) if remark else line


def _response_time(it: pb.TopologyStatus) -> Text:
    for metric in it.metrics:
        if metric.name == "R" and metric.HasField("before"):
            return Text(figure("R", metric.before))
    return Text("unknown", style="dim")


def _is_mixed(it: pb.TopologyStatus) -> bool:
    return "," in it.objective or it.objective.startswith("ecker")


def _cooling(it: pb.TopologyStatus) -> str:
    return f"cools down for another {seconds(it.cooling)}" if it.cooling > 0 else ""


def _executors(it: pb.TopologyStatus) -> Table:
    workers: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for executor in it.executors:
        workers[executor.host, executor.port].append(executor.executor)
    table = _table("worker", "executors")
    for (host, port), executors in sorted(workers.items(), key=lambda one: one[0]):
        where = printable(f"{host}:{port}") if host else Text("no slot", style="yellow")
        table.add_row(where, printable(", ".join(executors)))
    return table


def _streams(it: pb.TopologyStatus) -> Table:
    table = _table("stream", "tuples/s", "between hosts", "")
    for stream in sorted(it.streams, key=lambda one: one.system):
        table.add_row(
            printable(f"{stream.source} → {stream.target} ({stream.stream})"),
            f"{stream.rate:.4g}",
            f"{stream.rate_between_hosts:.4g}",
            "measured" if stream.measured else "not measured",
            style="dim" if stream.system else "",
        )
    return table


def _path(it: pb.TopologyStatus) -> Table:
    table = _table("slowest path", "host", "delay", "work", "until here")
    until = 0.0
    for step in it.slowest_path:
        until += step.delay + step.work
        table.add_row(
            printable(step.executor),
            printable(step.host),
            figure("R", step.delay),
            figure("R", step.work),
            figure("R", until),
        )
    return table


def _table(*columns: str) -> Table:
    return Table(*columns, box=None, pad_edge=False, header_style="dim")
