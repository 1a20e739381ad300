"""The runs of a trial, one after another on one cluster; those that are finished are kept."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from eyewall_contracts.setting_keys import POLICY

from eyewall_deploy import state_file
from eyewall_deploy.deployment import find_run, read_deployment
from eyewall_deploy.failure import Failure, name_choices
from eyewall_deploy.jar_submission import check_class
from eyewall_deploy.lifecycle.preparation import UpOptions, find_jar
from eyewall_deploy.lifecycle.programs import sidecar_command
from eyewall_deploy.lifecycle.up import up
from eyewall_deploy.measure.machine import MOST_STOLEN
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.storm.nimbus import NimbusUnreachableError
from eyewall_deploy.submit import find_project
from eyewall_deploy.trial.cluster_events import restore_cluster
from eyewall_deploy.trial.plan import finished_runs, recorded_runs, run_file
from eyewall_deploy.trial.topology_runs import topology_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from eyewall_deploy.lifecycle.lease import Lease
    from eyewall_deploy.progress import CommandProgress
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.records import SustainableRate, TrialRun
    from eyewall_deploy.trial.trial_file import Trial

_ATTEMPTS = 3
_Result = TypeVar("_Result", "TrialRun", "SustainableRate")


@dataclass(frozen=True, slots=True)
class TrialSession:
    """What all runs of one call have in common.

    Parameters
    ----------
    output
        Folder of the results.
    run_dir
        The cluster's; None is the default.
    keep
        Whether a cluster that this call brought up stays up, with the dashboard, and the topologies
        of the last run go on.
    """

    trial: Trial
    output: Path
    run_dir: Path | None
    progress: CommandProgress
    keep: bool

    def collect(
        self,
        plan: Iterable[Sequence[PlannedRun]],
        kind: type[_Result],
        execute: Callable[[MeasuredCluster, Sequence[PlannedRun], Path], list[_Result] | Failure],
    ) -> list[_Result] | Failure:
        """Return the results that the folder then has of this trial, all planned runs included.

        Parameters
        ----------
        execute
            Makes the runs of one start on a cluster that has their scheduler and no topology. The
            folder, for what topologies write, is not there yet.
        """
        starts = list(plan)
        planned = [it for runs in starts for it in runs]
        failure = _find_obstacle(self.trial)
        if failure is not None:
            return failure
        recorded = recorded_runs(self.trial, planned, self.output, kind)
        if isinstance(recorded, Failure):
            return recorded
        try:
            (self.output / "runs").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return Failure(f"--output {self.output}: {error.strerror}")
        held: _HeldCluster | None = None
        try:
            for runs in starts:
                if finished_runs(self.trial, runs, self.output, kind) is not None:
                    continue
                if held is None:
                    reached = self._reach_cluster()
                    if isinstance(reached, Failure):
                        return reached
                    held = reached
                made = self._execute(held.cluster, runs, execute)
                if isinstance(made, Failure):
                    return made
                for run, result in zip(runs, made, strict=True):
                    state_file.write(run_file(self.output, run), result)
        except NimbusUnreachableError as error:
            return Failure(str(error))
        finally:
            if held is not None:
                self._release(held)
        return recorded_runs(self.trial, planned, self.output, kind)

    def _execute(
        self,
        cluster: MeasuredCluster,
        runs: Sequence[PlannedRun],
        execute: Callable[[MeasuredCluster, Sequence[PlannedRun], Path], list[_Result] | Failure],
    ) -> list[_Result] | Failure:
        failure = cluster.end_topologies(self._topologies)
        if failure is not None:
            return failure
        latest = read_deployment(cluster.deployment.run)  # it may have another scheduler by now
        if isinstance(latest, Failure):
            return latest
        placed = MeasuredCluster(latest, self.progress).use_scheduler(
            SchedulerChoice(runs[0].scheduler.scheduler)
        )
        if isinstance(placed, Failure):
            return placed
        folder = latest.run.data("trial") / runs[0].name
        shutil.rmtree(folder, ignore_errors=True)
        return execute(placed, runs, folder)

    @property
    def _topologies(self) -> list[str]:
        return [topology.name for topology in self.trial.topologies]

    def _reach_cluster(self) -> _HeldCluster | Failure:
        """Bring the cluster up, or use the one that is up."""
        held = self._find_cluster() or self._bring_up()
        events = ", ".join(it.label for it in self.trial.events if it.is_emulated)
        if events and not isinstance(held, Failure) and held.cluster.deployment.on_loopback:
            self.progress.log(
                f"delays and hosts are not emulated here, so these do not happen: {events}"
            )
        return held

    def _bring_up(self) -> _HeldCluster | Failure:
        first = SchedulerChoice(self.trial.schedulers[0].scheduler)
        options = UpOptions(
            self.trial.cluster_name,
            self.run_dir,
            first,
            dashboard=self.keep,
            overlap=self.trial.overlaps,
            latency_algorithm=self.trial.latency_algorithm,
        )
        started = up(options, self.progress)
        if isinstance(started, Failure):
            return started
        return _HeldCluster(MeasuredCluster(started.deployment, self.progress), started.lease)

    def _find_cluster(self) -> _HeldCluster | Failure | None:
        """Return the cluster if it is up, and only this trial's topologies run on it."""
        run = find_run(self.trial.cluster_name, self.run_dir)
        if isinstance(run, Failure):
            return run
        if run.keeper() is None:
            return None
        deployment = read_deployment(run)
        if isinstance(deployment, Failure):
            return deployment
        self.progress.log(f"{deployment.cluster.name} is up already")
        cluster = MeasuredCluster(deployment, self.progress)
        algorithm = self.trial.latency_algorithm
        if algorithm is not None and deployment.state.latency_algorithm != algorithm:
            return Failure(
                f"{deployment.cluster.name} is up with another latency algorithm than the trial's "
                f"{algorithm}: `eyewall-deploy down`, and the trial brings it up itself"
            )
        others = [name for name in cluster.topologies() if name not in self._topologies]
        if others:
            kills = ", ".join(f"`eyewall-deploy kill {name}`" for name in others)
            return Failure(f"{', '.join(others)} would disturb the measurement; end it: {kills}")
        return _HeldCluster(cluster, None)

    def _release(self, held: _HeldCluster) -> None:
        """End the cluster if this call brought it up, else the topologies, unless they are kept."""
        if held.lease is not None and not self.keep:
            self.progress.show("ending the cluster")
            held.lease.end()
            return
        try:
            ended = None if self.keep else held.cluster.end_topologies(self._topologies)
        except NimbusUnreachableError as error:
            ended = Failure(str(error))
        for failure in (ended, restore_cluster(held.cluster, self.trial)):
            if failure is not None:
                self.progress.log(failure.reason)
        if held.lease is not None:
            held.lease.detach()


