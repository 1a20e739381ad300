"""What the programs of a cluster are told, read as they read it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from deploy_plans import make_plan
from eyewall_deploy.lifecycle import program_settings
from eyewall_deploy.state import Delays, Mode
from eyewall_latency.config import Config as LatencyConfig
from eyewall_latency.config import read_config as read_latency
from eyewall_monitor.agent.config import read_config as read_monitor
from eyewall_monitor.dashboard.config import read_config as read_dashboard
from eyewall_monitor.rates.config import read_config as read_rates
from eyewall_sidecar.config import Config as SidecarConfig
from eyewall_sidecar.config import read_config as read_sidecar

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.lifecycle.programs import Plan


def latency_config(plan: Plan, host: str) -> LatencyConfig:
    file = plan.run.latency(host)
    file.write_text(program_settings.latency_settings(plan, plan.cluster.host(host)))
    return read_latency(file)


def sidecar_config(plan: Plan) -> SidecarConfig:
    plan.run.sidecar.write_text(program_settings.sidecar_settings(plan))
    return read_sidecar(plan.run.sidecar)


def test_a_latency_agent_takes_part_under_its_hosts_name_and_emulated_address(
    tmp_path: Path,
) -> None:
    told = latency_config(make_plan(tmp_path), "fog-1")  # the third host
    assert told.host == "fog-1"
    assert told.probe.address == "10.83.1.3"
    assert told.probe.listen == "10.83.1.3:7078"
    assert told.redis.url == "redis://10.83.0.1:6379/0"


def test_on_loopback_no_two_latency_agents_want_one_port(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, mode=Mode.LOOPBACK)
    for host in ("edge-1", "edge-2"):
        told = latency_config(plan, host)
        assert told.probe.address == "127.0.0.1"
        assert told.probe.listen == "127.0.0.1:0"  # any that is free
        assert told.redis.url == "redis://127.0.0.1:20002/0"


@pytest.mark.parametrize(
    ("server", "prefix"),
    [("redis-server", "eyewall"), (None, "eyewall-deploy:three-sites")],
)
def test_agents_and_rates_job_use_the_same_keys_of_one_redis(
    tmp_path: Path, server: str | None, prefix: str
) -> None:
    plan = make_plan(tmp_path, redis_server=server)
    host = plan.cluster.host("edge-1")
    plan.run.monitor("edge-1").write_text(program_settings.monitor_settings(plan, host))
    plan.run.rates.write_text(program_settings.rates_settings(plan))
    sidecar = sidecar_config(plan)
    monitor, rates = read_monitor(plan.run.monitor("edge-1")), read_rates(plan.run.rates)
    latency = latency_config(plan, "edge-1")
    urls = {monitor.redis.url, rates.redis.url, latency.redis.url, sidecar.delays.redis}
    assert urls == {"redis://10.83.0.1:6379/0"}
    prefixes = {monitor.redis.prefix, rates.redis.prefix, latency.redis.prefix}
    assert prefixes | {sidecar.delays.prefix} == {prefix}


@pytest.mark.parametrize(
    ("own", "root"), [(True, "/eyewall"), (False, "/eyewall-deploy/three-sites/eyewall")]
)
def test_rates_go_where_the_agents_reports_are(tmp_path: Path, own: bool, root: str) -> None:
    plan = make_plan(tmp_path, own_zookeeper=own)
    host = plan.cluster.host("edge-1")
    plan.run.monitor("edge-1").write_text(program_settings.monitor_settings(plan, host))
    plan.run.rates.write_text(program_settings.rates_settings(plan))
    monitor, rates = read_monitor(plan.run.monitor("edge-1")), read_rates(plan.run.rates)
    assert rates.zookeeper.servers == monitor.zookeeper.servers == "10.83.0.1:2181"
    assert rates.zookeeper.root == monitor.zookeeper.root == root
    sidecar = sidecar_config(plan).zookeeper
    assert (sidecar.servers, sidecar.root) == ("10.83.0.1:2181", root)


def test_without_agents_the_sidecar_is_told_of_no_measurements(tmp_path: Path) -> None:
    assert sidecar_config(make_plan(tmp_path, agents=False)).zookeeper.servers is None


def test_the_rates_job_keeps_to_the_run_dir_and_to_one_thread(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    plan.run.rates.write_text(program_settings.rates_settings(plan))
    rates = read_rates(plan.run.rates)
    assert rates.batches.checkpoints == str(tmp_path / "data" / "rates" / "checkpoints")
    assert rates.archive.folder == str(tmp_path / "data" / "rates" / "archive")
    assert rates.spark.master == "local[1]"


@pytest.mark.parametrize(
    ("mode", "listen", "zookeeper", "sidecar"),
    [
        (Mode.NAMESPACES, "10.83.0.1:8089", "10.83.0.1:2181", "10.83.0.1:7077"),
        (Mode.LOOPBACK, "127.0.0.1:20005", "127.0.0.1:20001", "127.0.0.1:20004"),
    ],
)
def test_the_dashboard_reads_where_the_others_write_and_asks_the_sidecar(
    tmp_path: Path, mode: Mode, listen: str, zookeeper: str, sidecar: str
) -> None:
    plan = make_plan(tmp_path, mode=mode, own_zookeeper=False, redis_server=None, agents=False)
    plan.run.dashboard.write_text(program_settings.dashboard_settings(plan))
    told = read_dashboard(plan.run.dashboard)
    assert told.listen == listen
    assert told.zookeeper.servers == zookeeper
    assert told.zookeeper.root == "/eyewall-deploy/three-sites/eyewall"
    assert told.redis.prefix == "eyewall-deploy:three-sites"
    assert told.sidecar.address == sidecar


def test_measured_delays_are_read_in_redis_and_declared_ones_in_the_delay_file(
    tmp_path: Path,
) -> None:
    declared = sidecar_config(make_plan(tmp_path, delays=Delays.DECLARED)).delays
    assert (declared.file, declared.redis) == (str(tmp_path / "delays.json"), None)
    measured = sidecar_config(make_plan(tmp_path, delays=Delays.MEASURED)).delays
    assert (measured.file, measured.redis) == (None, "redis://10.83.0.1:6379/0")
