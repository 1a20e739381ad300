"""`eyewall-deploy delays`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from eyewall_deploy.command_options import (
    ClusterOption,
    JsonOption,
    RunDirOption,
    running_cluster,
)
from eyewall_deploy.console import OUT, or_fail
from eyewall_deploy.delays import comparison
from eyewall_deploy.failure import Failure
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from eyewall_deploy.delays.comparison import DelayComparison, DelaySummary
    from eyewall_deploy.delays.registry import LatencyRecords
    from eyewall_deploy.deployment import Deployment

_COLUMNS = (
    "true\nms",
    "found\nms",
    "off by",
    "coordi-\nnates ms",
    "off by",
    "age\ns",
    "confi-\ndence",
)


def delays(
    *, as_json: JsonOption = False, cluster: ClusterOption = None, run_dir: RunDirOption = None
) -> None:
    """Show the one-way delay of each pair of hosts: the true one, and what the agents found."""
    deployment = running_cluster(cluster, run_dir)
    found = or_fail(_read_registry(deployment))
    pairs = comparison.compare(delay_file.read(deployment.run.delays), found)
    summary = comparison.summarise(pairs)
    if as_json:
        content = {
            "pairs": [asdict(pair) for pair in pairs],
            "summary": asdict(summary),
            "unreadable": found.unreadable,
        }
        sys.stdout.write(json.dumps(content, indent=1) + "\n")
        return
    OUT.print(_table(pairs))
    OUT.print(Text(_describe(summary)))
    if found.unreadable:
        OUT.print(Text(f"{found.unreadable} values in Redis are not records", style="yellow"))


def _read_registry(deployment: Deployment) -> LatencyRecords | Failure:
    if deployment.on_loopback:
        return Failure("delays are not emulated on this cluster: its hosts share the loopback")
    if not deployment.state.latency:
        return Failure("nothing measures delays on this cluster: it was brought up without agents")
    from eyewall_deploy.delays import registry  # slow to import, because of Redis's client

    hosts = deployment.cluster.host_names
    return registry.read(deployment.state.redis, deployment.redis_prefix, hosts)


def _table(pairs: tuple[DelayComparison, ...]) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    for column in ("host", "host"):
        table.add_column(column, no_wrap=True)
    for column in _COLUMNS:
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


def _describe(it: DelaySummary) -> str:
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
