"""The time until a step in a source's rate is in the estimate, live.

The whole path is real: workers' counters (steps of 20, reported every 5 s, each worker with its own
phase) go as Graphite lines to an agent on each host, its reports to a Redis, and through the rates
job to a ZooKeeper. Rates go tenfold up and down in turns, at random moments; a step ends with the
first document whose estimate is within a tenth of the new rate. Finally one worker reports a spike:
one sample of tenfold the rate. CPU and memory of the rates job are printed, too.

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
from eyewall_contracts.rates import decode_rates
from eyewall_contracts.znodes import Znodes
from fake_worker import start_worker
from free_ports import free_port
from kazoo.client import KazooClient
from real_stores import Server, redis_server, zookeeper_server

TOPOLOGY = "step-1-1000"
PERIOD = 5.0
"""Seconds between two reports of a worker."""
STEP = 20
"""Step of Storm's counters, at the default topology.stats.sample.rate."""
LOW, HIGH = 100.0, 1000.0
"""Tuples/s that each task receives."""
CALM = 40.0
"""Least seconds between two steps; up to a report's period is added."""
WITHIN = 0.1
PATIENCE = 120.0
PORT = 6700


@dataclass
class Source:
    """The true rate of every task."""

    rate: float = LOW
    _since: float = field(default_factory=time.monotonic)
    _before: float = 0.0

    def step(self, rate: float) -> None:
        """Continue with another rate."""
        self._before, self._since = self.total(), time.monotonic()
        self.rate = rate

    def total(self) -> float:
        """Return the tuples of one task up to now."""
        return self._before + self.rate * (time.monotonic() - self._since)


@dataclass
class WorkerReporter:
    """One worker's reporter: sends its task's counter every PERIOD, with its own phase."""

    source: Source
    agent: int
    number: int
    phase: float
    extra: float = 0.0
    """Tuples that only this worker received."""
    spike_due: bool = False

    def run(self, stopped: threading.Event) -> None:
        """Report until `stopped`."""
        due = time.monotonic() + self.phase
        while not stopped.wait(due - time.monotonic()):
            if self.spike_due:
                self.extra, self.spike_due = self.extra + 9 * self.source.rate * PERIOD, False
            count = int((self.source.total() + self.extra) / STEP + self.phase / PERIOD) * STEP
            name = f"storm.worker.{TOPOLOGY}.h.bolt.default.{self.number}.{PORT + self.number}"
            line = f"{name}-__execute-count-spout:default.count {count} {int(time.time())}\n"
            with socket.create_connection(("127.0.0.1", self.agent)) as connection:
                connection.sendall(line.encode())
            due += PERIOD


@dataclass(frozen=True)
class StreamEstimate:
    """The stream's estimate in one document, and its time of arrival."""

    at: float
    value: float
    tasks: int


class RateDocuments:
    """All rate documents that ZooKeeper receives."""

    def __init__(self, zookeeper: str) -> None:
        logging.getLogger("kazoo").setLevel("CRITICAL")
        self.estimates: list[StreamEstimate] = []
        self.client = KazooClient(zookeeper)
        self.client.start()
        self.client.DataWatch(Znodes().rates(TOPOLOGY), self._take)

    def _take(self, data: bytes | None, _stat: object) -> None:
        if data:
            for it in decode_rates(data).streams:
                self.estimates.append(StreamEstimate(time.monotonic(), it.rate.value, it.tasks))

    def wait_for(self, value: float, tasks: int, since: float) -> float:
        """Return the seconds from `since` to the first estimate within a tenth of `value`."""
        while True:
            for it in self.estimates:
                if it.at > since and it.tasks == tasks and abs(it.value / value - 1) <= WITHIN:
                    return it.at - since
            if time.monotonic() > since + PATIENCE:
                raise SystemExit(
                    f"no estimate of {value:g} in {PATIENCE:g} s: {self.estimates[-5:]}"
                )
            time.sleep(0.05)


