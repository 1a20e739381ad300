"""How long a step in a source's rate takes to be in the estimate, live.

All that lies between is real: workers' counters (steps of 20, told every 5 s at moments of each
worker's own) go as Graphite lines to an agent on each host, its reports to a Redis, through the
rates job, to a ZooKeeper. Rates go tenfold up and down in turns, at moments that have nothing to
do with any of the others; what counts ends with the first document whose estimate is within a
tenth of the new rate. At last one worker tells a spike: one sample of tenfold the rate. What the
rates job takes of CPU and memory meanwhile is told too.

    python -m benchmarks rates-step [--steps 12] [--hosts 3] [--workers 2] [--every 2.0] [--seed 1]
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

import psutil
from kazoo.client import KazooClient

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))

from eyewall_contracts.rates import decode_rates
from eyewall_contracts.znodes import Znodes
from fake_worker import start_worker
from free_ports import free_port
from real_stores import Server, redis_server, zookeeper_server

TOPOLOGY = "step-1-1000"
PERIOD = 5.0
"""Seconds between two tellings of a worker."""
STEP = 20
"""Of Storm's counters, at the default topology.stats.sample.rate."""
LOW, HIGH = 100.0, 1000.0
"""Tuples/s that each task takes."""
CALM = 40.0
"""Seconds between two steps, give or take a tellings' period."""
WITHIN = 0.1
PATIENCE = 120.0
PORT = 6700


@dataclass
class Source:
    """What all tasks take: the truth, told from outside."""

    rate: float = LOW
    _since: float = field(default_factory=time.monotonic)
    _before: float = 0.0

    def step(self, rate: float) -> None:
        """Go on with another rate."""
        self._before, self._since = self.total(), time.monotonic()
        self.rate = rate

    def total(self) -> float:
        """Tuples of one task up to now."""
        return self._before + self.rate * (time.monotonic() - self._since)


@dataclass
class Teller:
    """One worker's reporter: tells its task's counter every PERIOD, at moments of its own."""

    source: Source
    agent: int
    number: int
    phase: float
    extra: float = 0.0
    """Tuples that only this worker took."""
    spikes: bool = False

    def run(self, stopped: threading.Event) -> None:
        """Tell until `stopped`."""
        due = time.monotonic() + self.phase
        while not stopped.wait(due - time.monotonic()):
            if self.spikes:
                self.extra, self.spikes = self.extra + 9 * self.source.rate * PERIOD, False
            count = int((self.source.total() + self.extra) / STEP + self.phase / PERIOD) * STEP
            name = f"storm.worker.{TOPOLOGY}.h.bolt.default.{self.number}.{PORT + self.number}"
            line = f"{name}-__execute-count-spout:default.count {count} {int(time.time())}\n"
            with socket.create_connection(("127.0.0.1", self.agent)) as connection:
                connection.sendall(line.encode())
            due += PERIOD


@dataclass(frozen=True)
class Seen:
    """One document: when it came, and what it says of the stream."""

    at: float
    value: float
    tasks: int


class Documents:
    """All documents that ZooKeeper gets."""

    def __init__(self, zookeeper: str) -> None:
        logging.getLogger("kazoo").setLevel("CRITICAL")
        self.seen: list[Seen] = []
        self.client = KazooClient(zookeeper)
        self.client.start()
        self.client.DataWatch(Znodes().rates(TOPOLOGY), self._take)

    def _take(self, data: bytes | None, _stat: object) -> None:
        if data:
            for it in decode_rates(data).streams:
                self.seen.append(Seen(time.monotonic(), it.rate.value, it.tasks))

    def wait_for(self, value: float, tasks: int, since: float) -> float:
        """Seconds from `since` to the first that is within a tenth of `value`."""
        while True:
            for it in self.seen:
                if it.at > since and it.tasks == tasks and abs(it.value / value - 1) <= WITHIN:
                    return it.at - since
            if time.monotonic() > since + PATIENCE:
                raise SystemExit(f"no estimate of {value:g} in {PATIENCE:g} s: {self.seen[-5:]}")
            time.sleep(0.05)


