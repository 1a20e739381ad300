import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

PATIENCE = 120.0
"""Seconds; no test means to wait so long."""
FAMILY = 4
"""A resource tracker, what solver processes are forked from, and two of them."""


def configuration(tmp_path: Path, port: int = 0) -> Path:
    path = tmp_path / "sidecar.toml"
    path.write_text(f'listen = "127.0.0.1:{port}"\n')
    return path


def start(config: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "eyewall_sidecar.cli.app", "serve", "--config", str(config)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.fixture
def sidecar(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    process = start(configuration(tmp_path))
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def ready_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def wait_until_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert alive == []


def test_one_line_says_that_it_is_ready_and_where(sidecar: subprocess.Popen[str]) -> None:
    line = ready_line(sidecar)
    assert line.startswith("eyewall sidecar ready on 127.0.0.1:")
    port = int(line.split("127.0.0.1:")[1].split()[0])
    socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly_and_leaves_no_process(
    sidecar: subprocess.Popen[str], number: signal.Signals
) -> None:
    ready_line(sidecar)
    family = psutil.Process(sidecar.pid).children(recursive=True)
    assert len(family) >= FAMILY
    sidecar.send_signal(number)
    _, errors = sidecar.communicate(timeout=PATIENCE)
    assert sidecar.returncode == 0
    assert "Traceback" not in errors
    wait_until_gone(family)


def test_a_signal_while_it_starts_stops_it_too(sidecar: subprocess.Popen[str]) -> None:
    sidecar_process = psutil.Process(sidecar.pid)
    started = time.monotonic()
    family: list[psutil.Process] = []
    # What solver processes are forked from ends with the last of them.
    while len(family) < 2 and time.monotonic() < started + PATIENCE:
        time.sleep(0.02)
        family = sidecar_process.children(recursive=True)
    sidecar.send_signal(signal.SIGTERM)
    output, errors = sidecar.communicate(timeout=PATIENCE)
    assert (sidecar.returncode, output) == (0, "")
    assert "Traceback" not in errors
    wait_until_gone(family)


def test_when_it_is_killed_its_solver_processes_end_by_themselves(
    sidecar: subprocess.Popen[str],
) -> None:
    ready_line(sidecar)
    family = psutil.Process(sidecar.pid).children(recursive=True)
    assert len(family) >= FAMILY
    sidecar.kill()
    wait_until_gone(family)


def test_it_says_where_delays_come_from_without_the_password_and_ends_while_redis_is_away(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sidecar.toml"
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and says nothing
        there = f"127.0.0.1:{silent.getsockname()[1]}"
        path.write_text(
            f'listen = "127.0.0.1:0"\n[delays]\nredis = "redis://user:secret@{there}/2"\n'
            'prefix = "storm-2:eyewall"\n'
        )
        process = start(path)
        line = ready_line(process)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
    assert line.endswith(f" (delays from redis://{there}/2, prefix storm-2:eyewall)\n")
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert "secret" not in errors


def test_an_option_of_the_redis_url_that_is_not_known_is_one_line_and_not_success(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sidecar.toml"
    path.write_text('[delays]\nredis = "redis://user:secret@r/0?socket_timeout=x"\n')
    process = start(path)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (2, "")
    assert errors == (
        f"eyewall serve: {path}: [delays] redis: option socket_timeout is 'x'; "
        "it must be seconds above 0, up to 3600\n"
    )


def test_a_port_that_is_taken_is_one_line_and_not_success(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(configuration(tmp_path, port))
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert output == ""
    assert errors == f"eyewall serve: cannot listen on 127.0.0.1:{port}: Address already in use\n"


def test_a_bad_default_is_one_line_with_the_file_and_not_success(tmp_path: Path) -> None:
    path = tmp_path / "sidecar.toml"
    path.write_text("[defaults]\npolicy = 'opd'\n")
    process = start(path)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (2, "")
    assert errors.startswith(f"eyewall serve: {path}: [defaults] policy is ")
    assert errors.count("\n") == 1


def test_a_bad_configuration_is_one_line_and_not_success(tmp_path: Path) -> None:
    path = tmp_path / "sidecar.toml"
    path.write_text("[solver]\nseconds = 3\n")
    process = start(path)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert output == ""
    assert errors == (
        f"eyewall serve: {path}: no key [solver] seconds; keys there are "
        "first_placement_seconds, improvement_seconds, seed\n"
    )
