"""The agent as a process, with a real Redis, a real ZooKeeper and something like a worker."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import redis as redis_client
from eyewall_contracts.metric_history import HistoryKeys, decode_entry
from eyewall_contracts.sample import decode_sample
from eyewall_contracts.znodes import Znodes
from eyewall_monitor.agent.serve import report_due
from fake_worker import start_worker
from free_ports import free_port
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from real_stores import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from eyewall_contracts.sample import Sample

T = TypeVar("T")
REPORT_SECONDS = 0.5


def wait_for(look: Callable[[], T | None], seconds: float = 120) -> T:
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < end
        time.sleep(0.05)


class Agent:
    def __init__(self, folder: Path, redis: Server, zookeeper: Server, backlog: int = 1000) -> None:
        self.port = free_port()
        self.host = f"host-{self.port}"
        self.file = folder / "monitor.toml"
        self.file.write_text(
            f'host = "{self.host}"\nlisten = "127.0.0.1:{self.port}"\n'
            f"report_seconds = {REPORT_SECONDS}\n"
            f'[zookeeper]\nservers = "{zookeeper.address}"\n'
            f'[redis]\nurl = "redis://{redis.address}/0"\nbacklog = {backlog}\n'
            f'[storm]\nlocal_dir = "{folder}"\n'
        )
        self.log = folder / "agent.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "eyewall_monitor.cli", "agent", "--config", self.file],
                stdout=log,
                stderr=log,
            )
        wait_for(lambda: "ready on" in self.log.read_text())

    def send(self, topology: str, count: int) -> None:
        name = f"storm.worker.{topology}.h.count.default.3.6700-__execute-count-split:default.count"
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(f"{name} {count} {int(time.time())}\n".encode())

    def end(self, number: int = signal.SIGTERM) -> int:
        os.kill(self.process.pid, number)
        return self.process.wait(120)


@pytest.fixture
def backlog() -> int:
    """More reports than come before a store has answered for the first time."""
    return 1000


@pytest.fixture
def agent(tmp_path: Path, redis: Server, zookeeper: Server, backlog: int) -> Iterator[Agent]:
    client = redis_client.Redis.from_url(redis.patient_url)
    client.flushall()
    client.close()
    started = Agent(tmp_path, redis, zookeeper, backlog)
    yield started
    started.process.kill()
    started.process.wait()


@pytest.fixture
def latest(agent: Agent, zookeeper: Server) -> Iterator[Callable[[], Sample | None]]:
    client = KazooClient(zookeeper.address, timeout=40.0)
    client.start(timeout=120)

    def read() -> Sample | None:
        try:
            return decode_sample(client.get(Znodes().sample(agent.host))[0])
        except NoNodeError:
            return None

    yield read
    client.stop()
    client.close()


def entries(agent: Agent, redis: Server) -> list[Sample]:
    client = redis_client.Redis.from_url(redis.patient_url)
    found: Any = client.xrange(HistoryKeys().stream(agent.host))
    client.close()
    return [decode_entry(fields) for _, fields in found]


def test_a_workers_tuples_and_cpu_are_in_both_stores(
    agent: Agent, latest: Callable[[], Sample | None], redis: Server, tmp_path: Path
) -> None:
    worker = start_worker(tmp_path, "wc-1-1000", 6700, "w1")
    try:

        def reported() -> Sample | None:
            agent.send("wc-1-1000", 400)  # again: a worker that was not found yet has no tasks
            of_tasks = [s for s in entries(agent, redis) if s.workers and s.workers[0].tasks]
            return of_tasks[0] if of_tasks else None

        it = wait_for(reported).workers[0]
        assert it.tasks[0].inputs[0].executed == 400  # a counter: what is sent again adds nothing
        assert (it.topology, it.port, it.id) == ("wc-1-1000", 6700, "w1")
        assert it.memory > 1_000_000

        def used() -> tuple[float, float] | None:
            now = latest()
            if now is None or not now.workers or not now.workers[0].cpu:
                return None
            return now.workers[0].cpu, now.seconds

        cpu, seconds = wait_for(used)
        assert 0 < cpu <= 2 * seconds  # it has one thread
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.parametrize(
    ("complete_at", "due"),
    [
        (None, 105.0),  # nobody reports: 5 s after the last
        (103.2, 103.2),  # as soon as a worker has reported
        (100.1, 101.0),  # but a second after the last at the soonest
        (105.3, 105.3),  # a counter report is under way when the 5 s are over: it is waited for
        (150.0, 106.0),  # one that never ends is not
    ],
)
def test_a_report_is_made_when_a_worker_has_reported(complete_at: float | None, due: float) -> None:
    assert report_due(100.0, 5.0, complete_at) == due


def test_reports_may_come_faster_than_each_second_if_set_so() -> None:
    assert report_due(100.0, 0.5, 100.1) == 100.5


def test_no_report_is_missing_and_none_is_there_twice(agent: Agent, redis: Server) -> None:
    wait_for(lambda: len(entries(agent, redis)) >= 5)
    numbers = [report.sequence for report in entries(agent, redis)]
    assert numbers == list(range(len(numbers)))


def test_a_sigterm_ends_it_cleanly_and_its_report_vanishes(
    agent: Agent, latest: Callable[[], Sample | None]
) -> None:
    wait_for(latest)
    assert agent.end() == 0
    assert latest() is None
    assert "stopping on SIGTERM" in agent.log.read_text()
    assert "Traceback" not in agent.log.read_text()


@pytest.mark.parametrize("backlog", [4])
def test_while_redis_is_away_reports_wait_and_what_was_dropped_is_in_the_reports(
    agent: Agent, latest: Callable[[], Sample | None], redis: Server
) -> None:
    wait_for(lambda: entries(agent, redis) and latest())  # neither store waits for the other
    redis.stop()
    # Four may wait: after nine reports without Redis five or more are lost.
    gone = latest()
    assert gone is not None

    def much_later() -> bool:
        now = latest()
        return now is not None and now.sequence >= gone.sequence + 9

    wait_for(much_later)
    redis.start()
    wait_for(lambda: [s for s in entries(agent, redis) if s.counters.get(DROPPED, 0) >= 5])
    log = agent.log.read_text()
    assert log.count("Redis does not take reports: ") == 1
    wait_for(lambda: "Redis takes reports again" in agent.log.read_text())
    assert "Traceback" not in log


DROPPED = "dropped: reports to Redis"


def test_stores_that_hang_keep_no_line_waiting(agent: Agent, redis: Server) -> None:
    wait_for(lambda: entries(agent, redis))
    redis.freeze()
    try:
        began = time.monotonic()
        for _ in range(50):
            agent.send("wc-1-1000", 1)
        assert time.monotonic() - began < 60
    finally:
        redis.thaw()


def test_an_agent_without_any_store_runs_and_ends(tmp_path: Path) -> None:
    nowhere = Server([], free_port(), lambda _: None)
    agent = Agent(tmp_path, nowhere, nowhere)
    wait_for(lambda: "ZooKeeper does not take reports: no connection" in agent.log.read_text())
    wait_for(lambda: "Redis does not take reports: " in agent.log.read_text())
    time.sleep(2 * REPORT_SECONDS)
    assert agent.end() == 0
    assert agent.log.read_text().count("does not take reports") == 2


@pytest.mark.parametrize(
    ("text", "code", "complaint"),
    [("colour = 1", 2, "no key colour"), ('listen = "127.0.0.1:{port}"', 1, "Address already")],
)
def test_what_keeps_it_from_starting_is_one_line(
    tmp_path: Path, text: str, code: int, complaint: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        file = tmp_path / "monitor.toml"
        file.write_text(text.replace("{port}", str(taken.getsockname()[1])))
        ended = subprocess.run(
            [sys.executable, "-m", "eyewall_monitor.cli", "agent", "--config", file],
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == code
    assert complaint in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
