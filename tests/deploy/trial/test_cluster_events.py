from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psutil
from deployments import make_deployment
from eyewall_contracts.stores.switch_store import change_switches, read_switches
from eyewall_contracts.switches import Switches
from eyewall_contracts.znodes import Znodes
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.host.cgroups import ControlGroups
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.state import ClusterMode
from eyewall_deploy.storm import nimbus
from eyewall_deploy.storm.nimbus import StormCommand
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.cluster_events import EventSchedule, restore_cluster
from eyewall_deploy.trial.trial_event import TrialEvent
from eyewall_deploy.wan import delay_file
from kazoo.client import KazooClient
from real_stores import HERE
from waiting_process import WORKER, waiting_process

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from real_stores import Server

DEMO = trial_file.load("demo", cores=2)


class Silence:
    """Progress that nobody looks at."""

    def show(self, text: str) -> None: ...

    def log(self, text: str) -> None: ...


def cluster_of(folder: Path, **state: Any) -> MeasuredCluster:
    """Return a cluster with the delays and the CPU that the demo begins with."""
    cluster = MeasuredCluster(make_deployment(folder, **state), Silence())
    assert restore_cluster(cluster, DEMO) is None
    return cluster


def milliseconds(cluster: MeasuredCluster, a: str, b: str) -> float:
    return round(delay_file.read(cluster.deployment.run.delays).between(a, b) * 1000, 3)


def test_the_delay_between_a_site_and_its_first_host_rises(tmp_path: Path) -> None:
    cluster = cluster_of(tmp_path)
    before = milliseconds(cluster, "edge-1", "edge-2")
    event = TrialEvent(10.0, delay=("edge", "edge-1"), add=50.0)
    assert EventSchedule(cluster, replace(DEMO, events=(event,))).apply(10.0) is None
    assert milliseconds(cluster, "edge-1", "edge-2") == before + 50


def test_the_delay_between_two_hosts_of_a_site_rises_both_ways_and_falls_back(
    tmp_path: Path,
) -> None:
    cluster = cluster_of(tmp_path)
    events = EventSchedule(cluster, DEMO)
    assert events.apply(24.9) is None
    assert milliseconds(cluster, "edge-1", "edge-2") == 2
    assert events.apply(25.0) is None
    assert milliseconds(cluster, "edge-1", "edge-2") == 202
    assert milliseconds(cluster, "edge-2", "edge-1") == 202
    assert milliseconds(cluster, "edge-1", "fog-1") == 15
    assert events.apply(79.0) is None
    assert milliseconds(cluster, "edge-1", "edge-2") == 202
    events.undo_all()
    assert milliseconds(cluster, "edge-1", "edge-2") == 2


def test_drained_is_what_an_event_drains_and_nothing_else_is_turned(
    tmp_path: Path, zookeeper: Server
) -> None:
    moves = trial_file.load("moves", cores=2)
    server = Endpoint(HERE, zookeeper.port)
    cluster = MeasuredCluster(
        make_deployment(tmp_path, zookeeper=server, own_zookeeper=False), Silence()
    )
    paths = Znodes(cluster.deployment.eyewall_root)
    client = KazooClient(zookeeper.address)
    client.start(timeout=120)
    try:
        frozen = Switches(frozen=True, drained_hosts=frozenset({"fog-1"}))
        change_switches(client, paths, lambda _: frozen)
        # A trial begins with no drained host, unless it drains none: then that is left to people.
        assert restore_cluster(cluster, DEMO) is None
        assert read_switches(client, paths) == frozen
        assert restore_cluster(cluster, moves) is None
        assert read_switches(client, paths) == Switches(frozen=True)
        events = EventSchedule(cluster, moves)
        for at, drained in [(20.0, {"edge-1"}), (50.0, set()), (60.0, {"edge-2"})]:
            assert events.apply(at) is None
            assert read_switches(client, paths).drained_hosts == drained
        events.undo_all()
        assert read_switches(client, paths) == Switches(frozen=True)
    finally:
        client.stop()
        client.close()


def test_a_program_is_killed_once(tmp_path: Path) -> None:
    # No cluster is up, so each kill says that.
    faults = trial_file.load("moves-faults", cores=2)
    kills = replace(faults, events=tuple(it for it in faults.events if it.kill is not None))
    cluster = MeasuredCluster(make_deployment(tmp_path), Silence())
    events = EventSchedule(cluster, kills)
    assert events.apply(97.9) is None
    assert events.apply(98.0) == cluster.deployment.run.end_notice
    assert events.apply(99.0) is None
    assert events.apply(168.0) == cluster.deployment.run.end_notice


