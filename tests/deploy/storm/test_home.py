"""A Storm home, found or made."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.failure import Failure
from eyewall_deploy.storm.home import STORM_VERSION, StormHome, assemble_storm_home, open_storm_home

if TYPE_CHECKING:
    from pathlib import Path

MAVEN = """#!/bin/sh
for word in "$@"; do case $word in -Dhome=*) home=${{word#-Dhome=}};; esac; done
mkdir -p "$home/lib" "$home/lib-worker"
touch "$home/lib/storm-server-{version}.jar"
echo "[INFO] Downloaded from central: https://repo.example/storm-server.jar (1 MB)"
{end}
touch "$home/lib-worker/storm-client-{version}.jar"
"""


@pytest.fixture
def said() -> list[str]:
    return []


def maven(folder: Path, monkeypatch: pytest.MonkeyPatch, end: str = "") -> None:
    program = folder / "bin" / "mvn"
    program.parent.mkdir()
    program.write_text(MAVEN.format(version=STORM_VERSION, end=end))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def test_a_home_is_made_once_and_taken_from_the_cache_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    maven(tmp_path, monkeypatch)
    home = assemble_storm_home(tmp_path / "cache", said.append)
    assert isinstance(home, StormHome)
    assert home.version == STORM_VERSION
    assert (home.path / "RELEASE").read_text() == f"{STORM_VERSION}\n"
    assert said[-1] == "1 files fetched"
    monkeypatch.setenv("PATH", "/nowhere")
    assert assemble_storm_home(tmp_path / "cache", said.append) == home


def test_of_two_that_want_a_home_at_once_one_makes_it_and_the_other_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Maven works until it may end: it is once begun and, if the second began it too, once more.
    begun, may_end = tmp_path / "begun", tmp_path / "may_end"
    maven(
        tmp_path, monkeypatch, end=f"echo >> {begun}; until [ -e {may_end} ]; do sleep 0.01; done"
    )
    homes: list[StormHome | Failure] = []
    makers = [
        threading.Thread(
            target=lambda: homes.append(assemble_storm_home(tmp_path / "cache", _nothing))
        )
        for _ in range(2)
    ]
    makers[0].start()
    while not begun.exists():
        assert makers[0].is_alive()
    makers[1].start()
    makers[1].join(0.2)
    may_end.touch()
    for maker in makers:
        maker.join()
    assert begun.read_text() == "\n"
    assert homes == [open_storm_home(tmp_path / "cache" / f"storm-{STORM_VERSION}")] * 2
    assert len(list((tmp_path / "cache").iterdir())) == 1


def _nothing(_: str) -> None:
    pass


def test_when_maven_fails_its_words_are_shown_and_no_half_a_home_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    maven(tmp_path, monkeypatch, end="echo '[ERROR] central is unreachable'; exit 1")
    failure = assemble_storm_home(tmp_path / "cache", said.append)
    assert isinstance(failure, Failure)
    assert "central is unreachable" in failure.reason
    assert list((tmp_path / "cache").iterdir()) == []


def test_without_maven_one_line_says_what_is_missing_and_what_else_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    failure = assemble_storm_home(tmp_path / "cache", said.append)
    assert isinstance(failure, Failure)
    assert "mvn" in failure.reason
    assert "--storm-home" in failure.reason
    assert "\n" not in failure.reason


def test_a_folder_without_server_jars_is_no_storm_home(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "storm-core-2.8.3.jar").touch()
    failure = open_storm_home(tmp_path)
    assert isinstance(failure, Failure)
    assert str(tmp_path) in failure.reason
    assert "lib/storm-server-VERSION.jar" in failure.reason
    missing = open_storm_home(tmp_path / "nowhere")
    assert isinstance(missing, Failure)
    assert "no such folder" in missing.reason


def test_storm_ui_needs_its_jars_and_its_pages(tmp_path: Path) -> None:
    home = StormHome(tmp_path, "2.8.3")
    seen = [home.has_ui]
    (tmp_path / "public").mkdir()
    (tmp_path / "lib-webapp").mkdir()
    seen.append(home.has_ui)
    (tmp_path / "lib-webapp" / "storm-webapp-2.8.3.jar").touch()
    seen.append(home.has_ui)
    assert seen == [False, False, True]
    assert f"{tmp_path}/lib-webapp/*" in home.daemon_class_path(tmp_path, tmp_path).split(":")
