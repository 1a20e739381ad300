"""Which run dir a command means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.found import find_run
from fake_cluster import CLUSTER

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where run dirs lie by default: behind a link."""
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


def test_the_name_of_a_cluster_will_do(clusters: Path) -> None:
    assert found("pair") == clusters / "pair"
    assert found("three-sites") == clusters / "three-sites"
    assert found(None) == clusters / "three-sites"


@pytest.mark.parametrize("cluster", ["gone.toml", "../three-sites"])
def test_what_can_be_no_name_and_is_no_file_is_named(cluster: str) -> None:
    failure = find_run(cluster, None)
    assert isinstance(failure, Failure)
    assert failure.reason.startswith(f"cluster {cluster}: no such file")


def test_a_cluster_file_with_a_mistake_is_named_with_it(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("version = 7")
    failure = find_run(str(tmp_path / "bad.toml"), None)
    assert isinstance(failure, Failure)
    assert "version = 7" in failure.reason


def test_every_spelling_of_a_run_dir_means_the_same(tmp_path: Path) -> None:
    run = tmp_path / "real" / "run"
    for spelling in (run, tmp_path / "link" / "run", run / ".." / "run"):
        assert found(None, spelling) == run
