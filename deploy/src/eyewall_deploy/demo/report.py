"""The demo's tables: only what this run measured or computed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from eyewall_deploy.demo.records import medians

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from eyewall_deploy.cluster_file import Cluster, DelayRule
    from eyewall_deploy.demo.records import DelayRise, DemoPlacement, SchedulerRun
    from eyewall_deploy.demo.scenario import Scenario
    from eyewall_deploy.deployment import Deployment

_FIGURES = ("R", "mean", "p50", "p99", "p50+pins", "complete")
_TITLE = "Tag-and-Count end to end: R and mean predicted, the rest measured"
_LEGEND = (
    "R is the longest path, mean is over all paths: delays and declared execution times on idle "
    "hosts. p50 and p99 are over all tuples of the window, from the source's clock to the "
    "consumer's. Storm's own schedulers know no pins: p50+pins adds the delays from the pinned "
    "host to the source, and from the consumer to its pinned host. Complete is Storm's complete "
    "latency: a sample since the start, from when the acker hears of a tuple until it hears of "
    "the last ack; so it depends on the acker's host."
)

_NOT_EMULATED = (
    "Delays were not emulated in this run: R, mean and the pins' part of p50+pins use the cluster "
    "file's delays, p50 and p99 do not."
)


def show_setup(console: Console, cluster: Cluster, scenario: Scenario) -> None:
    """Show what is fixed before anything is placed."""
    console.print(Text(f"\nFixed beforehand (cluster {cluster.name}, {cluster.origin}):"))
    for host in cluster.hosts:
        labels = f", {', '.join(host.labels)}" if host.labels else ""
        console.print(
            Text(
                f"  {host.name} ({host.site}{labels}): {host.slots} slots, {host.cpu:g} cores × "
                f"{cluster.cpu_scale:g}, speed {host.speed:g}, availability {host.availability:g}"
            )
        )
    for rule in cluster.delays:
        console.print(Text(f"  {_describe_rule(rule)}"))
    pins = ", ".join(f"{c} on {' or '.join(hosts)}" for c, hosts in scenario.pins.items())
    console.print(Text(f"  pinned: {pins}"))
    for option in scenario.options:
        console.print(Text(f"  {option}"))
    console.print()


def show_comparison(console: Console, runs: Sequence[SchedulerRun], *, emulated: bool) -> None:
    """Show each scheduler's placement and latencies; medians if there are repetitions.

    Parameters
    ----------
    emulated
        Whether the hosts had the delays of the cluster file between them.
    """
    latest = {run.scheduler: run for run in runs}
    _show_placements(console, list(latest.values()))
    figures = _table(_TITLE, "scheduler", *_FIGURES, "tuples")
    for run in latest.values():
        missing = f" ({run.measured.missing} missing)" if run.measured.missing else ""
        figures.add_row(
            run.scheduler,
            ms(run.placement.predicted),
            ms(run.placement.predicted_mean),
            ms(run.measured.p50),
            ms(run.measured.p99),
            _with_detour(run.measured.p50, run.placement.detour),
            ms(run.complete_latency),
            f"{run.measured.tuples}{missing}",
        )
    console.print(figures)
    if len(runs) > len(latest):
        _show_medians(console, runs)
    console.print(Text(_LEGEND, style="dim"))
    if not emulated:
        console.print(Text(_NOT_EMULATED, style="yellow"))


def show_delay_rise(console: Console, rise: DelayRise) -> None:
    """Show latencies and placements before and after the move."""
    source, target = rise.link
    console.print(
        Text(
            f"\nDelay {source} ↔ {target}: {ms(rise.delay_before)} → {ms(rise.delay_after)}; "
            f"{_executors(len(rise.moved))} moved {rise.seconds_to_move:.1f} s later"
        )
    )
    table = Table(show_lines=True, box=SIMPLE)
    for heading in ("", "before", "delay raised", "after the move"):
        table.add_column(heading, overflow="fold")
    before, after, during = rise.before, rise.after, rise.during
    table.add_row(
        "host: executors",
        "\n".join(before.placement.describe_hosts()),
        "as before",
        "\n".join(_marked(after.placement, rise)),
    )
    table.add_row("predicted R", ms(before.placement.predicted), "", ms(after.placement.predicted))
    table.add_row(
        "measured p50",
        ms(before.measured.p50),
        ms(during.p50 if during else None),
        ms(after.measured.p50),
    )
    table.add_row(
        "measured p99",
        ms(before.measured.p99),
        ms(during.p99 if during else None),
        ms(after.measured.p99),
    )
    table.add_row("status", before.placement.status, "", after.placement.status)
    console.print(table)
    console.print(
        Text(
            f"{rise.gap.seconds:.1f} s without output around the move; {rise.failed} tuples "
            "had to be replayed"
        )
    )


def show_next_commands(
    console: Console, deployment: Deployment, seconds: float, program: str
) -> None:
    """Show how to look at the cluster, which keeps running, and how to end it."""
    # As it was called, because a virtual environment's command is seldom on PATH.
    called = Path(program)
    command = str(called) if called.is_absolute() or len(called.parts) > 1 else called.name
    state = deployment.state
    console.print(Text(f"\n{seconds / 60:.1f} minutes. The cluster keeps running:"))
    console.print(f"  {command} status        what runs where, and why")
    if not deployment.on_loopback:
        console.print(f"  {command} delay A B 80ms  change a delay yourself")
    if state.ui is not None:
        console.print(f"  http://{state.ui}        Storm UI")
    if state.dashboard is not None:
        console.print(f"  http://{state.dashboard}        the dashboard")
    console.print("  make demo-down               ends it")


def ms(seconds: float | None) -> str:
    """Return a time in milliseconds, for people."""
    if seconds is None:
        return "–"
    milliseconds = seconds * 1000
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def _describe_rule(rule: DelayRule) -> str:
    source, target = rule.directions[0]
    deviation = f" ± {ms(rule.deviation)}" if rule.deviation else ""
    arrow = "→" if rule.between is None else "↔"
    return f"{source} {arrow} {target}: {ms(rule.one_way)}{deviation} one way"


def _executors(count: int) -> str:
    return "1 executor" if count == 1 else f"{count} executors"


def _with_detour(p50: float, detour: float) -> str:
    return ms(p50 + detour) if detour else ms(p50)


def _marked(placement: DemoPlacement, rise: DelayRise) -> list[str]:
    to = {rise.after.placement.hosts[executor] for executor in rise.moved}
    return [
        f"{line}{' ←' if line.split(':')[0] in to else ''}" for line in placement.describe_hosts()
    ]


def _show_placements(console: Console, runs: Sequence[SchedulerRun]) -> None:
    table = Table(title="Placements", title_justify="left", box=SIMPLE)
    for heading in ("scheduler", "host", "executors"):
        table.add_column(heading)
    for run in runs:
        first = run.scheduler
        for line in run.placement.describe_hosts():
            host, _, executors = line.partition(": ")
            table.add_row(first, host, executors)
            first = ""
        table.add_row("", "", Text(run.placement.status or "no status text", style="italic"))
    console.print(table)


def _show_medians(console: Console, runs: Sequence[SchedulerRun]) -> None:
    table = _table("Medians over the repetitions", "scheduler", *_FIGURES, "runs")
    for line in medians(runs):
        table.add_row(
            line.scheduler,
            ms(line.predicted),
            ms(line.predicted_mean),
            ms(line.p50),
            ms(line.p99),
            _with_detour(line.p50, line.detour),
            ms(line.complete_latency),
            str(line.runs),
        )
    console.print(table)


def _table(title: str, first: str, *more: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE)
    table.add_column(first)
    for heading in more:
        table.add_column(heading, justify="right")
    return table
