"""What `eyewall-deploy trial` does: schedulers compared on one cluster under a given load."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eyewall_deploy.console import OUT, fail, or_fail, show_progress
from eyewall_deploy.deployment import find_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.forecast_picture import draw_forecasts
from eyewall_deploy.trial.forecast_points import compare_forecasts, compare_rates
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
from eyewall_deploy.trial.trial_checks import find_impossible_rate, find_no_room
from eyewall_deploy.trial.trial_run import run_trial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial_command import TrialOptions

_FORECASTS, _AGAINST = "forecasts.svg", "forecast against measured"


def compare_schedulers(file: str, options: TrialOptions) -> None:
    """Run a trial, or go on with it, and show what came of it."""
    try:
        chosen = trial_file.restrict(
            trial_file.load(
                file, os.cpu_count() or 1, cluster=options.cluster, share=options.cores
            ),
            seconds=options.seconds,
            repetitions=options.repetitions,
            schedulers=options.schedulers,
            loads=options.loads,
            one_start=options.one_start,
        )
    except trial_file.TrialFileError as error:
        fail(str(error))
    if options.p99_limit is not None and not options.sustainable:
        fail(f"--p99-limit {1000 * options.p99_limit:g}: only with --sustainable")
    if options.sustainable and chosen.rate.is_unlimited:
        fail(f"--sustainable: the rate of {file} is max; allowed is a rate from which to search")
    fixed = [it.name for it in chosen.topologies if it.shape is None]
    if options.sustainable and fixed:
        fail(f"--sustainable: topology {fixed[0]}: its rate cannot be changed; allowed are shapes")
    planned = [it.label for it in chosen.schedulers if it.plan_every is not None]
    if options.sustainable and planned:
        fail(f"--sustainable: scheduler {planned[0]}: plan_every is for runs of a given rate")
    if not options.sustainable and (impossible := find_impossible_rate(chosen)) is not None:
        fail(f"{file}: {impossible}")
    if (no_room := find_no_room(chosen)) is not None:
        fail(f"{file}: {no_room}")
    folder = options.output or Path(f"trial-{chosen.name}")
    try:
        with show_progress() as progress:
            session = TrialSession(chosen, folder, options.run_dir, progress, options.keep)
            if options.sustainable:
                content = _search(session, options, as_json=options.as_json)
            else:
                content = _compare(session, as_json=options.as_json)
    except KeyboardInterrupt:
        OUT.print("interrupted; the same command goes on after the runs that are finished")
        raise typer.Exit(130) from None
    if options.as_json:
        sys.stdout.write(content)
    elif options.keep:
        _show_kept(chosen.cluster_name, options.run_dir)


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
    scatter = session.output / _FORECASTS
    forecasts_drawn = draw_forecasts(points, scatter)
    if not as_json:
        show_table(OUT, trial, found)
        OUT.print(f"all figures: {file}")
        OUT.print(f"picture: {picture}" if drawn else "no picture: matplotlib is not installed")
        if forecasts_drawn:
            OUT.print(f"{_AGAINST}: {scatter}")
    return content


def _search(session: TrialSession, options: TrialOptions, *, as_json: bool) -> str:
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

    planned = plan_searches(trial, options.resolution, options.p99_limit)
    found = or_fail(session.collect(planned, SustainableRate, search))
    file = session.output / "sustainable.json"
    content = json.dumps(sustainable_results(trial, found), indent=1) + "\n"
    file.write_text(content, encoding="utf-8")
    scatter = session.output / _FORECASTS
    drawn = draw_forecasts(list(compare_rates(found)), scatter)
    if not as_json:
        show_sustainable(OUT, trial, found)
        OUT.print(f"all figures: {file}")
        if drawn:
            OUT.print(f"{_AGAINST}: {scatter}")
    return content


def _show_kept(cluster: str, run_dir: Path | None) -> None:
    """Show how to go on with the cluster; nothing if none is up, as where nothing had to run."""
    deployment = find_deployment(cluster, run_dir)
    if not isinstance(deployment, Failure):
        show_next_commands(OUT, deployment, sys.argv[0], run_dir)
