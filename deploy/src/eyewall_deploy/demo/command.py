"""`eyewall-deploy demo`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from eyewall_deploy.demo.play import Wish, perform
from eyewall_deploy.lifecycle.found import DEFAULT_CLUSTER
from eyewall_deploy.screen import ScreenSteps


def demo(
    *,
    cluster: Annotated[
        str, typer.Option("--cluster", "-c", help="A cluster file, or a shipped one's name.")
    ] = DEFAULT_CLUSTER,
    seconds: Annotated[
        float, typer.Option(min=5, help="How long each placement is measured.")
    ] = 30.0,
    repetitions: Annotated[
        int, typer.Option(min=1, help="How often all schedulers have their turn.")
    ] = 1,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help="More for the topology."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
    storm_home: Annotated[
        Path | None, typer.Option(help="A full Storm distribution: Storm UI runs too.")
    ] = None,
    project: Annotated[
        Path | None, typer.Option(help="The streamparse project; ./topologies if not given.")
    ] = None,
    run_dir: Annotated[Path | None, typer.Option(help="The cluster's run dir.")] = None,
) -> None:
    """Measure Tag-and-Count under Storm's schedulers and Eyewall, then raise a delay."""
    out = Console(highlight=False)
    steps = ScreenSteps(out)
    wish = Wish(
        cluster, run_dir, storm_home, project, seconds, repetitions, tuple(option or ()), json_file
    )
    try:
        failure = perform(wish, out, steps)
    except KeyboardInterrupt:
        out.print("interrupted; what the demo had brought up has ended")
        raise typer.Exit(130) from None
    finally:
        steps.finish()
    if failure is not None:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            Text(failure.reason, style="red")
        )
        raise typer.Exit(1)
