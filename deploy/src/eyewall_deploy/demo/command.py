"""`eyewall-deploy demo`: Storm's schedulers and Eyewall on one cluster, measured in one run."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from eyewall_deploy import state_file
from eyewall_deploy.cluster_file import DEFAULT_CLUSTER
from eyewall_deploy.command_options import ProjectOption  # noqa: TC001 - typer reads it
from eyewall_deploy.console import or_fail, show_progress
from eyewall_deploy.demo import report
from eyewall_deploy.demo.demo_cluster import DemoCluster
from eyewall_deploy.demo.experiment import ORDER, events_folder, measure_schedulers, raise_delay
from eyewall_deploy.demo.records import medians, timeline, to_json
from eyewall_deploy.demo.scenario import make_scenario
from eyewall_deploy.deployment import find_run, read_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.preparation import UpOptions, find_jar
from eyewall_deploy.lifecycle.programs import sidecar_command
from eyewall_deploy.lifecycle.up import up
from eyewall_deploy.measure.tuple_events import read_events
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.storm.nimbus import NimbusUnreachableError
from eyewall_deploy.submit import DEFAULT_PROJECT, find_project
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from eyewall_deploy.demo.records import DelayRise, SchedulerRun
    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.lifecycle.lease import Lease
    from eyewall_deploy.progress import CommandProgress


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """The options of the demo; None is the default, as on the command line."""

    cluster: str
    run_dir: Path | None
    storm_home: Path | None
    project: Path | None
    seconds: float
    repetitions: int
    options: tuple[str, ...]
    json_file: Path | None


def demo(
    *,
    cluster: Annotated[
        str, typer.Option("--cluster", "-c", help="A cluster file, or a shipped one's name.")
    ] = DEFAULT_CLUSTER,
    seconds: Annotated[
        float, typer.Option(min=5, help="How long each placement is measured.")
    ] = 30.0,
    repetitions: Annotated[int, typer.Option(min=1, help="How often each scheduler runs.")] = 1,
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
    project: ProjectOption = None,
    run_dir: Annotated[Path | None, typer.Option(help="The cluster's run dir.")] = None,
) -> None:
    """Measure Tag-and-Count under Storm's schedulers and Eyewall, then raise a delay."""
    out = Console(highlight=False)
    options = DemoOptions(
        cluster, run_dir, storm_home, project, seconds, repetitions, tuple(option or ()), json_file
    )
    try:
        with show_progress(out) as progress:
            failure = run_demo(options, out, progress)
    except KeyboardInterrupt:
        out.print("interrupted; everything that the demo started has ended")
        raise typer.Exit(130) from None
    or_fail(failure)


def run_demo(options: DemoOptions, out: Console, progress: CommandProgress) -> Failure | None:
    """Run the demo; unless it ends well, nothing that it started keeps running."""
    began = time.monotonic()
    failure = _find_obstacle(options)
    if failure is not None:
        return failure
    reached = _reach_cluster(options, progress)
    if isinstance(reached, Failure):
        return reached
    deployment, lease = reached
    try:
        try:
            failure = _run_experiments(deployment, options, out, progress)
        except NimbusUnreachableError as error:
            failure = Failure(str(error))
    except BaseException:
        _end(lease, progress)
        raise
    if failure is not None:
        _end(lease, progress)
        return failure
    if lease is not None:
        lease.detach()
    report.show_next_commands(out, deployment, time.monotonic() - began, sys.argv[0])
    return None


def _find_obstacle(options: DemoOptions) -> Failure | None:
    project = find_project(options.project or DEFAULT_PROJECT)
    if isinstance(project, Failure):
        return project
    json_file = options.json_file
    if json_file is not None and not json_file.absolute().parent.is_dir():
        return Failure(f"--json {json_file}: there is no folder {json_file.parent}")
    if find_jar(None) is None:
        return Failure("the scheduler's jar is missing: `mvn package` in storm-scheduler makes it")
    if sidecar_command() is None:
        return Failure("no command `eyewall`: install eyewall-sidecar")
    return None


def _reach_cluster(
    options: DemoOptions, progress: CommandProgress
) -> tuple[Deployment, Lease | None] | Failure:
    """Bring the cluster up, or use the one that is up with the delays of its file."""
    run = find_run(options.cluster, options.run_dir)
    if isinstance(run, Failure):
        return run
    if run.keeper() is None:
        started = up(
            UpOptions(
                options.cluster, options.run_dir, SchedulerChoice.DEFAULT, options.storm_home
            ),
            progress,
        )
        return started if isinstance(started, Failure) else (started.deployment, started.lease)
    deployment = read_deployment(run)
    if isinstance(deployment, Failure):
        return deployment
    declared = delay_file.declared_delays(deployment.cluster, as_of=time.time())
    state_file.write(run.delays, declared)
    progress.log(f"{deployment.cluster.name} is up already; its delays are reset to its file's")
    return deployment, None


def _end(lease: Lease | None, progress: CommandProgress) -> None:
    if lease is not None:
        progress.show("ending everything that was started")
        lease.end()


def _run_experiments(
    deployment: Deployment, options: DemoOptions, out: Console, progress: CommandProgress
) -> Failure | None:
    scenario = make_scenario(
        deployment.cluster, options.seconds, options.repetitions, options.options
    )
    if isinstance(scenario, Failure):
        return scenario
    cluster = DemoCluster(deployment, progress, scenario, options.project)
    others = cluster.other_topologies()
    if others:
        kills = ", ".join(f"`eyewall-deploy kill {name}`" for name in others)
        return Failure(f"{', '.join(others)} would disturb the measurement; end it: {kills}")
    if cluster.folder.exists():
        cluster.folder.rename(cluster.folder.with_name(f"demo-until-{int(time.time())}"))
    cluster.folder.mkdir(parents=True)
    report.show_setup(out, deployment.cluster, scenario)
    runs: list[SchedulerRun] = []
    for repetition in range(1, scenario.repetitions + 1):
        if scenario.repetitions > 1:
            progress.log(f"repetition {repetition} of {scenario.repetitions}")
        more = measure_schedulers(cluster, repetition)
        if isinstance(more, Failure):
            return more
        runs += more
        latest = read_deployment(deployment.run)  # it has another scheduler now
        if isinstance(latest, Failure):
            return latest
        cluster = replace(cluster, deployment=latest)
    report.show_comparison(out, runs, emulated=not deployment.on_loopback)
    _write_json(options.json_file, cluster, runs, None)
    if deployment.on_loopback:
        out.print(Text("delays are not emulated here, so none can be raised", style="yellow"))
        return None
    rise = raise_delay(cluster, runs[-1], scenario.repetitions)
    if isinstance(rise, Failure):
        return rise
    report.show_delay_rise(out, rise)
    _write_json(options.json_file, cluster, runs, rise)
    return None


def _write_json(
    json_file: Path | None, cluster: DemoCluster, runs: list[SchedulerRun], rise: DelayRise | None
) -> None:
    if json_file is None:
        return
    state, repetitions = cluster.deployment.state, cluster.scenario.repetitions
    timelines = [
        timeline(scheduler, read_events(events_folder(cluster, scheduler, repetitions)))
        for scheduler in ORDER
    ]
    content = {
        "version": 1,
        "unit": "s",
        "cluster": cluster.deployment.cluster.name,
        "mode": state.mode,
        "network": state.network or "none",
        "cores": os.cpu_count(),
        "scenario": to_json(cluster.scenario),
        "runs": to_json(runs),
        "medians": to_json(medians(runs)),
        "reassignment": to_json(rise),
        "timelines": to_json(timelines),
    }
    json_file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
