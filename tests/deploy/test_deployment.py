"""Which cluster a command means, and what its run dir says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from deployments import make_deployment
from eyewall_deploy import cluster_file, state_file
from eyewall_deploy.deployment import Deployment, find_run, read_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.host.cgroups import ControlGroups
from eyewall_deploy.run_dir import RunDir
from fake_cluster import CLUSTER

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default folder of run dirs, behind a link."""
    (tmp_path / "real" / "eyewall").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "link"))
    return tmp_path / "real" / "eyewall"


def found(cluster: str | None, run_dir: Path | None = None) -> Path:
    run = find_run(cluster, run_dir)
    assert not isinstance(run, Failure), run.reason
    return run.path


def test_a_cluster_file_means_the_cluster_that_it_names(tmp_path: Path, clusters: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(CLUSTER)  # name = "pair"
    assert found(str(file)) == clusters / "pair"


def test_the_name_of_a_cluster_is_enough(clusters: Path) -> None:
    assert found("pair") == clusters / "pair"
    assert found("three-sites") == clusters / "three-sites"
    assert found(None) == clusters / "three-sites"


@pytest.mark.parametrize("cluster", ["gone.toml", "../three-sites"])
def test_a_word_that_is_neither_a_name_nor_a_file_is_named(cluster: str) -> None:
    failure = find_run(cluster, None)
    assert isinstance(failure, Failure)
    assert failure.reason.startswith(f"cluster {cluster}: no such file")


def test_a_cluster_file_with_a_mistake_is_named_with_it(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("version = 7")
    failure = find_run(str(tmp_path / "bad.toml"), None)
    assert isinstance(failure, Failure)
    assert "version = 7" in failure.reason


def test_a_deployment_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    deployment = make_deployment(folder)
    for jar in ("lib/storm-server-2.8.3.jar", "lib-worker/storm-client-2.8.3.jar"):
        path = folder / "storm" / jar
        path.parent.mkdir(parents=True)
        path.touch()
    groups = ControlGroups({"edge-1": ("/a", "/b")}, ("cpu: refused",))
    deployment.run.cluster_file.write_text(cluster_file.read_text("three-sites")[0])
    state_file.write(deployment.run.control_groups, groups)
    assert read_deployment(deployment.run) == Failure(
        f"no cluster runs in {folder}; `eyewall-deploy up` starts one"
    )
    state_file.write(deployment.run.state, deployment.state)
    found = read_deployment(deployment.run)
    assert isinstance(found, Deployment)
    assert (found.state, found.groups, found.home) == (deployment.state, groups, deployment.home)


def test_a_state_of_another_version_is_named(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    run.state.write_text('{"version": 3}')
    failure = read_deployment(run)
    assert isinstance(failure, Failure)
    assert f"{run.state}: version 3; this program reads 4" in failure.reason


def test_every_spelling_of_a_run_dir_means_the_same(tmp_path: Path) -> None:
    run = tmp_path / "real" / "run"
    for spelling in (run, tmp_path / "link" / "run", run / ".." / "run"):
        assert found(None, spelling) == run
