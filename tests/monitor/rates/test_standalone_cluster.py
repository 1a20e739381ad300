"""The job on a standalone Spark cluster: one master, two worker processes."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eyewall_monitor import rate_document
from histories import Host, reports, write
from kazoo.client import KazooClient
from real_stores import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from real_stores import Server
    from redis import Redis as Store

PATIENCE = 400.0

pytestmark = pytest.mark.slow


@pytest.fixture
def spark_cluster(tmp_path: Path) -> Iterator[str]:
    """Address of the master, once both workers are there."""
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    spark_home = Path(spec.origin).parent
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
    start = str(spark_home / "bin" / "spark-class")
    home = {**os.environ, "SPARK_HOME": str(spark_home), "SPARK_DAEMON_MEMORY": "256m"}
    processes: list[subprocess.Popen[bytes]] = []
    try:
        with log.open("ab") as out:
            processes.extend(
                subprocess.Popen([start, *it], stdout=out, stderr=out, env=home) for it in commands
            )
        wait_for(lambda: log.read_text().count("Successfully registered with master") == 2)
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(30)


def test_rates_come_from_two_worker_processes(
    spark_cluster: str, redis: Server, store: Store, zookeeper: Server, tmp_path: Path
) -> None:
    begin = time.time() // 20 * 20 - 60
    for name, task in (("a", 1), ("b", 3)):
        host = Host(name, lambda _: 100, (task,), (task + 1,))
        write(store, reports(host, begin, begin + 60))
    file = tmp_path / "rates.toml"
    file.write_text(
        f"""
        redis.url = "redis://{redis.address}"
        zookeeper.hosts = "{zookeeper.address}"
        zookeeper.root = "/standalone"
        batches.checkpoints = "{tmp_path}/checkpoints"
        archive.folder = "{tmp_path}/archive"
        [spark.conf]
        "spark.executor.memory" = "512m"
        "spark.driver.host" = "127.0.0.1"
        """
    )
    command = [sys.executable, "-m", "eyewall_monitor.cli", "rates"]
    command += ["--config", str(file), "--master", spark_cluster]
    client = KazooClient(zookeeper.address)
    client.start()
    path = "/standalone/v1/rates/line-1-1700000000"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            wait_for(lambda: client.exists(path))
            found = rate_document.decode(client.get(path)[0])
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
            client.stop()
            client.close()
    assert process.returncode == 0, output.decode()
    # Two hosts of 100 tuples/s each.
    assert found.streams[0].rate.value == pytest.approx(200, rel=0.01)
    for worker in ("one", "two"):
        assert list((tmp_path / worker).glob("app-*/*")), f"worker {worker} ran nothing"


def wait_for(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)
