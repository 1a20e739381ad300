"""Commands for a running cluster with two kinds of links."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from eyewall_deploy.lifecycle import link_changes
from eyewall_deploy.lifecycle.plans import find_plan
from eyewall_deploy.screen import ScreenSteps, or_fail

_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False, soft_wrap=True)

ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", "-c", help="Which cluster, where several are up.", metavar="NAME"),
]
RunDirOption = Annotated[
    Path | None, typer.Option("--run-dir", help="The cluster's run dir, if not the default.")
]


class Switch(StrEnum):
    """Whether something happens."""

    ON = "on"
    OFF = "off"


def link(
    a: Annotated[str, typer.Argument(help="A host.")],
    b: Annotated[str, typer.Argument(help="Another, with a dedicated link to it.")],
    mbit: Annotated[float, typer.Argument(help="Mbit/s each way, such as 2.5.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change what a dedicated link of the running cluster carries."""
    or_fail(link_changes.change_bandwidth(or_fail(find_plan(cluster, run_dir)), a, b, mbit))
    _out.print(f"{a} ↔ {b}: {mbit:g} Mbit/s each way")


def public(
    log2_deviation: Annotated[
        float, typer.Argument(help="σ of log₂(transient rate / mean); 0 is steady.")
    ],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change how much the public network of the running cluster varies."""
    or_fail(link_changes.change_deviation(or_fail(find_plan(cluster, run_dir)), log2_deviation))
    _out.print(f"public network: log₂-deviation {log2_deviation:g}")


def reallocation(
    switch: Annotated[Switch, typer.Argument(help="off puts all on the public network.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Let connections be moved between the two kinds of links, or not."""
    plan = or_fail(find_plan(cluster, run_dir))
    steps = ScreenSteps(_err)
    change = (
        link_changes.begin_reallocation if switch is Switch.ON else link_changes.end_reallocation
    )
    try:
        or_fail(change(plan, steps))
        steps.done(f"re-allocation of links is {switch}")
    finally:
        steps.finish()
