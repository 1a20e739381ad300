"""The command as a user starts it: a process of its own, with a Spark of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from eyewall_monitor.cli import app
from eyewall_monitor.rates import checkpoint
from eyewall_monitor.rates.checkpoint import Made
from histories import Host, reports, write
from kazoo.client import KazooClient
from typer.testing import CliRunner

if TYPE_CHECKING:
    from pathlib import Path

    from real_stores import Server
    from redis import Redis as Store

PATIENCE = 120.0


def a_config(folder: Path, redis: str = "127.0.0.1:1", zookeeper: str = "127.0.0.1:1") -> Path:
    file = folder / "rates.toml"
    file.write_text(
        f"""
        [redis]
        url = "redis://{redis}"
        [zookeeper]
        hosts = "{zookeeper}"
        root = "/{folder.name}"
        [batches]
        checkpoints = "{folder}/checkpoints"
        [archive]
        folder = "{folder}/archive"
        every_seconds = 1.0
        [spark]
        conf = {{ "spark.driver.extraJavaOptions" = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1" }}
        """
    )
    return file


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["rates", *arguments])
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    return result.output


def test_a_checkpoint_of_an_older_version_ends_it_with_one_error(tmp_path: Path) -> None:
    file = a_config(tmp_path)
    checkpoint.opened(tmp_path / "checkpoints", Made(0, 60.0, 20.0, 60.0))
    assert "its version is 0, this job's is 1; move it away" in refused("--config", str(file))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--config", "/nowhere.toml"], "No such file"),
        (["--batch", "--from", "yesterday", "--to", "x"], "--from yesterday: it must be a time"),
        (["--batch", "--from", "2026-01-31T12:00", "--to", "2026-01-31T12:00"], "is not before"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: list[str], complaint: str) -> None:
    assert complaint in refused(*arguments)


def test_it_writes_rates_and_ends_cleanly_on_sigterm(
    redis: Server, store: Store, zookeeper: Server, tmp_path: Path
) -> None:
    begin = time.time() // 20 * 20 - 200
    write(store, reports(Host("a", lambda _: 100), begin, begin + 180))
    file = a_config(tmp_path, redis.address, zookeeper.address)
    command = [sys.executable, "-m", "eyewall_monitor.cli", "rates", "--config", str(file)]
    client = KazooClient(zookeeper.address)
    client.start()
    path = f"/{tmp_path.name}/v1/rates/line-1-1700000000"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            wait_for(lambda: client.exists(path) and list((tmp_path / "archive").glob("day=*")))
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
            client.stop()
            client.close()
    said = output.decode()
    assert process.returncode == 0, said
    assert "eyewall rates ready on local[2]" in said
    assert "stopping on SIGTERM" in said
    assert "Traceback" not in said
    period = [time.strftime("%FT%T", time.gmtime(begin + it)) for it in (0, 180)]
    batch = [*command, "--batch", "--from", period[0], "--to", period[1]]
    found = subprocess.run(batch, capture_output=True, env=os.environ, check=True)
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    # 180 s of windows of 60 s every 20 s: 7 of them, with one stream in each; 36 reports of 5 rows,
    # but for the last, which ends with the period and so is of the next.
    assert sum(it["of"] == "streams" for it in lines) == 7
    assert lines[-1] == {"of": "period", "rows": 35 * 5, "late": 0, "lost": 0}


def wait_for(true: object) -> None:
    assert callable(true)
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)
