"""Class archives of Storm's jars, made by the real JVM, and what happens where it can't."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.failure import Failure
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.storm.home import StormHome, assemble_storm_home
from eyewall_deploy.storm.jvm import (
    DAEMON_JARS,
    WORKER_JARS,
    archive_options,
    find_java,
    make_archives,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home() -> StormHome:
    made = assemble_storm_home(storm_home_cache(), lambda _text: None)
    assert not isinstance(made, Failure)
    return made


@pytest.fixture
def java() -> str:
    found = find_java()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("jars", "name"),
    [
        (DAEMON_JARS, "org.apache.storm.daemon.supervisor.Supervisor"),
        (WORKER_JARS, "org.apache.storm.daemon.worker.Worker"),
    ],
)
def test_a_process_maps_storms_classes_from_the_archive(
    home: StormHome, java: str, jars: str, name: str, tmp_path: Path
) -> None:
    make_archives(home.path, java, lambda _text: None)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "storm.yaml").write_text("{}")  # no archive with it in front of the jars
    if jars == DAEMON_JARS:
        path = home.daemon_class_path(tmp_path / "conf", tmp_path / "extlib-daemon")
    else:  # as a supervisor makes it: its workers' jars, and the topology's after them
        path = f"{home.path}/lib-worker/*:{tmp_path}/topology.jar"
    options = archive_options(home.path, java, jars)
    command = [java, "-XX:+UseSerialGC", *options, "-Xlog:class+load", "-cp", path, name]
    loaded = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    (line,) = (line for line in loaded.splitlines() if f" {name} source:" in line)
    assert line.endswith("source: shared objects file")


def test_a_jvm_that_makes_no_archive_is_asked_once_and_processes_start_without(
    home: StormHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\nexit 1\n")
    java.chmod(0o755)
    for _ in range(2):
        make_archives(home.path, str(java), lambda _text: None)
        assert archive_options(home.path, str(java), WORKER_JARS) == ()
    assert (tmp_path / "asked").read_text() == "asked\n" * 2  # daemons' jars and workers'


def test_other_jars_have_an_archive_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An archive is valid for jars of the very time and size, so that an upgrade needs another.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "lib").mkdir()
    jar = tmp_path / "lib" / "storm-server-2.8.3.jar"
    jar.touch()
    home = StormHome(tmp_path, "2.8.3")
    java = tmp_path / "java"
    java.write_text(
        f"#!{sys.executable}\nimport pathlib, sys\n"
        "name = next(w for w in sys.argv if w.startswith('-XX:SharedArchiveFile='))\n"
        "pathlib.Path(name.partition('=')[2]).touch()\n"
    )
    java.chmod(0o755)
    make_archives(home.path, str(java), lambda _text: None)
    first = archive_options(home.path, str(java), DAEMON_JARS)
    assert first != ()
    os.utime(jar, (1, 1))
    assert archive_options(home.path, str(java), DAEMON_JARS) == ()
    make_archives(home.path, str(java), lambda _text: None)
    assert archive_options(home.path, str(java), DAEMON_JARS) not in ((), first)
