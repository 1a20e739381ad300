"""The command as a user starts it, on a standalone Spark cluster: one master, two workers.

One run shows all that the process does: Spark's start is what takes the time.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_contracts.rates import decode_rates
from eyewall_deploy.storm.jvm import find_java
from eyewall_monitor.cli import app
from free_ports import free_port
from histories import Host, reports, write
from kazoo.client import KazooClient
from typer.testing import CliRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eyewall_contracts.rates import Rates
    from real_stores import Server
    from redis import Redis as Store

PATIENCE = 300.0
QUICK_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")


@pytest.fixture
def spark_cluster(tmp_path: Path) -> Iterator[str]:
    """Address of the master, once both workers are there."""
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    spark_home = Path(spec.origin).parent
    java = find_java()
    assert java is not None
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    here = ["--host", "127.0.0.1", "--webui-port", "0"]
    size = ["--cores", "1", "--memory", "700m"]
    worker = ["org.apache.spark.deploy.worker.Worker", *here, *size]
    commands = [
        ["org.apache.spark.deploy.master.Master", *here, "--port", str(port)],
        [*worker, "--work-dir", str(tmp_path / "one"), address],
        [*worker, "--work-dir", str(tmp_path / "two"), address],
    ]
    log = tmp_path / "cluster.log"
    # As bin/spark-class does, without the Java that it asks for the command.
    start = [java, *QUICK_START.split(), "-Xmx256m", "-cp", f"{spark_home}/jars/*"]
    home = {**os.environ, "SPARK_HOME": str(spark_home), "SPARK_SCALA_VERSION": "2.13"}
    processes: list[subprocess.Popen[bytes]] = []
    try:
        with log.open("ab") as out:
            processes.extend(
                subprocess.Popen([*start, *it], stdout=out, stderr=out, env=home) for it in commands
            )
        wait_for(lambda: log.read_text().count("Successfully registered with master") == 2, log)
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(30)


def test_the_command_estimates_on_two_workers_archives_ends_on_sigterm_and_recomputes(
    spark_cluster: str, redis: Server, store: Store, zookeeper: Server, tmp_path: Path
) -> None:
    begin = time.time() // 20 * 20 - 200
    for name, task in (("a", 1), ("b", 3)):
        host = Host(name, lambda _: 100, (task,), (task + 1,))
        write(store, reports(host, begin, begin + 180))
    file = tmp_path / "rates.toml"
    file.write_text(
        f"""
        redis.url = "redis://{redis.address}"
        zookeeper.servers = "{zookeeper.address}"
        zookeeper.root = "/standalone"
        batches.checkpoints = "{tmp_path}/checkpoints"
        archive.folder = "{tmp_path}/archive"
        archive.every_seconds = 1.0
        [spark]
        memory = "512m"
        partitions = 2
        [spark.conf]
        "spark.executor.memory" = "512m"
        "spark.executor.extraJavaOptions" = "{QUICK_START}"
        "spark.driver.extraJavaOptions" = "{QUICK_START}"
        "spark.driver.host" = "127.0.0.1"
        """
    )
    log = tmp_path / "rates.log"
    found = streamed(file, spark_cluster, zookeeper, tmp_path / "archive", log)
    # Two hosts of 100 tuples/s each.
    assert found.streams[0].rate.value == pytest.approx(200, rel=0.01)
    for worker in ("one", "two"):
        assert list((tmp_path / worker).glob("app-*/*")), f"worker {worker} ran nothing"
    assert f"eyewall rates ready on {spark_cluster}" in log.read_text()
    assert "stopping on SIGTERM" in log.read_text()
    assert "Traceback" not in log.read_text()

    lines = recomputed(file, begin, begin + 180)
    # 180 s of windows of 60 s every 20 s: 7 of them, with one stream in each; 36 reports of 5 rows
    # of each host, but for the last, which ends with the period and so is of the next.
    assert sum(it["of"] == "streams" for it in lines) == 7
    assert lines[-1] == {"of": "period", "rows": 2 * 35 * 5, "late": 0, "lost": 0}


def streamed(file: Path, master: str, zookeeper: Server, archive: Path, log: Path) -> Rates:
    """Run the command until it has written rates and archived, and end it as a system does."""
    command = [sys.executable, "-m", "eyewall_monitor.cli", "rates"]
    command += ["--config", str(file), "--master", master]
    client = KazooClient(zookeeper.address)
    client.start()
    path = "/standalone/v1/rates/line-1-1700000000"
    with log.open("ab") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            wait_for(lambda: client.exists(path) and list(archive.glob("day=*/*/*/*.parquet")), log)
            found = decode_rates(client.get(path)[0])
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            if process.poll() is None:
                process.kill()
            client.stop()
            client.close()
    return found


def recomputed(file: Path, start: float, end: float) -> list[dict[str, Any]]:
    """What the command prints about a period."""
    period = [time.strftime("%FT%T", time.gmtime(it)) for it in (start, end)]
    arguments = ["--config", str(file), "--batch", "--from", period[0], "--to", period[1]]
    result = CliRunner().invoke(app, ["rates", *arguments])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def wait_for(true: Callable[[], object], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
