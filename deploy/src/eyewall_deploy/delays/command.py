"""`eyewall-deploy delays`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_deploy.delays import comparison
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.plans import find_plan
from eyewall_deploy.lifecycle.programs import redis_prefix
from eyewall_deploy.screen import or_fail
from eyewall_deploy.state import Mode
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from eyewall_deploy.delays.comparison import Pair, Summary
    from eyewall_deploy.delays.registry import LatencyRecords
    from eyewall_deploy.lifecycle.programs import Plan


def delays(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="For programs; in seconds.")] = False,
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="Which cluster, where several are up.")
    ] = None,
    run_dir: Annotated[
        Path | None, typer.Option("--run-dir", help="The cluster's run dir, if not the default.")
    ] = None,
) -> None:
    """Show the delay of each pair of hosts, one way: the true one, and what the agents found."""
    plan = or_fail(find_plan(cluster, run_dir))
    found = or_fail(_registry(plan))
    pairs = comparison.compare(delay_file.read(plan.run.delays), found)
    summary = comparison.summarise(pairs)
    if as_json:
        content = {
            "pairs": [asdict(pair) for pair in pairs],
            "summary": asdict(summary),
            "unreadable": found.unreadable,
        }
        sys.stdout.write(json.dumps(content, indent=1) + "\n")
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(_table(pairs))
    console.print(Text(_in_words(summary)))
    if found.unreadable:
        console.print(Text(f"{found.unreadable} values in Redis are no records", style="yellow"))


def _registry(plan: Plan) -> LatencyRecords | Failure:
    if plan.state.mode is Mode.LOOPBACK:
        return Failure("delays are not emulated on this cluster: its hosts share the loopback")
    if not plan.state.latency:
        return Failure("nothing measures delays on this cluster: it was brought up without agents")
    from eyewall_deploy.delays import registry  # slow to import, for Redis's client

    hosts = [host.name for host in plan.cluster.hosts]
    return registry.read(plan.state.redis, redis_prefix(plan.state), hosts)


def _table(pairs: tuple[Pair, ...]) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    table.add_column("host", no_wrap=True)
    table.add_column("host", no_wrap=True)
    for column in (
        "true\nms",
        "found\nms",
        "off by",
        "coordi-\nnates ms",
        "off by",
        "age\ns",
        "confi-\ndence",
    ):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("by", no_wrap=True)
    for pair in pairs:
        table.add_row(
            pair.a,
            pair.b,
            _ms(pair.true),
            _ms(pair.found),
            _percent(pair.error),
            _ms(pair.coordinates),
            _percent(pair.coordinates_error),
            "–" if pair.age is None else f"{pair.age:.1f}",
            f"{pair.confidence:.2f}",
            pair.kind,
        )
    return table


def _in_words(it: Summary) -> str:
    absolute = "–" if it.median_error_ms is None else f"{it.median_error_ms:.2f} ms"
    oldest = "–" if it.oldest is None else f"{it.oldest:.1f} s"
    return (
        f"{it.pairs} pairs: {it.measured} measured, {it.estimated} estimated, "
        f"{it.unknown} unknown; error median {_percent(it.median_error)} ({absolute}), "
        f"p90 {_percent(it.p90_error)}, largest {_percent(it.largest_error)}; "
        f"coordinates alone: median {_percent(it.coordinates_median_error)}, "
        f"p90 {_percent(it.coordinates_p90_error)}; oldest {oldest}, "
        f"least confidence {it.least_confidence:.2f}"
    )


def _ms(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1000:.2f}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
