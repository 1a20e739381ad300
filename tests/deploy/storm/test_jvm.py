"""Class archives of Storm's jars, made by the real JVM, and what happens where it can't."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
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
from free_ports import free_port

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
    # Nobody listens at the port: at Storm's own a supervisor would join any cluster that runs here.
    settings = {"storm.zookeeper.port": free_port(), "storm.local.dir": str(tmp_path / "local")}
    # There would be no archive with this in front of the jars.
    (tmp_path / "conf" / "storm.yaml").write_text(json.dumps(settings))
    if jars == DAEMON_JARS:
        path = home.daemon_class_path(tmp_path / "conf", tmp_path / "extlib-daemon")
    else:  # as a supervisor makes it: its workers' jars, and the topology's after them
        path = f"{home.path}/lib-worker/*:{tmp_path}/topology.jar"
    options = archive_options(home.path, java, jars)
    command = [java, "-XX:+UseSerialGC", *options, "-Xlog:class+load", "-cp", path, name]
    loaded = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    (line,) = (line for line in loaded.splitlines() if f" {name} source:" in line)
    assert line.endswith("source: shared objects file")


REFUSES = "import sys; sys.exit('no archive here')"
OBEYS = """
import pathlib, sys
name = next(word for word in sys.argv if word.startswith("-XX:SharedArchiveFile="))
pathlib.Path(name.partition("=")[2]).touch()
"""
IS_KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"


class FakeJvm:
    """A JVM's folder whose `java` does as it is written; it counts how often it is asked."""

    def __init__(self, folder: Path, program: str) -> None:
        self.asked_file = folder / "asked"
        self.java = folder / "jvm" / "bin" / "java"
        self.java.parent.mkdir(parents=True)
        (folder / "jvm" / "lib").mkdir()
        (folder / "jvm" / "lib" / "modules").touch()
        self.obey(program)
        (folder / "storm" / "lib").mkdir(parents=True)
        self.jar = folder / "storm" / "lib" / "storm-server-2.8.3.jar"
        self.jar.touch()
        self.home = folder / "storm"

    def obey(self, program: str) -> None:
        count = f"print('asked', file=open({str(self.asked_file)!r}, 'a'))"
        self.java.write_text(f"#!{sys.executable}\n{count}\n{program}\n")
        self.java.chmod(0o755)

    @property
    def times_asked(self) -> int:
        return len(self.asked_file.read_text().splitlines()) if self.asked_file.exists() else 0

    def make(self) -> list[str]:
        """Return what is shown on the way."""
        shown: list[str] = []
        make_archives(self.home, str(self.java), shown.append)
        return shown

    @property
    def options(self) -> tuple[str, ...]:
        return archive_options(self.home, str(self.java), DAEMON_JARS)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.usefixtures("cache")
def test_a_jvm_that_makes_no_archive_is_asked_once_and_processes_start_without(
    tmp_path: Path,
) -> None:
    jvm = FakeJvm(tmp_path, REFUSES)
    shown = [jvm.make(), jvm.make()]
    assert any("no archive here" in it for it in shown[0])
    assert shown[1] == []
    assert jvm.options == ()
    assert jvm.times_asked == 2  # the daemons' jars and the workers'


@pytest.mark.usefixtures("cache")
def test_a_jvm_that_is_killed_meanwhile_is_asked_again_the_next_time(tmp_path: Path) -> None:
    jvm = FakeJvm(tmp_path, IS_KILLED)
    assert any("no class archives" in it for it in jvm.make())
    jvm.obey(OBEYS)
    jvm.make()
    assert jvm.options != ()


@pytest.mark.usefixtures("cache")
def test_other_jars_have_an_archive_of_their_own(tmp_path: Path) -> None:
    # An archive is valid for jars of the very time and size, so that an upgrade needs another.
    jvm = FakeJvm(tmp_path, OBEYS)
    jvm.make()
    first = jvm.options
    assert first != ()
    os.utime(jvm.jar, (1, 1))
    assert jvm.options == ()
    jvm.make()
    assert jvm.options not in ((), first)


def test_archives_that_nobody_used_for_a_month_are_removed(tmp_path: Path, cache: Path) -> None:
    jvm = FakeJvm(tmp_path, OBEYS)
    jvm.make()
    (old,) = (cache / "eyewall" / "class-archives").iterdir()
    month_ago = time.time() - 31 * 86_400
    os.utime(old, (month_ago, month_ago))
    os.utime(jvm.jar, (1, 1))
    jvm.make()
    assert not old.exists()
    assert jvm.options != ()


@pytest.mark.usefixtures("cache")
def test_a_script_that_starts_any_jvm_has_no_archive(tmp_path: Path) -> None:
    jvm = FakeJvm(tmp_path, OBEYS)
    (tmp_path / "jvm" / "lib" / "modules").unlink()
    assert jvm.make() == []
    assert jvm.options == ()
    assert jvm.times_asked == 0


def test_a_cache_that_cannot_be_written_is_reported_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    jvm = FakeJvm(tmp_path, OBEYS)
    assert any("no class archives" in it for it in jvm.make())
    assert jvm.options == ()


def test_a_path_with_white_space_is_not_given_to_storm_which_would_split_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "jane doe"))
    jvm = FakeJvm(tmp_path, OBEYS)
    jvm.make()
    assert jvm.options == ()
