"""Commands that change a running cluster."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_deploy.command_options import ClusterOption, RunDirOption, running_cluster
from eyewall_deploy.console import OUT, or_fail, show_progress
from eyewall_deploy.lifecycle import changes
from eyewall_deploy.state import SchedulerChoice  # noqa: TC001 - typer reads it

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.failure import Failure
    from eyewall_deploy.progress import CommandProgress

app = typer.Typer()


class OnOff(StrEnum):
    """Whether something happens."""

    ON = "on"
    OFF = "off"


@app.command()
def start(program: str, *, cluster: ClusterOption = None, run_dir: RunDirOption = None) -> None:
    """Start one program and wait until it is ready."""
    _change_program(changes.start, program, "is ready", cluster, run_dir)


@app.command()
def stop(program: str, *, cluster: ClusterOption = None, run_dir: RunDirOption = None) -> None:
    """Stop one program; a supervisor's workers go on, as everywhere in Storm."""
    _change_program(changes.stop, program, "has ended", cluster, run_dir)


@app.command()
def restart(program: str, *, cluster: ClusterOption = None, run_dir: RunDirOption = None) -> None:
    """Stop one program, start it again and wait until it is ready."""
    _change_program(changes.restart, program, "is ready", cluster, run_dir)


@app.command()
def scheduler(
    name: Annotated[SchedulerChoice, typer.Argument(help="Who places executors from now on.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Give Nimbus another scheduler; restarts Nimbus while workers go on."""
    deployment = running_cluster(cluster, run_dir)
    with show_progress() as progress:
        or_fail(changes.change_scheduler(deployment, name, progress))
        progress.log(f"Nimbus is back, with the scheduler {name}")


@app.command()
def delay(
    a: Annotated[str, typer.Argument(help="A host or a site.")],
    b: Annotated[str, typer.Argument(help="Another; a site twice is within the site.")],
    one_way: Annotated[str, typer.Argument(help="Such as 80ms.")],
    *,
    one_direction: Annotated[
        bool, typer.Option("--one-direction", help="From A to B only.")
    ] = False,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change the one-way delay between two hosts or sites."""
    deployment = running_cluster(cluster, run_dir)
    seconds = or_fail(changes.parse_delay(one_way))
    both = not one_direction
    or_fail(changes.change_delay(deployment, a, b, seconds, both_directions=both))
    OUT.print(f"{a} {'↔' if both else '→'} {b}: {seconds * 1000:g} ms one way")


@app.command()
def cpu(
    host: Annotated[str, typer.Argument(help="A host.")],
    cores: Annotated[float, typer.Argument(help="Of this machine, such as 0.2.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change how much CPU a host has: make it slow, or fast again."""
    change = or_fail(changes.change_cpu(running_cluster(cluster, run_dir), host, cores))
    OUT.print(f"{host}: {change.after:g} cores (before: {change.before:g})")


@app.command()
def link(
    a: Annotated[str, typer.Argument(help="A host.")],
    b: Annotated[str, typer.Argument(help="Another, with a dedicated link to it.")],
    mbit: Annotated[float, typer.Argument(help="Mbit/s each way, such as 2.5.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change what a dedicated link carries."""
    or_fail(changes.change_bandwidth(running_cluster(cluster, run_dir), a, b, mbit))
    OUT.print(f"{a} ↔ {b}: {mbit:g} Mbit/s each way")


@app.command()
def public(
    log2_deviation: Annotated[
        float, typer.Argument(help="σ of log₂(transient rate / mean); 0 is steady.")
    ],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change how much the public network varies."""
    or_fail(changes.change_deviation(running_cluster(cluster, run_dir), log2_deviation))
    OUT.print(f"public network: log₂-deviation {log2_deviation:g}")


@app.command()
def reallocation(
    switch: Annotated[OnOff, typer.Argument(help="off puts all on the public network.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Let connections move between the two kinds of links, or not."""
    deployment = running_cluster(cluster, run_dir)
    change = changes.start_reallocation if switch is OnOff.ON else changes.stop_reallocation
    with show_progress() as progress:
        or_fail(change(deployment, progress))
        progress.log(f"re-allocation of links is {switch}")


def _change_program(
    change: Callable[[Deployment, str, CommandProgress], Failure | None],
    program: str,
    result: str,
    cluster: str | None,
    run_dir: Path | None,
) -> None:
    deployment = running_cluster(cluster, run_dir)
    with show_progress() as progress:
        or_fail(change(deployment, program, progress))
        progress.log(f"{program} {result}")
