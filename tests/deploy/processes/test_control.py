"""Commands to a real supervisord; its programs are shells."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.processes.control import Control, SupervisordGoneError
from eyewall_deploy.processes.supervisord import Program
from eyewall_deploy.run_dir import RunDir
from real_supervisord import running_supervisord

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

STUBBORN = "trap '' TERM; touch {}; while :; do sleep 0.1; done"
"""Ends only by supervisord's SIGKILL, seconds after the request."""


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Control]]:
    programs = [
        Program("stubborn", ("sh", "-c", STUBBORN.format(tmp_path / "trapped"))),
        Program("tame", ("sleep", "1000")),
    ]
    with running_supervisord(tmp_path, programs) as found:
        while not (tmp_path / "trapped").exists():
            time.sleep(0.05)
        yield found


@pytest.fixture
def supervisord(running: tuple[subprocess.Popen[bytes], Control]) -> subprocess.Popen[bytes]:
    return running[0]


@pytest.fixture
def control(running: tuple[subprocess.Popen[bytes], Control]) -> Control:
    return running[1]


def test_all_are_asked_to_stop_even_if_one_is_stopping_already(control: Control) -> None:
    control.stop_all_but(["tame"])
    assert control.state("stubborn").state == "STOPPING"
    control.stop_all_but([])
    assert control.state("tame").state in {"STOPPING", "STOPPED"}


def test_a_supervisord_that_shuts_down_is_gone(
    control: Control, supervisord: subprocess.Popen[bytes]
) -> None:
    supervisord.terminate()  # it answers with a fault until the stubborn one has ended
    while control.answers():
        time.sleep(0.01)
    assert supervisord.poll() is None
    for ask in (control.states, lambda: control.start("tame"), lambda: control.stop_all_but([])):
        with pytest.raises(SupervisordGoneError):
            ask()


def test_a_program_that_is_killed_is_started_again(control: Control) -> None:
    before = control.state("tame").pid
    assert control.kill("tame") is None
    while control.state("tame").pid in {before, 0}:
        time.sleep(0.05)
    assert control.stop("tame") is None
    assert control.kill("tame") is None  # nothing to kill
    assert control.state("tame").state == "STOPPED"
    refused = control.kill("wild")
    assert refused is not None
    assert refused.reason == "program wild: there is none; programs are stubborn, tame"


def test_without_supervisord_it_is_gone(tmp_path: Path) -> None:
    control = Control(RunDir(tmp_path).socket)
    assert not control.answers()
    with pytest.raises(SupervisordGoneError):
        control.states()
