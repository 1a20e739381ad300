"""The demo from its first to its last step."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from eyewall_deploy.demo.acts import ORDER, compare, events_folder, raise_a_delay
from eyewall_deploy.demo.records import Reassignment, Run, medians, plain
from eyewall_deploy.demo.report import show_beforehand, show_comparison, show_reassignment
from eyewall_deploy.demo.scenario import scenario_for
from eyewall_deploy.demo.stage import Stage
from eyewall_deploy.demo.timeline import timeline
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.found import find_run
from eyewall_deploy.lifecycle.options import UpOptions
from eyewall_deploy.lifecycle.plans import read_plan
from eyewall_deploy.lifecycle.preparation import find_jar
from eyewall_deploy.lifecycle.programs import sidecar_command
from eyewall_deploy.lifecycle.up import up
from eyewall_deploy.state import Mode, Scheduler
from eyewall_deploy.storm.nimbus import NimbusUnreachableError
from eyewall_deploy.submit import DEFAULT_PROJECT, find_project
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from rich.console import Console

    from eyewall_deploy.demo.timeline import Timeline
    from eyewall_deploy.lifecycle.lease import Lease
    from eyewall_deploy.lifecycle.programs import Plan
    from eyewall_deploy.lifecycle.steps import Steps


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of the demo; None is the default, as on the command line."""

    cluster: str
    run_dir: Path | None
    storm_home: Path | None
    project: Path | None
    seconds: float
    repetitions: int
    options: tuple[str, ...]
    json_file: Path | None


@dataclass(frozen=True, slots=True)
class _Cluster:
    """The cluster and, if the demo brought it up, the hold on it."""

    plan: Plan
    lease: Lease | None

    def end(self) -> None:
        if self.lease is not None:
            self.lease.end()

    def leave_running(self) -> None:
        if self.lease is not None:
            self.lease.detach()


def perform(wish: Wish, out: Console, steps: Steps) -> Failure | None:
    """Play the whole demo; unless it ends well, nothing that it started goes on."""
    began = time.monotonic()
    lacking = _lacking(wish)
    if lacking is not None:
        return lacking
    cluster = _reach(wish, steps)
    if isinstance(cluster, Failure):
        return cluster
    try:
        failure = _play(cluster.plan, wish, out, steps)
    except NimbusUnreachableError as error:
        failure = Failure(str(error))
    except BaseException:
        steps.doing("ending what has been started")
        cluster.end()
        raise
    if failure is not None:
        steps.doing("ending what has been started")
        cluster.end()
        return failure
    cluster.leave_running()
    _say_how_to_look_on(out, cluster.plan, time.monotonic() - began)
    return None


def _lacking(wish: Wish) -> Failure | None:
    found = find_project(wish.project or DEFAULT_PROJECT)
    if isinstance(found, Failure):
        return found
    if wish.json_file is not None and not wish.json_file.absolute().parent.is_dir():
        return Failure(f"--json {wish.json_file}: there is no folder {wish.json_file.parent}")
    if find_jar(None) is None:
        return Failure("the scheduler's jar is missing: `mvn package` in storm-scheduler makes it")
    if sidecar_command() is None:
        return Failure("no command `eyewall`: install eyewall-sidecar")
    return None


def _reach(wish: Wish, steps: Steps) -> _Cluster | Failure:
    """Bring the cluster up, or take the one that is up with its delays set back."""
    run = find_run(wish.cluster, wish.run_dir)
    if isinstance(run, Failure):
        return run
    if run.keeper() is None:
        asked = UpOptions(wish.cluster, wish.run_dir, Scheduler.DEFAULT, wish.storm_home)
        brought = up(asked, steps)
        if isinstance(brought, Failure):
            return brought
        return _Cluster(brought.plan, brought.lease)
    plan = read_plan(run)
    if isinstance(plan, Failure):
        return plan
    delay_file.write(run.delays, delay_file.delay_table(plan.cluster, as_of=time.time()))
    steps.done(f"{plan.cluster.name} is up already; its delays are those of its file again")
    return _Cluster(plan, None)


def _play(plan: Plan, wish: Wish, out: Console, steps: Steps) -> Failure | None:
    scenario = scenario_for(plan.cluster, wish.seconds, wish.repetitions, wish.options)
    if isinstance(scenario, Failure):
        return scenario
    stage = Stage(plan, scenario, steps, wish.project)
    others = stage.others()
    if others:
        kills = ", ".join(f"`eyewall-deploy kill {name}`" for name in others)
        return Failure(f"{', '.join(others)} would be measured along with it; end it: {kills}")
    if stage.folder.exists():
        stage.folder.rename(stage.folder.with_name(f"demo-until-{int(time.time())}"))
    stage.folder.mkdir(parents=True)
    show_beforehand(out, stage.plan.cluster, stage.scenario)
    runs: list[Run] = []
    for repetition in range(1, stage.scenario.repetitions + 1):
        if stage.scenario.repetitions > 1:
            stage.steps.done(f"repetition {repetition} of {stage.scenario.repetitions}")
        more = compare(stage, repetition)
        if isinstance(more, Failure):
            return more
        runs += more
        turned = read_plan(stage.plan.run)
        if isinstance(turned, Failure):
            return turned
        stage = stage.on(turned)
    show_comparison(out, runs, emulated=stage.plan.state.mode is Mode.NAMESPACES)
    _write(wish.json_file, stage, runs, None)
    if stage.plan.state.mode is Mode.LOOPBACK:
        out.print(Text("delays are not emulated here, so there is none to raise", style="yellow"))
        return None
    change = raise_a_delay(stage, runs[-1], stage.scenario.repetitions)
    if isinstance(change, Failure):
        return change
    show_reassignment(out, change)
    _write(wish.json_file, stage, runs, change)
    return None


def _write(
    json_file: Path | None, stage: Stage, runs: list[Run], change: Reassignment | None
) -> None:
    if json_file is None:
        return
    content: dict[str, Any] = {
        "version": 1,
        "unit": "s",
        "cluster": stage.plan.cluster.name,
        "mode": str(stage.plan.state.mode),
        "network": str(stage.plan.state.network),
        "cores": os.cpu_count(),
        "scenario": plain(stage.scenario),
        "runs": plain(runs),
        "medians": plain(medians(runs)),
        "reassignment": plain(change),
        "timelines": plain([_last_turn(stage, scheduler) for scheduler in ORDER]),
    }
    json_file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _last_turn(stage: Stage, scheduler: Scheduler) -> Timeline:
    folder = events_folder(stage, scheduler, stage.scenario.repetitions)
    return timeline(str(scheduler), stage.events(folder))


def _say_how_to_look_on(out: Console, plan: Plan, seconds: float) -> None:
    out.print(Text(f"\n{seconds / 60:.1f} minutes. The cluster goes on running:"))
    out.print(f"  {_command()} status        who runs where, and why")
    if plan.state.mode is Mode.NAMESPACES:
        out.print(f"  {_command()} delay A B 80ms  change a delay yourself")
    if plan.state.ui is not None:
        out.print(f"  http://{plan.state.ui}        Storm UI")
    if plan.state.dashboard is not None:
        out.print(f"  http://{plan.state.dashboard}        who runs where, why, and what could be")
    out.print("  make demo-down               ends it")


def _command() -> str:
    """The command as it was called, since a virtual environment's is seldom on PATH."""
    called = Path(sys.argv[0])
    return str(called) if called.is_absolute() or len(called.parts) > 1 else called.name
