"""The demo's tables: only what was measured or computed in this very run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from eyewall_deploy.demo.records import medians

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from eyewall_deploy.cluster_file import Cluster, DelayRule
    from eyewall_deploy.demo.records import Placement, Reassignment, Run
    from eyewall_deploy.demo.scenario import Scenario

_FIGURES = ("R", "mean", "p50", "p99", "p50+pins", "complete")
_TITLE = "Tag-and-Count end to end: R and mean predicted, the rest measured"
_LEGEND = (
    "R is the longest path, mean that over all paths: delays and declared execution times on idle "
    "hosts. p50 and p99 are over all tuples of the window, from the source's clock to the "
    "consumer's. Storm's own schedulers know no pins: p50+pins adds the delays from where the data "
    "comes from to where the source was put, and likewise behind the consumer. Complete is "
    "Storm's complete latency: a sample since the start, taken at the acker, from when it hears of "
    "a tuple until it hears of the last ack; so it depends on where the acker is."
)

_NOT_EMULATED = (
    "Delays were not emulated in this run: R, mean and the pins' part of p50+pins are of the "
    "cluster file's delays, p50 and p99 are not."
)


def show_beforehand(console: Console, cluster: Cluster, scenario: Scenario) -> None:
    """What is fixed before anything is placed."""
    console.print(Text(f"\nFixed beforehand (cluster {cluster.name}, {cluster.source}):"))
    for host in cluster.hosts:
        labels = f", {', '.join(host.labels)}" if host.labels else ""
        console.print(
            Text(
                f"  {host.name} ({host.site}{labels}): {host.slots} slots, {host.cpu:g} cores × "
                f"{cluster.cpu_scale:g}, speed {host.speed:g}, availability {host.availability:g}"
            )
        )
    for line in _delays(cluster.rules):
        console.print(Text(f"  {line}"))
    pins = ", ".join(f"{c} on {' or '.join(hosts)}" for c, hosts in scenario.pins.items())
    console.print(Text(f"  pinned: {pins}"))
    for option in scenario.options:
        console.print(Text(f"  {option}"))
    console.print()


def show_comparison(console: Console, runs: Sequence[Run], *, emulated: bool) -> None:
    """Who placed what where, and how long tuples took; medians where there are repetitions.

    Parameters
    ----------
    emulated
        Whether there were delays between the hosts, as the cluster file has them.
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


def show_reassignment(console: Console, change: Reassignment) -> None:
    """Before and after the move."""
    source, target = change.link
    console.print(
        Text(
            f"\nDelay {source} ↔ {target}: {ms(change.delay_before)} → {ms(change.delay_after)}; "
            f"{_executors(len(change.moved))} moved {change.seconds_to_move:.1f} s later"
        )
    )
    table = Table(show_lines=True, box=SIMPLE)
    for heading in ("", "before", "delay raised", "after the move"):
        table.add_column(heading, overflow="fold")
    before, after, during = change.before, change.after, change.during
    table.add_row(
        "host: executors",
        "\n".join(before.placement.host_words()),
        "as before",
        "\n".join(_marked(after.placement, change)),
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
            f"{change.gap.seconds:.1f} s without output around the move; {change.failed} tuples "
            "had to be replayed"
        )
    )


def ms(seconds: float | None) -> str:
    """Milliseconds as people read them."""
    if seconds is None:
        return "–"
    milliseconds = seconds * 1000
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def _delays(rules: Sequence[DelayRule]) -> Iterator[str]:
    by_ends = {(rule.source, rule.target): rule for rule in rules}
    for (source, target), rule in by_ends.items():
        back = by_ends.get((target, source))
        same = back is not None and (back.one_way, back.deviation) == (rule.one_way, rule.deviation)
        if same and source > target:
            continue
        more = f" ± {ms(rule.deviation)}" if rule.deviation else ""
        yield f"{source} {'↔' if same else '→'} {target}: {ms(rule.one_way)}{more} one way"


def _executors(count: int) -> str:
    return "1 executor" if count == 1 else f"{count} executors"


def _with_detour(p50: float, detour: float) -> str:
    return ms(p50 + detour) if detour else ms(p50)


def _marked(placement: Placement, change: Reassignment) -> list[str]:
    to = {change.after.placement.hosts[executor] for executor in change.moved}
    return [f"{line}{' ←' if line.split(':')[0] in to else ''}" for line in placement.host_words()]


def _show_placements(console: Console, runs: Sequence[Run]) -> None:
    table = Table(title="Who runs where", title_justify="left", box=SIMPLE)
    for heading in ("scheduler", "host", "executors"):
        table.add_column(heading)
    for run in runs:
        first = run.scheduler
        for line in run.placement.host_words():
            host, _, executors = line.partition(": ")
            table.add_row(first, host, executors)
            first = ""
        table.add_row("", "", Text(run.placement.status or "no status text", style="italic"))
    console.print(table)


def _show_medians(console: Console, runs: Sequence[Run]) -> None:
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
