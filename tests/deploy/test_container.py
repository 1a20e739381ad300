"""A supervisor host's container: the settings that it writes, and its delays."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from eyewall_deploy import cluster_file
from eyewall_deploy.container import app, write_settings
from eyewall_deploy.storm.settings import OVERLAP_JAR
from typer.testing import CliRunner

GIVEN = Path(__file__).parents[2] / "deploy" / "compose"
CLUSTER = GIVEN / "cluster.toml"
NOWHERE = Path("/nowhere")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    conf, run = tmp_path / "conf", tmp_path / "run"
    conf.mkdir()
    return conf, run


def test_a_host_reports_what_the_cluster_file_says_of_it(
    folders: tuple[Path, Path],
) -> None:
    conf, run = folders
    write_settings(cluster_file.load(CLUSTER).host("fog-2"), GIVEN, conf, run, NOWHERE)
    storm = yaml.safe_load((conf / "storm.yaml").read_text())
    assert storm["storm.local.hostname"] == "fog-2"
    assert storm["supervisor.slots.ports"] == [6700, 6701, 6702, 6703]
    assert storm["supervisor.cpu.capacity"] == 100.0  # one core
    assert storm["supervisor.scheduler.meta"]["site"] == "fog"
    assert storm["supervisor.scheduler.meta"]["speed"] == "0.5"


def test_a_host_has_the_settings_of_the_cluster_but_not_of_nimbus(
    folders: tuple[Path, Path],
) -> None:
    conf, run = folders
    write_settings(cluster_file.load(CLUSTER).host("edge-1"), GIVEN, conf, run, NOWHERE)
    storm = yaml.safe_load((conf / "storm.yaml").read_text())
    assert storm["storm.zookeeper.servers"] == ["zookeeper"]
    assert not [key for key in storm if key.startswith("eyewall.")]
    assert "storm.scheduler" not in storm


def test_a_host_with_the_jar_is_ready_for_moves_without_a_gap(folders: tuple[Path, Path]) -> None:
    conf, run = folders
    host = cluster_file.load(CLUSTER).host("edge-1")
    write_settings(host, GIVEN, conf, run, NOWHERE)
    without = yaml.safe_load((conf / "storm.yaml").read_text())
    jar = conf / OVERLAP_JAR
    jar.touch()
    write_settings(host, GIVEN, conf, run, conf)
    storm = yaml.safe_load((conf / "storm.yaml").read_text())
    assert storm == {
        **without,
        "storm.resource.isolation.plugin.enable": True,
        "storm.resource.isolation.plugin": "io.eyewall.storm.overlap.OverlapIsolation",
    }


@pytest.mark.parametrize(
    "own",
    [
        {"storm.resource.isolation.plugin.enable": True},
        {"storm.resource.isolation.plugin": "org.example.Own"},
    ],
)
def test_a_plugin_of_ones_own_stays(folders: tuple[Path, Path], own: dict[str, object]) -> None:
    conf, run = folders
    given = conf.parent / "given"
    shutil.copytree(GIVEN, given)
    settings = yaml.safe_load((given / "storm.yaml").read_text()) | own
    (given / "storm.yaml").write_text(yaml.safe_dump(settings))
    (conf / OVERLAP_JAR).touch()
    write_settings(cluster_file.load(CLUSTER).host("edge-1"), given, conf, run, conf)
    storm = yaml.safe_load((conf / "storm.yaml").read_text())
    assert {key: it for key, it in storm.items() if "isolation" in key} == own


def test_both_agents_have_the_hosts_name(folders: tuple[Path, Path]) -> None:
    conf, run = folders
    write_settings(cluster_file.load(CLUSTER).host("edge-1"), GIVEN, conf, run, NOWHERE)
    for name in ("monitor.toml", "latency.toml"):
        assert tomllib.loads((run / name).read_text())["host"] == "edge-1"


def test_an_unknown_host_is_refused_with_the_hosts_that_exist(
    folders: tuple[Path, Path],
) -> None:
    conf, run = folders
    ended = CliRunner().invoke(
        app,
        [
            *("settings", "--host", "edge-7", "--cluster", str(CLUSTER)),
            *("--given", str(GIVEN), "--conf", str(conf), "--run", str(run)),
        ],
    )
    assert ended.exit_code == 2
    assert "no host edge-7; hosts are edge-1, edge-2" in ended.output
    assert not (conf / "storm.yaml").exists()


DELAYS = f"""
import subprocess, sys, threading
from pathlib import Path
from eyewall_deploy.container import follow_delays

for command in ("ip tuntap add eth0 mode tap", "ip link set eth0 up"):
    subprocess.run(command.split(), check=True)
said = threading.Event()
def say(text):
    print(text, flush=True)
    said.set()
arguments = (Path({str(CLUSTER)!r}), "edge-1", "eth0", say)
threading.Thread(target=follow_delays, args=arguments, daemon=True).start()
assert said.wait(120)
print(subprocess.run("tc qdisc show dev eth0", shell=True, capture_output=True, text=True).stdout)
"""


@pytest.mark.namespaces
@pytest.mark.usefixtures("namespaces_allowed")
def test_delays_are_in_force_or_a_line_says_what_the_kernel_lacks() -> None:
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", DELAYS],
        capture_output=True,
        text=True,
        check=True,
    )
    if "no delays between hosts" in done.stdout:
        assert "needs the module sch_netem" in done.stdout
        assert "netem" not in done.stdout.splitlines()[-1]
    else:
        # edge-1 to edge-2: 2 ms; to both hosts of fog 15 ms; to both of cloud 40 ms.
        assert [done.stdout.count(f"delay {ms}ms") for ms in ("2", "15", "40")] == [1, 2, 2]