class Client:
    """Nimbus's, which writes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def activate(self, name: str) -> None:
        self.asked.append(("activate", name))

    def deactivate(self, name: str) -> None:
        self.asked.append(("deactivate", name))

    def rebalance(self, name: str, options: Any) -> None:
        assert options.wait_secs == 0
        self.asked.append(("rebalance", name))

    def killTopologyWithOpts(self, name: str, options: Any) -> None:  # noqa: N802
        assert options.wait_secs == 0
        self.asked.append(("kill", name))


def test_storm_gets_a_command_once_for_each_topology(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as `connect` does: streamparse warns of its own code
        import streamparse.thrift  # noqa: F401
    client = Client()
    monkeypatch.setattr(nimbus, "connect", lambda _: nullcontext(client))
    commands = tuple(TrialEvent(5.0 + it, storm=given) for it, given in enumerate(StormCommand))
    trial = replace(DEMO, events=commands)
    events = EventSchedule(MeasuredCluster(make_deployment(tmp_path), Silence()), trial)
    assert events.apply(4.9) is None
    assert client.asked == []
    for at in (5.0, 6.0, 7.0, 8.0, 9.0):
        assert events.apply(at) is None
    (name,) = (it.name for it in DEMO.topologies)
    assert client.asked == [(str(given), name) for given in StormCommand]


def test_a_host_without_a_control_group_has_no_faults_and_that_is_said(tmp_path: Path) -> None:
    for event in (
        TrialEvent(5.0, until=8.0, busy="edge-1", share=0.5),
        TrialEvent(5.0, until=8.0, crash_starts="edge-1"),
    ):
        trial = replace(DEMO, events=(event,))
        folder = tmp_path / (event.busy or "crashing")
        folder.mkdir()
        deployment = make_deployment(folder)
        events = EventSchedule(MeasuredCluster(deployment, Silence()), trial)
        failure = events.apply(5.0)
        assert failure is not None
        assert failure.reason.endswith("edge-1 has no control group, so nothing happens to it")
        assert events.apply(8.0) is None


def with_group(folder: Path, event: TrialEvent) -> tuple[EventSchedule, Path]:
    """A schedule of one event, and the processes of edge-1: what its control group would list."""
    deployment, group = make_deployment(folder), folder / "edge-1"
    group.mkdir()
    deployment = replace(deployment, groups=ControlGroups({"edge-1": (str(group),)}))
    trial = replace(DEMO, events=(event,))
    return EventSchedule(MeasuredCluster(deployment, Silence()), trial), group / "cgroup.procs"


def wait_for(look: Callable[[], Any]) -> Any:
    end = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_something_else_uses_its_share_of_a_busy_host_until_the_event_ends(tmp_path: Path) -> None:
    events, procs = with_group(tmp_path, TrialEvent(5.0, until=8.0, busy="edge-1", share=0.5))
    assert events.apply(5.0) is None
    process = psutil.Process(int(wait_for(lambda: procs.is_file() and procs.read_text())))
    began, before = time.monotonic(), process.cpu_times().user
    wait_for(lambda: process.cpu_times().user - before > 0.5)
    # A host of the demo has a core, so this may use half of one: 0.5 s of CPU take 1 s, less what
    # it makes up for of its own start. It would take 0.5 s without a limit.
    assert time.monotonic() - began > 0.7
    assert events.apply(7.9) is None
    assert process.is_running()
    assert events.apply(8.0) is None
    assert not process.is_running()


def test_what_keeps_a_host_busy_and_ends_by_itself_is_named_once(tmp_path: Path) -> None:
    events, procs = with_group(tmp_path, TrialEvent(5.0, busy="edge-1", share=0.1))
    assert events.apply(5.0) is None
    process = psutil.Process(int(wait_for(lambda: procs.is_file() and procs.read_text())))
    process.kill()
    wait_for(lambda: process.status() == psutil.STATUS_ZOMBIE)
    assert events.apply(6.0) == Failure("what kept a host busy has ended by itself")
    assert events.apply(7.0) is None
    events.undo_all()


def test_what_keeps_a_host_busy_ends_with_the_run(tmp_path: Path) -> None:
    events, procs = with_group(tmp_path, TrialEvent(5.0, busy="edge-1", share=0.1))
    assert events.apply(5.0) is None
    process = psutil.Process(int(wait_for(lambda: procs.is_file() and procs.read_text())))
    events.undo_all()
    assert not process.is_running()


def test_workers_that_start_crash_and_those_that_run_do_not(tmp_path: Path) -> None:
    event = TrialEvent(5.0, until=8.0, crash_starts="edge-1")
    events, procs = with_group(tmp_path, event)

    def run(*processes: psutil.Process) -> None:
        procs.write_text("".join(f"{it.pid}\n" for it in processes))

    with (
        waiting_process(*WORKER) as old,
        waiting_process(*WORKER) as new,
        waiting_process(*WORKER) as late,
    ):
        run(old)
        assert events.apply(5.0) is None
        run(old, new)
        assert events.apply(6.0) is None
        wait_for(lambda: new.status() == psutil.STATUS_ZOMBIE)
        assert events.apply(8.0) is None
        run(old, late)
        assert events.apply(9.0) is None
        time.sleep(0.2)  # SIGKILL would have reached them
        assert psutil.STATUS_ZOMBIE not in {old.status(), late.status()}


def test_on_loopback_an_event_changes_nothing_and_is_no_failure(tmp_path: Path) -> None:
    cluster = cluster_of(tmp_path, mode=ClusterMode.LOOPBACK)
    events = EventSchedule(cluster, DEMO)
    assert events.apply(25.0) is None
    assert milliseconds(cluster, "edge-1", "edge-2") == 2


def test_hosts_whose_cpu_nothing_limits_serve_only_a_trial_that_overcommits(
    tmp_path: Path,
) -> None:
    cluster = MeasuredCluster(make_deployment(tmp_path), Silence())
    assert restore_cluster(cluster, DEMO) is None
    failure = restore_cluster(cluster, replace(DEMO, overcommit=False))
    assert failure is not None
    assert "cpu of edge-1: no control group limits it" in failure.reason
