"""The settings of a cluster's programs, read as the programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from deployments import make_deployment
from eyewall_deploy.lifecycle.settings_files import (
    dashboard_settings,
    latency_settings,
    monitor_settings,
    rates_settings,
    sidecar_settings,
    to_toml,
)
from eyewall_deploy.state import ClusterMode, DelaySource, LatencyAlgorithm
from eyewall_latency.config import LatencyConfig
from eyewall_latency.config import read_config as read_latency
from eyewall_monitor.agent.config import read_config as read_monitor
from eyewall_monitor.dashboard.config import read_config as read_dashboard
from eyewall_monitor.rates.config import read_config as read_rates
from eyewall_sidecar.config import SidecarConfig
from eyewall_sidecar.config import read_config as read_sidecar

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.deployment import Deployment


def latency_config(deployment: Deployment, host: str) -> LatencyConfig:
    file = deployment.run.latency(host)
    file.write_text(to_toml(latency_settings(deployment, deployment.cluster.host(host))))
    return read_latency(file)


def sidecar_config(deployment: Deployment) -> SidecarConfig:
    deployment.run.sidecar.write_text(to_toml(sidecar_settings(deployment)))
    return read_sidecar(deployment.run.sidecar)


def test_a_latency_agent_has_its_hosts_name_and_emulated_address(
    tmp_path: Path,
) -> None:
    config = latency_config(make_deployment(tmp_path), "fog-1")  # the third host
    assert config.host == "fog-1"
    assert config.probe.address == "10.83.1.3"
    assert config.probe.listen == "10.83.1.3:7078"
    assert config.redis.url == "redis://10.83.0.1:6379/0"


def test_latency_agents_have_their_own_algorithm_unless_another_one_is_asked_for(
    tmp_path: Path,
) -> None:
    assert latency_config(make_deployment(tmp_path), "fog-1").space.algorithm == "springs"
    paper = make_deployment(tmp_path, latency_algorithm=LatencyAlgorithm.PAPER)
    assert latency_config(paper, "fog-1").space.algorithm == "paper"


def test_on_loopback_latency_agents_take_any_free_port(tmp_path: Path) -> None:
    deployment = make_deployment(tmp_path, mode=ClusterMode.LOOPBACK)
    for host in ("edge-1", "edge-2"):
        config = latency_config(deployment, host)
        assert config.probe.address == "127.0.0.1"
        assert config.probe.listen == "127.0.0.1:0"  # any that is free
        assert config.redis.url == "redis://127.0.0.1:20002/0"


@pytest.mark.parametrize(
    ("server", "prefix"),
    [("redis-server", "eyewall"), (None, "eyewall-deploy:three-sites")],
)
def test_agents_and_rates_job_use_the_same_keys_of_one_redis(
    tmp_path: Path, server: str | None, prefix: str
) -> None:
    deployment = make_deployment(tmp_path, redis_server=server)
    host = deployment.cluster.host("edge-1")
    deployment.run.monitor("edge-1").write_text(to_toml(monitor_settings(deployment, host)))
    deployment.run.rates.write_text(to_toml(rates_settings(deployment)))
    sidecar = sidecar_config(deployment)
    monitor, rates = (
        read_monitor(deployment.run.monitor("edge-1")),
        read_rates(deployment.run.rates),
    )
    latency = latency_config(deployment, "edge-1")
    urls = {monitor.redis.url, rates.redis.url, latency.redis.url, sidecar.delays.redis}
    assert urls == {"redis://10.83.0.1:6379/0"}
    prefixes = {monitor.redis.prefix, rates.redis.prefix, latency.redis.prefix}
    assert prefixes | {sidecar.delays.prefix} == {prefix}


@pytest.mark.parametrize(
    ("own", "root"), [(True, "/eyewall"), (False, "/eyewall-deploy/three-sites/eyewall")]
)
def test_rates_go_where_the_agents_reports_are(tmp_path: Path, own: bool, root: str) -> None:
    deployment = make_deployment(tmp_path, own_zookeeper=own)
    host = deployment.cluster.host("edge-1")
    deployment.run.monitor("edge-1").write_text(to_toml(monitor_settings(deployment, host)))
    deployment.run.rates.write_text(to_toml(rates_settings(deployment)))
    monitor, rates = (
        read_monitor(deployment.run.monitor("edge-1")),
        read_rates(deployment.run.rates),
    )
    assert rates.zookeeper.servers == monitor.zookeeper.servers == "10.83.0.1:2181"
    assert rates.zookeeper.root == monitor.zookeeper.root == root
    sidecar = sidecar_config(deployment).zookeeper
    assert (sidecar.servers, sidecar.root) == ("10.83.0.1:2181", root)


def test_without_agents_the_sidecar_reads_no_measurements(tmp_path: Path) -> None:
    assert sidecar_config(make_deployment(tmp_path, agents=False)).zookeeper.servers is None


def test_the_rates_job_keeps_to_the_run_dir_and_to_one_thread(tmp_path: Path) -> None:
    deployment = make_deployment(tmp_path)
    deployment.run.rates.write_text(to_toml(rates_settings(deployment)))
    rates = read_rates(deployment.run.rates)
    assert rates.batches.checkpoints == str(tmp_path / "data" / "rates" / "checkpoints")
    assert rates.archive.folder == str(tmp_path / "data" / "rates" / "archive")
    assert rates.spark.master == "local[1]"


@pytest.mark.parametrize(
    ("mode", "listen", "zookeeper", "sidecar"),
    [
        (ClusterMode.NAMESPACES, "10.83.0.1:8089", "10.83.0.1:2181", "10.83.0.1:7077"),
        (ClusterMode.LOOPBACK, "127.0.0.1:20005", "127.0.0.1:20001", "127.0.0.1:20004"),
    ],
)
def test_the_dashboard_reads_where_the_others_write_and_asks_the_sidecar(
    tmp_path: Path, mode: ClusterMode, listen: str, zookeeper: str, sidecar: str
) -> None:
    deployment = make_deployment(
        tmp_path, mode=mode, own_zookeeper=False, redis_server=None, agents=False
    )
    deployment.run.dashboard.write_text(to_toml(dashboard_settings(deployment)))
    config = read_dashboard(deployment.run.dashboard)
    assert config.listen == listen
    assert config.zookeeper.servers == zookeeper
    assert config.zookeeper.root == "/eyewall-deploy/three-sites/eyewall"
    assert config.redis.prefix == "eyewall-deploy:three-sites"
    assert config.sidecar.address == sidecar


def test_measured_delays_are_read_in_redis_and_declared_ones_in_the_delay_file(
    tmp_path: Path,
) -> None:
    declared = sidecar_config(make_deployment(tmp_path, delays=DelaySource.DECLARED)).delays
    assert (declared.file, declared.redis) == (str(tmp_path / "delays.json"), None)
    measured = sidecar_config(make_deployment(tmp_path, delays=DelaySource.MEASURED)).delays
    assert (measured.file, measured.redis) == (None, "redis://10.83.0.1:6379/0")
