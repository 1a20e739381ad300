from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.state import Delays, Mode, Network, RunState, Scheduler, read_state, write_state

if TYPE_CHECKING:
    from pathlib import Path

STATE = RunState(
    cluster="three-sites",
    mode=Mode.NAMESPACES,
    network=Network.ROUTER,
    scheduler=Scheduler.EYEWALL,
    zookeeper=Endpoint("127.0.0.1", 2181),
    redis=Endpoint("127.0.0.1", 6379),
    nimbus=Endpoint("127.0.0.1", 6627),
    ui=None,
    sidecar=Endpoint("127.0.0.1", 7077),
    dashboard=Endpoint("127.0.0.1", 8089),
    own_zookeeper=True,
    storm_home="/storm",
    java="/usr/bin/java",
    redis_server=None,
    host_ports=6700,
    stock_timing=False,
    agents=True,
    latency=True,
    rates=False,
    delays=Delays.MEASURED,
)


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_state(tmp_path / "state.json", STATE)
    assert read_state(tmp_path / "state.json") == STATE
    assert read_state(tmp_path / "none.json") is None


def test_the_keeper_is_whoever_holds_the_lock_and_none_when_it_dies_in_whatever_way(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path / "run")
    assert run.keeper() is None
    assert run.prepare() is None
    assert run.keeper() is None
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        run.lock()
        os.write(writing, b"locked")
        signal.pause()
    os.read(reading, 10)
    assert run.keeper() == child
    assert run.lock() is None
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert run.keeper() is None


def test_a_folder_with_other_things_in_it_is_not_taken_for_a_run_dir(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    failure = RunDir(tmp_path).prepare()
    assert isinstance(failure, Failure)
    assert failure.reason == f"run dir {tmp_path}: not empty, and no run dir of Eyewall's"
    assert (tmp_path / "thesis.tex").exists()


def test_what_an_earlier_run_left_is_taken_away(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    assert run.prepare() is None
    old = run.logs("nimbus") / "nimbus.log"
    old.parent.mkdir()
    old.touch()
    assert run.prepare() is None
    assert not old.exists()


def test_a_run_dir_too_deep_for_a_unix_socket_says_how_long_it_may_be(tmp_path: Path) -> None:
    failure = RunDir(tmp_path / ("x" * 100)).prepare()
    assert isinstance(failure, Failure)
    # 107 bytes of a socket's address less /supervisor.sock
    assert "91 bytes are allowed (--run-dir)" in failure.reason
