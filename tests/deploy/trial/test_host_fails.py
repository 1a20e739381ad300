"""A host that fails during a trial: its programs are of a real supervisord, its workers are not."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil
import pytest
from deployments import make_deployment
from eyewall_deploy.host.cgroups import ControlGroups
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.processes.supervisord import Program
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.cluster_events import EventSchedule, restore_cluster
from eyewall_deploy.trial.trial_event import TrialEvent
from real_supervisord import running_supervisord
from recorded_progress import RecordedProgress
from waiting_process import WORKER, waiting_process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_deploy.processes.control import Control

FAILS = TrialEvent(5.0, until=8.0, fail="edge-1")
TRIAL = replace(trial_file.load("demo", cores=2), events=(FAILS,))
ITS_PROGRAMS = ("supervisor-edge-1", "monitor-edge-1", "latency-edge-1")
IGNORES_REQUESTS = ("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")


@pytest.fixture
def cluster(tmp_path: Path) -> MeasuredCluster:
    deployment, group = make_deployment(tmp_path), tmp_path / "edge-1"
    group.mkdir()
    (group / "cgroup.procs").write_text("")
    deployment = replace(deployment, groups=ControlGroups({"edge-1": (str(group),)}))
    return MeasuredCluster(deployment, RecordedProgress())


@pytest.fixture
def control(cluster: MeasuredCluster) -> Iterator[Control]:
    programs = [Program(name, IGNORES_REQUESTS) for name in (*ITS_PROGRAMS, "supervisor-edge-2")]
    with running_supervisord(cluster.deployment.run.path, programs) as (_, found):
        yield found


def wait_until_all_are(state: str, control: Control) -> None:
    end = time.monotonic() + 30
    while {control.state(it).state for it in ITS_PROGRAMS} != {state}:
        assert time.monotonic() < end, [control.state(it) for it in ITS_PROGRAMS]
        time.sleep(0.05)


def is_killed(process: psutil.Process) -> bool:
    end = time.monotonic() + 30
    while process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end
        time.sleep(0.02)
    return True


def test_nothing_of_a_host_that_fails_runs_until_it_is_back(
    control: Control, cluster: MeasuredCluster, tmp_path: Path
) -> None:
    events = EventSchedule(cluster, TRIAL)
    procs = tmp_path / "edge-1" / "cgroup.procs"
    with waiting_process(*WORKER) as worker, waiting_process(*WORKER) as late:
        procs.write_text(f"{worker.pid}\n")
        assert events.apply(4.9) is None
        assert worker.is_running()
        assert events.apply(5.0) is None
        assert is_killed(worker)
        # Long before supervisord would have lost patience with programs that ignore requests.
        wait_until_all_are("STOPPED", control)
        procs.write_text(f"{late.pid}\n")  # its supervisor was about to start it
        assert events.apply(6.0) is None
        assert is_killed(late)
    assert control.state("supervisor-edge-2").state == "RUNNING"
    procs.write_text("")
    assert events.apply(8.0) is None
    wait_until_all_are("RUNNING", control)


def test_a_host_that_has_failed_is_back_once_the_run_is_over(
    control: Control, cluster: MeasuredCluster
) -> None:
    events = EventSchedule(cluster, TRIAL)
    assert events.apply(5.0) is None
    wait_until_all_are("STOPPED", control)
    events.undo_all()
    wait_until_all_are("RUNNING", control)


def test_a_host_that_failed_in_a_run_that_was_broken_off_is_back_before_the_next(
    control: Control, cluster: MeasuredCluster
) -> None:
    assert EventSchedule(cluster, TRIAL).apply(5.0) is None
    wait_until_all_are("STOPPED", control)
    assert restore_cluster(cluster, TRIAL) is None
    wait_until_all_are("RUNNING", control)


def test_a_host_of_a_cluster_that_has_ended_cannot_fail(cluster: MeasuredCluster) -> None:
    events = EventSchedule(cluster, TRIAL)
    assert events.apply(5.0) == cluster.deployment.run.end_notice
    assert events.apply(6.0) is None