@dataclass(frozen=True)
class ProcessUsage:
    """CPU so far of a process and its children, and their memory now."""

    at: float
    cpu_seconds: float
    proportional_megabytes: float

    @classmethod
    def of(cls, process: psutil.Process) -> ProcessUsage:
        everyone = [process, *process.children(recursive=True)]
        times = [it.cpu_times() for it in everyone]
        return cls(
            time.monotonic(),
            sum(it.user + it.system + it.children_user + it.children_system for it in times),
            sum(it.memory_full_info().pss for it in everyone) / 1e6,
        )

    def since(self, before: ProcessUsage) -> str:
        cores = (self.cpu_seconds - before.cpu_seconds) / (self.at - before.at)
        return f"rates job: {cores:.2f} cores, {self.proportional_megabytes:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--hosts", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="of each host, of one task each")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two batches")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = Random(options.seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "zookeeper").mkdir()
        redis, zookeeper = redis_server(), zookeeper_server(folder / "zookeeper")
        for server in (redis, zookeeper):
            server.start()
            stack.callback(server.stop)
        job = start_job(stack, folder, redis, zookeeper, options.every)
        source = Source()
        stopped = threading.Event()
        reporters: list[WorkerReporter] = []
        for host in range(options.hosts):
            agent = start_agent(stack, folder / f"host-{host}", redis, zookeeper)
            for _ in range(options.workers):
                reporter = WorkerReporter(source, agent, len(reporters), rng.random() * PERIOD)
                worker = start_worker(
                    *(
                        folder / f"host-{host}",
                        TOPOLOGY,
                        PORT + reporter.number,
                        f"w{reporter.number}",
                    )
                )
                stack.callback(worker.wait)
                stack.callback(worker.kill)
                worker.send_signal(signal.SIGSTOP)  # the agent needs only its entry in /proc
                reporters.append(reporter)
        for reporter in reporters:
            thread = threading.Thread(target=reporter.run, args=(stopped,))
            thread.start()
            stack.callback(thread.join)
        stack.callback(stopped.set)
        documents = RateDocuments(zookeeper.address)
        stack.callback(documents.client.close)
        stack.callback(documents.client.stop)
        before = ProcessUsage.of(job)
        measure_steps(documents, source, len(reporters), options.steps, rng)
        print(ProcessUsage.of(job).since(before))
        measure_spike(documents, source, rng.choice(reporters), len(reporters))


def measure_steps(
    documents: RateDocuments, source: Source, tasks: int, count: int, rng: Random
) -> None:
    """Step up and down in turns; print the seconds until each is in the estimate."""
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


def measure_spike(
    documents: RateDocuments, source: Source, reporter: WorkerReporter, tasks: int
) -> None:
    """Let one worker report tenfold once; print how far the stream's estimate moves."""
    time.sleep(CALM)
    now, rate = time.monotonic(), source.rate
    reporter.spike_due = True
    time.sleep(CALM)
    moved = max(abs(it.value - rate * tasks) for it in documents.estimates if it.at > now)
    print(
        f"a spike of {9 * rate:g} tuples/s in one sample moves the estimate by {moved:.0f}: "
        f"{moved / (9 * rate):.2f} of it (wanted: less than 0.33)"
    )


def start_job(
    stack: ExitStack, folder: Path, redis: Server, zookeeper: Server, every: float
) -> psutil.Process:
    file = folder / "rates.toml"
    file.write_text(
        f'redis.url = "redis://{redis.address}"\nzookeeper.servers = "{zookeeper.address}"\n'
        f'batches.every_seconds = {every}\nbatches.checkpoints = "{folder}/checkpoints"\n'
        f'archive.folder = "{folder}/archive"\nspark.memory = "512m"\n'
    )
    return start_process(stack, folder / "rates.log", "rates", file)


def start_agent(stack: ExitStack, folder: Path, redis: Server, zookeeper: Server) -> int:
    """Start the agent of one host; return the port to which its workers report."""
    folder.mkdir()
    port = free_port()
    file = folder / "monitor.toml"
    file.write_text(
        f'host = "{folder.name}"\nlisten = "127.0.0.1:{port}"\n'
        f'redis.url = "redis://{redis.address}/0"\nzookeeper.servers = "{zookeeper.address}"\n'
        f'storm.local_dir = "{folder}"\n'
    )
    start_process(stack, folder / "agent.log", "agent", file)
    return port


def start_process(stack: ExitStack, log: Path, what: str, config: Path) -> psutil.Process:
    """Start a program of `eyewall-monitor` and wait until it reports that it is ready."""
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
