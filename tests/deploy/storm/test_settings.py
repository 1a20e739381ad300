"""The settings of Storm's daemons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deployments import make_deployment
from eyewall_deploy.state import ClusterMode, SchedulerChoice
from eyewall_deploy.storm.settings import (
    OVERLAP_JAR,
    TIMING,
    agent_port,
    nimbus_settings,
    recommended_settings,
    slot_ports,
    supervisor_port,
    supervisor_settings,
)

if TYPE_CHECKING:
    from eyewall_deploy.deployment import Deployment


def deployed(**changes: Any) -> Deployment:
    return make_deployment(Path("/run-dir"), **changes)


SOURCES = Path(__file__).parents[3] / "storm-scheduler/overlap/src/main/java"
CLUSTER = deployed()
EDGE_1 = CLUSTER.cluster.host("edge-1")
FOG_2 = CLUSTER.cluster.host("fog-2")


def test_a_host_of_the_cluster_file_becomes_capacity_and_scheduler_meta() -> None:
    settings = supervisor_settings(CLUSTER, FOG_2)
    assert settings["storm.local.hostname"] == "fog-2"
    assert settings["supervisor.cpu.capacity"] == FOG_2.cpu * 100  # Storm counts in percent
    assert settings["supervisor.memory.capacity.mb"] == FOG_2.memory / 2**20
    assert settings["supervisor.scheduler.meta"] == {
        "site": "fog",
        "labels": "",
        "availability": "1.0",
        "speed": "0.5",
    }
    labels = supervisor_settings(CLUSTER, EDGE_1)["supervisor.scheduler.meta"]["labels"]
    assert labels == ",".join(EDGE_1.labels) != ""


def test_in_namespaces_every_host_has_storms_usual_ports() -> None:
    for host in CLUSTER.cluster.hosts:
        assert slot_ports(CLUSTER, host) == [6700 + i for i in range(host.slots)]
        assert supervisor_port(CLUSTER, host) == 6628


def test_on_loopback_no_two_hosts_share_a_port() -> None:
    loopback = deployed(mode=ClusterMode.LOOPBACK, host_ports=20_000)
    hosts = loopback.cluster.hosts
    ports = [port for host in hosts for port in slot_ports(loopback, host)]
    ports += [supervisor_port(loopback, host) for host in hosts]
    ports += [agent_port(loopback, host) for host in hosts]
    slots = sum(host.slots for host in hosts)
    assert sorted(ports) == list(range(20_000, 20_000 + 2 * len(hosts) + slots))


def test_on_loopback_the_jvms_of_workers_read_the_hosts_names_from_a_file() -> None:
    loopback = deployed(mode=ClusterMode.LOOPBACK)
    worker = supervisor_settings(loopback, EDGE_1)["worker.childopts"]
    assert "-Djdk.net.hosts.file=/run-dir/hosts" in worker.split()
    assert "hosts.file" not in supervisor_settings(CLUSTER, EDGE_1)["worker.childopts"]


def test_everything_storm_writes_lies_in_the_run_dir() -> None:
    # Left to their defaults these lie in the Storm home, which is never written.
    for settings in (nimbus_settings(CLUSTER), supervisor_settings(CLUSTER, EDGE_1)):
        for key in ("storm.local.dir", "storm.workers.artifacts.dir", "storm.log4j2.conf.dir"):
            assert settings[key].startswith("/run-dir/")
    assert nimbus_settings(CLUSTER)["storm.metricstore.rocksdb.location"].startswith("/run-dir/")


@pytest.mark.parametrize(
    ("scheduler", "name"),
    [
        (SchedulerChoice.EYEWALL, "io.eyewall.storm.EyewallScheduler"),
        (SchedulerChoice.RAS, "org.apache.storm.scheduler.resource.ResourceAwareScheduler"),
        (SchedulerChoice.DEFAULT, "org.apache.storm.scheduler.DefaultScheduler"),
    ],
)
def test_nimbus_is_given_the_scheduler_and_its_keys_only_where_it_is_ours(
    scheduler: SchedulerChoice, name: str
) -> None:
    settings = nimbus_settings(deployed(scheduler=scheduler))
    assert settings["storm.scheduler"] == name
    ours = {key for key in settings if key.startswith("eyewall.")}
    assert bool(ours) == (scheduler is SchedulerChoice.EYEWALL)
    if ours:
        assert settings["eyewall.sidecar.addresses"] == ["10.83.0.1:7077"]


def test_supervisors_have_no_key_of_the_scheduler() -> None:
    settings = supervisor_settings(CLUSTER, EDGE_1)
    assert "storm.scheduler" not in settings
    assert not [key for key in settings if key.startswith("eyewall.")]


def test_moves_are_cheap_unless_storms_own_timing_is_requested() -> None:
    ours = supervisor_settings(CLUSTER, EDGE_1)
    assert ours["task.refresh.poll.secs"] == 1
    assert "-XX:+UseSerialGC" in ours["worker.childopts"]
    stock = deployed(stock_timing=True)
    for settings in (nimbus_settings(stock), supervisor_settings(stock, EDGE_1)):
        assert not set(TIMING) & settings.keys()
        assert "SerialGC" not in settings["worker.childopts"]
    assert nimbus_settings(stock)["eyewall.push.assignments"] is False


def test_the_shipped_storm_yaml_is_what_our_own_clusters_run_with() -> None:
    shipped = recommended_settings()
    settings = nimbus_settings(CLUSTER) | supervisor_settings(CLUSTER, EDGE_1)
    own = {"eyewall.sidecar.addresses", "worker.childopts"}  # the addresses and names of a cluster
    assert {key: settings[key] for key in shipped.keys() - own} == {
        key: shipped[key] for key in shipped.keys() - own
    }
    assert settings["worker.childopts"].startswith(shipped["worker.childopts"])


def test_workers_report_their_counters_to_the_agent_of_their_own_host() -> None:
    loopback = deployed(mode=ClusterMode.LOOPBACK, host_ports=20_000)
    for cluster, host in ((CLUSTER, EDGE_1), (loopback, EDGE_1), (loopback, FOG_2)):
        (reporter,) = supervisor_settings(cluster, host)["topology.metrics.reporters"]
        assert reporter["graphite.host"] == "127.0.0.1"
        assert reporter["graphite.port"] == agent_port(cluster, host)


def test_without_agents_workers_report_nothing() -> None:
    settings = supervisor_settings(deployed(agents=False), EDGE_1)
    assert "topology.metrics.reporters" not in settings


@pytest.mark.parametrize(
    ("metric", "reported"),
    [
        ("count.default.3.6700-__execute-count-split:default", True),
        ("count.default.3.6700-__execute-count-split:default.m1_rate", False),
        ("count.default.3.6700-__execute-count-my.bolt:default", True),
        ("count.default.3.6700-__process-latency-split:default", True),
        ("count.default.3.6700-__execute-jitter-split:default", False),
        ("count.default.3.6700-__capacity", True),
        ("count.3.6700-receive-queue-population", True),
        ("count.3.6700-receive-queue-pct_full", False),
        ("__system.-1.6700-memory.heap.used", False),
    ],
)
def test_workers_report_only_what_the_agent_needs(metric: str, reported: bool) -> None:
    (reporter,) = recommended_settings()["topology.metrics.reporters"]
    expression = reporter["filter"]["expression"]
    name = f"storm.worker.word_count-1-1700000000.edge-1.{metric}"
    assert bool(re.fullmatch(expression, name)) is reported


def test_workers_and_supervisors_overlap_where_the_jar_for_it_is(tmp_path: Path) -> None:
    cluster = make_deployment(tmp_path)
    host = cluster.cluster.host("edge-1")
    without = supervisor_settings(cluster, host)
    assert "storm.resource.isolation.plugin" not in without
    jar = cluster.run.extlib_daemon / OVERLAP_JAR
    jar.parent.mkdir(parents=True, exist_ok=True)
    jar.touch()
    settings = supervisor_settings(cluster, host)
    assert settings["worker.childopts"] == without["worker.childopts"]  # the plugin adds the agent
    assert settings["storm.resource.isolation.plugin.enable"] is True
    plugin = settings["storm.resource.isolation.plugin"].replace(".", "/")
    assert (SOURCES / f"{plugin}.java").is_file()