@dataclass(frozen=True)
class Spent:
    """What a process and those that it started have taken so far, and their memory now."""

    at: float
    cpu_seconds: float
    proportional_megabytes: float

    @classmethod
    def of(cls, process: psutil.Process) -> Spent:
        everyone = [process, *process.children(recursive=True)]
        times = [it.cpu_times() for it in everyone]
        return cls(
            time.monotonic(),
            sum(it.user + it.system + it.children_user + it.children_system for it in times),
            sum(it.memory_full_info().pss for it in everyone) / 1e6,
        )

    def since(self, before: Spent) -> str:
        cores = (self.cpu_seconds - before.cpu_seconds) / (self.at - before.at)
        return f"rates job: {cores:.2f} cores, {self.proportional_megabytes:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--hosts", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="of each host, of one task each")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two batches")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = Random(given.seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "zookeeper").mkdir()
        redis, zookeeper = redis_server(), zookeeper_server(folder / "zookeeper")
        for server in (redis, zookeeper):
            server.start()
            stack.callback(server.stop)
        job = started_job(stack, folder, redis, zookeeper, given.every)
        source = Source()
        stopped = threading.Event()
        tellers: list[Teller] = []
        for host in range(given.hosts):
            agent = started_agent(stack, folder / f"host-{host}", redis, zookeeper)
            for _ in range(given.workers):
                teller = Teller(source, agent, len(tellers), rng.random() * PERIOD)
                worker = start_worker(
                    *(folder / f"host-{host}", TOPOLOGY, PORT + teller.number, f"w{teller.number}")
                )
                stack.callback(worker.wait)
                stack.callback(worker.kill)
                worker.send_signal(signal.SIGSTOP)  # to be seen is all that it is there for
                tellers.append(teller)
        for teller in tellers:
            thread = threading.Thread(target=teller.run, args=(stopped,))
            thread.start()
            stack.callback(thread.join)
        stack.callback(stopped.set)
        documents = Documents(zookeeper.address)
        stack.callback(documents.client.close)
        stack.callback(documents.client.stop)
        before = Spent.of(job)
        steps(documents, source, len(tellers), given.steps, rng)
        print(Spent.of(job).since(before))
        spike(documents, source, rng.choice(tellers), len(tellers))


def steps(documents: Documents, source: Source, tasks: int, count: int, rng: Random) -> None:
    """Step up and down in turns; print how long each took to be seen."""
    documents.wait_for(LOW * tasks, tasks, time.monotonic())
    print("| step | from | to (tuples/s) | seconds | load |", flush=True)
    print("| --- | --- | --- | --- | --- |", flush=True)
    took = []
    for number in range(count):
        time.sleep(CALM + rng.random() * PERIOD)
        before, after = source.rate, HIGH if source.rate == LOW else LOW
        now = time.monotonic()
        source.step(after)
        took.append(documents.wait_for(after * tasks, tasks, now))
        row = f"{number + 1} | {before * tasks:g} | {after * tasks:g} | {took[-1]:.1f}"
        print(f"| {row} | {os.getloadavg()[0]:.1f} |", flush=True)
    print(f"\nmedian {median(took):.1f} s, worst {max(took):.1f} s (wanted: 15 s)")


def spike(documents: Documents, source: Source, teller: Teller, tasks: int) -> None:
    """One worker tells tenfold once; print how far the stream's estimate moves."""
    time.sleep(CALM)
    now, rate = time.monotonic(), source.rate
    teller.spikes = True
    time.sleep(CALM)
    moved = max(abs(it.value - rate * tasks) for it in documents.seen if it.at > now)
    print(
        f"a spike of {9 * rate:g} tuples/s in one sample moves the estimate by {moved:.0f}: "
        f"{moved / (9 * rate):.2f} of it (wanted: less than 0.33)"
    )


def started_job(
    stack: ExitStack, folder: Path, redis: Server, zookeeper: Server, every: float
) -> psutil.Process:
    file = folder / "rates.toml"
    file.write_text(
        f'redis.url = "redis://{redis.address}"\nzookeeper.servers = "{zookeeper.address}"\n'
        f'batches.every_seconds = {every}\nbatches.checkpoints = "{folder}/checkpoints"\n'
        f'archive.folder = "{folder}/archive"\nspark.memory = "512m"\n'
    )
    return started(stack, folder / "rates.log", "rates", file)


def started_agent(stack: ExitStack, folder: Path, redis: Server, zookeeper: Server) -> int:
    """Start the agent of one host; return the port that its workers tell."""
    folder.mkdir()
    port = free_port()
    file = folder / "monitor.toml"
    file.write_text(
        f'host = "{folder.name}"\nlisten = "127.0.0.1:{port}"\n'
        f'redis.url = "redis://{redis.address}/0"\nzookeeper.servers = "{zookeeper.address}"\n'
        f'storm.local_dir = "{folder}"\n'
    )
    started(stack, folder / "agent.log", "agent", file)
    return port


def started(stack: ExitStack, log: Path, what: str, config: Path) -> psutil.Process:
    """Start one of our processes and wait until it says that it is ready."""
    command = [sys.executable, "-m", "eyewall_monitor.cli", what, "--config", str(config)]
    with log.open("ab") as out:
        process = psutil.Popen(command, stdout=out, stderr=out)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    end = time.monotonic() + PATIENCE
    while "ready on" not in log.read_text():
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"eyewall-monitor {what} did not start:\n{log.read_text()}")
        time.sleep(0.1)
    return process


if __name__ == "__main__":
    main()
