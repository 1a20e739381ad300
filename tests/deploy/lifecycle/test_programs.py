"""Which programs a cluster has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deployments import make_deployment
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.lifecycle.programs import programs, start_stages
from eyewall_deploy.processes import probes
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.state import ClusterMode
from eyewall_deploy.storm.home import StormHome, assemble_storm_home
from eyewall_deploy.storm.jvm import find_java
from free_ports import free_port
from kazoo.client import KazooClient
from real_stores import HERE, Server

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path, **changes: Any) -> set[str]:
    return {program.name for program in programs(make_deployment(folder, **changes))}


def kinds_on(host: str, programs: set[str]) -> set[str]:
    return {name.removesuffix(f"-{host}") for name in programs if name.endswith(f"-{host}")}


def test_every_host_has_both_agents_and_the_cluster_a_rates_job(tmp_path: Path) -> None:
    present = names(tmp_path)
    for host in ("edge-1", "edge-2", "fog-1", "fog-2", "cloud-1", "cloud-2"):
        assert kinds_on(host, present) == {"supervisor", "monitor", "latency"}
    assert "rates" in present


def test_parts_that_are_left_out_have_no_program(tmp_path: Path) -> None:
    without = names(tmp_path, agents=False, latency=False, rates=False)
    assert kinds_on("edge-1", without) == {"supervisor"}
    assert "dashboard" in without  # it shows what is missing
    assert "rates" not in without
    assert names(tmp_path) - names(tmp_path, rates=False) == {"rates"}
    assert names(tmp_path) - names(tmp_path, dashboard=None) == {"dashboard"}


def test_an_agent_runs_on_its_host_and_the_rates_job_on_control(tmp_path: Path) -> None:
    where = {
        program.name: program.command[program.command.index("--network-namespace") + 1]
        for program in programs(make_deployment(tmp_path))
        if "--network-namespace" in program.command
    }
    assert where["latency-fog-2"] == where["monitor-fog-2"] == "fog-2"
    assert where["rates"] == where["dashboard"] == where["nimbus"] == "control"


def test_every_program_is_started_once_agents_after_the_stores_they_write_to(
    tmp_path: Path,
) -> None:
    deployment = make_deployment(tmp_path)
    order = start_stages(deployment)
    started = [name for stage in order for name in stage]
    assert sorted(started) == sorted(program.name for program in programs(deployment))
    stage_of = {name: number for number, stage in enumerate(order) for name in stage}
    assert stage_of["redis"] < stage_of["latency-edge-1"]
    assert stage_of["zookeeper"] < stage_of["rates"]


def test_zookeeper_that_was_killed_has_all_its_data_when_it_is_started_again(
    tmp_path: Path,
) -> None:
    # Storm keeps its assignments there: without them it ends all workers.
    port = free_port()
    home = assemble_storm_home(storm_home_cache(), lambda _text: None)
    assert isinstance(home, StormHome)
    where: dict[str, Any] = {
        "mode": ClusterMode.LOOPBACK,
        "zookeeper": Endpoint(HERE, port),
        "java": find_java(),
    }
    deployment = replace(make_deployment(tmp_path, **where), home=home)
    (program,) = (it for it in programs(deployment) if it.name == "zookeeper")
    server = Server([*program.command], port, probes.zookeeper)
    for there in (False, True):
        server.start()
        client = KazooClient(f"{HERE}:{port}")
        try:
            client.start(timeout=120)
            assert (client.exists("/storm") is not None) == there
            client.ensure_path("/storm")
        finally:
            client.stop()
            client.close()
            server.stop()  # by SIGKILL