def repeat_calmly(
    execute: Callable[[MeasuredCluster, Sequence[PlannedRun], Path], list[TrialRun] | Failure],
) -> Callable[[MeasuredCluster, Sequence[PlannedRun], Path], list[TrialRun] | Failure]:
    """Return what runs until other guests leave the machine alone, a few times at most."""

    def run(
        cluster: MeasuredCluster, runs: Sequence[PlannedRun], folder: Path
    ) -> list[TrialRun] | Failure:
        for attempt in range(1, _ATTEMPTS + 1):
            made = execute(cluster, runs, folder)
            if isinstance(made, Failure):
                return made
            known = [
                (it.stolen, planned)
                for it, planned in zip(made, runs, strict=True)
                if it.stolen is not None
            ]
            worst = max(known, key=itemgetter(0), default=None)
            if worst is None or worst[0] <= MOST_STOLEN:
                break
            stolen, planned = worst
            again = "repeated" if attempt < _ATTEMPTS else "kept nevertheless"
            cluster.progress.log(
                f"{planned.description}: {stolen:.0%} of the machine was stolen; "
                f"{MOST_STOLEN:.0%} is the most: {again}"
            )
            if attempt < _ATTEMPTS:
                failure = cluster.end_topologies(cluster.topologies())
                if failure is not None:
                    return failure
                shutil.rmtree(folder)
        return made

    return run


@dataclass(frozen=True, slots=True)
class _HeldCluster:
    """A cluster, and the hold on it if this command brought it up."""

    cluster: MeasuredCluster
    lease: Lease | None


def _find_obstacle(trial: Trial) -> Failure | None:
    for topology in trial.topologies:
        if topology.streamparse is not None:
            project = find_project(topology_project(trial, topology))
            if isinstance(project, Failure):
                return project
        if topology.jar is not None and topology.main_class is not None:
            failure = check_class(trial.folder / topology.jar, topology.main_class)
            if failure is not None:
                return failure
    if not any(it.scheduler == SchedulerChoice.EYEWALL for it in trial.schedulers):
        return None
    if find_jar(None) is None:
        return Failure("the scheduler's jar is missing: `make setup` builds it")
    command = sidecar_command()
    if command is None:
        return Failure("no command `eyewall`: install eyewall-sidecar")
    return _find_unknown_policy(trial, _installed_policies(command))


def _find_unknown_policy(trial: Trial, known: list[str]) -> Failure | None:
    settings = {f"topologies ({it.name})": it.options for it in trial.topologies}
    settings |= {f"schedulers ({it.label})": it.settings for it in trial.schedulers}
    for where, own in settings.items():
        policy = own.get(POLICY.name)
        if known and policy is not None and policy not in known:
            choices = name_choices("policies", known, policy)
            return Failure(
                f"{trial.name}: {where}: {POLICY.name} = {policy!r}: no such policy; {choices}"
            )
    return None


def _installed_policies(command: Path) -> list[str]:
    """Return the names of the sidecar's policies, its own and further ones; none if it fails."""
    asked = [str(command), "policies", "--json"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return [it["policy"] for it in json.loads(done.stdout)] if done.returncode == 0 else []
