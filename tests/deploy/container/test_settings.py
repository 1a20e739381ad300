"""What a supervisor host's container writes before anything starts in it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from eyewall_deploy import cluster_file
from eyewall_deploy.container.__main__ import app
from eyewall_deploy.container.settings import write_settings
from typer.testing import CliRunner

GIVEN = Path(__file__).parents[3] / "deploy" / "compose"
CLUSTER = GIVEN / "cluster.toml"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    conf, run = tmp_path / "conf", tmp_path / "run"
    conf.mkdir()
    return conf, run


def test_a_host_tells_nimbus_what_the_cluster_file_says_of_it(folders: tuple[Path, Path]) -> None:
    conf, run = folders
    write_settings(cluster_file.load(CLUSTER).host("fog-2"), GIVEN, conf, run)
    storm = yaml.safe_load((conf / "storm.yaml").read_text())
    assert storm["storm.local.hostname"] == "fog-2"
    assert storm["supervisor.slots.ports"] == [6700, 6701, 6702, 6703]
    assert storm["supervisor.cpu.capacity"] == 100.0  # one core
    assert storm["supervisor.scheduler.meta"]["site"] == "fog"
    assert storm["supervisor.scheduler.meta"]["speed"] == "0.5"


def test_a_host_keeps_the_clusters_settings_but_for_nimbus_own(folders: tuple[Path, Path]) -> None:
    conf, run = folders
    write_settings(cluster_file.load(CLUSTER).host("edge-1"), GIVEN, conf, run)
    storm = yaml.safe_load((conf / "storm.yaml").read_text())
    assert storm["storm.zookeeper.servers"] == ["zookeeper"]
    assert not [key for key in storm if key.startswith("eyewall.")]
    assert "storm.scheduler" not in storm


def test_both_agents_are_told_the_hosts_name(folders: tuple[Path, Path]) -> None:
    conf, run = folders
    write_settings(cluster_file.load(CLUSTER).host("edge-1"), GIVEN, conf, run)
    for name in ("monitor.toml", "latency.toml"):
        assert tomllib.loads((run / name).read_text())["host"] == "edge-1"


def test_a_host_that_the_cluster_has_not_is_refused_with_the_nearest_name(
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
