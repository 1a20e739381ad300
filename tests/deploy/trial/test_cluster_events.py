from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deployments import make_deployment
from eyewall_contracts.stores.switch_store import change_switches, read_switches
from eyewall_contracts.switches import Switches
from eyewall_contracts.znodes import Znodes
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.state import ClusterMode
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.cluster_events import EventSchedule, restore_cluster
from eyewall_deploy.wan import delay_file
from kazoo.client import KazooClient
from real_stores import HERE

if TYPE_CHECKING:
    from pathlib import Path

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
