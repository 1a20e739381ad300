"""`eyewall-deploy trial`: schedulers compared on one cluster under a given load."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_deploy.command_options import JsonOption  # noqa: TC001 - typer reads it
from eyewall_deploy.console import OUT, fail, or_fail, show_progress
from eyewall_deploy.deployment import find_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.forecast_picture import draw_forecasts
from eyewall_deploy.trial.forecasts import compare_forecasts
from eyewall_deploy.trial.picture import draw_trial
from eyewall_deploy.trial.plan import plan_runs, plan_searches
from eyewall_deploy.trial.records import SustainableRate, TrialRun
from eyewall_deploy.trial.report import (
    describe_run,
    results,
    show_next_commands,
    show_sustainable,
    show_table,
    sustainable_results,
)
from eyewall_deploy.trial.session import TrialSession, repeat_calmly
from eyewall_deploy.trial.sustainable import describe_search, search_rate
from eyewall_deploy.trial.trial_checks import find_impossible_rate
from eyewall_deploy.trial.trial_run import run_trial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.trial.plan import PlannedRun


def trial(
    file: Annotated[
        str, typer.Argument(help=f"A file, or one of {', '.join(trial_file.shipped_trials())}.")
    ],
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
    try:
        chosen = trial_file.restrict(
            trial_file.load(file, os.cpu_count() or 1, cluster=cluster, share=cores),
            seconds=seconds,
            repetitions=repetitions,
            schedulers=scheduler or (),
            loads=load or (),
            one_start=one_start,
        )
    except trial_file.TrialFileError as error:
        fail(str(error))
    if sustainable and chosen.rate.is_unlimited:
        fail(f"--sustainable: the rate of {file} is max; allowed is a rate from which to search")
    fixed = [it.name for it in chosen.topologies if it.shape is None]
    if sustainable and fixed:
        fail(f"--sustainable: topology {fixed[0]}: its rate cannot be changed; allowed are shapes")
    if not sustainable and (impossible := find_impossible_rate(chosen)) is not None:
        fail(f"{file}: {impossible}")
    folder = output or Path(f"trial-{chosen.name}")
    try:
        with show_progress() as progress:
            session = TrialSession(chosen, folder, run_dir, progress, keep)
            if sustainable:
                content = _search(session, resolution / 100, as_json=as_json)
            else:
                content = _compare(session, as_json=as_json)
    except KeyboardInterrupt:
        OUT.print("interrupted; the same command goes on after the runs that are finished")
        raise typer.Exit(130) from None
    if as_json:
        sys.stdout.write(content)
    elif keep:
        _show_kept(chosen.cluster_name, run_dir)


def _compare(session: TrialSession, *, as_json: bool) -> str:
    """Run everything, write results and picture, show the table; return the results as JSON."""
    trial = session.trial

    def run(
        cluster: MeasuredCluster, runs: Sequence[PlannedRun], folder: Path
    ) -> list[TrialRun] | Failure:
        made = run_trial(cluster, trial, runs, folder)
        if not isinstance(made, Failure):
            for planned, result in zip(runs, made, strict=True):
                session.progress.log(f"{planned.description}: {describe_run(result)}")
        return made

    found = or_fail(session.collect(plan_runs(trial), TrialRun, repeat_calmly(run)))
    file, picture = session.output / "results.json", session.output / "picture.svg"
    content = json.dumps(results(trial, found), indent=1) + "\n"
    file.write_text(content, encoding="utf-8")
    drawn = draw_trial(trial, found, picture)
    points = list(compare_forecasts(found, trial.host_cores()))
    scatter = session.output / "forecasts.svg"
    forecasts_drawn = draw_forecasts(points, scatter)
    if not as_json:
        show_table(OUT, trial, found)
        OUT.print(f"all figures: {file}")
        OUT.print(f"picture: {picture}" if drawn else "no picture: matplotlib is not installed")
        if forecasts_drawn:
            OUT.print(f"forecast against measured: {scatter}")
    return content


def _search(session: TrialSession, resolution: float, *, as_json: bool) -> str:
    """Find the sustainable rates, write and show them; return the results as JSON."""
    trial = session.trial

    def search(
        cluster: MeasuredCluster, runs: Sequence[PlannedRun], folder: Path
    ) -> list[SustainableRate] | Failure:
        (planned,) = runs
        result = search_rate(cluster, trial, planned, folder)
        if isinstance(result, Failure):
            return result
        session.progress.log(f"{planned.description}: {describe_search(result)}")
        return [result]

    found = or_fail(session.collect(plan_searches(trial, resolution), SustainableRate, search))
    file = session.output / "sustainable.json"
    content = json.dumps(sustainable_results(trial, found), indent=1) + "\n"
    file.write_text(content, encoding="utf-8")
    if not as_json:
        show_sustainable(OUT, trial, found)
        OUT.print(f"all figures: {file}")
    return content


def _show_kept(cluster: str, run_dir: Path | None) -> None:
    """Show how to go on with the cluster; nothing if none is up, as where nothing had to run."""
    deployment = find_deployment(cluster, run_dir)
    if not isinstance(deployment, Failure):
        show_next_commands(OUT, deployment, sys.argv[0], run_dir)
