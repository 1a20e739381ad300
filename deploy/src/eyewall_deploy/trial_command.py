"""`eyewall-deploy trial`: schedulers compared on one cluster under a given load."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_deploy.command_options import JsonOption  # noqa: TC001 - typer reads it
from eyewall_deploy.trial.shipped import shipped_trials

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """What a person asks of a trial; None and empty: as its file has it."""

    output: Path | None = None
    seconds: float | None = None
    repetitions: int | None = None
    schedulers: Sequence[str] = ()
    loads: Sequence[float] = ()
    one_start: bool = False
    cluster: str | None = None
    cores: float | None = None
    sustainable: bool = False
    resolution: float = 0.1
    """Part by which the largest rate may be missed."""
    p99_limit: float | None = None
    """Seconds."""
    keep: bool = False
    as_json: bool = False
    run_dir: Path | None = None


def trial(
    file: Annotated[str, typer.Argument(help=f"A file, or one of {', '.join(shipped_trials())}.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option(help="Folder of the results; finished runs in it are not repeated."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=5, help="In place of the file's.")] = None,
    repetitions: Annotated[int | None, typer.Option(min=1, help="In place of the file's.")] = None,
    scheduler: Annotated[
        list[str] | None, typer.Option(help="Only this one of the file's; may be repeated.")
    ] = None,
    load: Annotated[
        list[float] | None, typer.Option(help="In place of the file's loads; may be repeated.")
    ] = None,
    one_start: Annotated[
        bool,
        typer.Option(
            "--one-start",
            help="Measure all loads one after another, from one start for each scheduler and "
            "repetition.",
        ),
    ] = False,
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="In place of the file's.")
    ] = None,
    cores: Annotated[
        float | None, typer.Option(min=0.01, help="Of this machine, for all hosts together.")
    ] = None,
    sustainable: Annotated[
        bool,
        typer.Option("--sustainable", help="Find the largest rate of each scheduler instead."),
    ] = False,
    resolution: Annotated[
        float, typer.Option(min=1, max=50, help="Of --sustainable, in percent.")
    ] = 10.0,
    p99_limit: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="Of --sustainable, in milliseconds, for every scheduler; without it, twice the "
            "scheduler's own p99 at half of the rate.",
        ),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Leave the cluster up with the last run's topologies; brought up by this command, "
            "it has the dashboard.",
        ),
    ] = False,
    as_json: JsonOption = False,
    run_dir: Annotated[Path | None, typer.Option(help="The cluster's run dir.")] = None,
) -> None:
    """Compare schedulers on one cluster under a given load, second by second."""
    # Only here: it takes 0.3 s to load, which every other command would take longer.
    from eyewall_deploy.trial.command import compare_schedulers

    options = TrialOptions(
        output=output,
        seconds=seconds,
        repetitions=repetitions,
        schedulers=scheduler or (),
        loads=load or (),
        one_start=one_start,
        cluster=cluster,
        cores=cores,
        sustainable=sustainable,
        resolution=resolution / 100,
        p99_limit=None if p99_limit is None else p99_limit / 1000,
        keep=keep,
        as_json=as_json,
        run_dir=run_dir,
    )
    compare_schedulers(file, options)
