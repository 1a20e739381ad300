from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.run_dir import RunDir

if TYPE_CHECKING:
    from pathlib import Path


def test_the_keeper_is_the_process_that_holds_the_lock_until_it_dies_in_any_way(
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


def test_a_folder_with_other_content_is_not_used_as_a_run_dir(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    failure = RunDir(tmp_path).prepare()
    assert isinstance(failure, Failure)
    assert failure.reason == f"run dir {tmp_path}: not empty, and not a run dir of Eyewall's"
    assert (tmp_path / "thesis.tex").exists()


def test_what_an_earlier_run_left_is_removed(tmp_path: Path) -> None:
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
