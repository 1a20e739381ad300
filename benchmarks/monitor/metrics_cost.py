"""The cost of measuring for a topology: no agent, the agent, a metrics consumer.

Two Java topologies run at full speed on one host: the word count, and three components in a row
(paper 002's T-M3, which lost 11 % to its metrics consumer). In each round each variant runs once,
every round in another order; its throughput and its CPU per tuple (worker, log writer and agent
together) are compared with the variant of that round that measures nothing.

    python -m benchmarks metrics-cost [--rounds 4] [--narrower-than 0.01] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path

import psutil
import yaml
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.storm.jvm import find_java
from scipy import stats

from benchmarks.loop.cluster import deploy

SOURCE = Path(__file__).with_name("java") / "Throughput.java"
CLUSTER = """
version = 1
name = "one-host"
executors_per_slot = 16
sites = [{name = "here"}]
delays = [{between = ["here", "here"], one_way_ms = 0.0}]
hosts = [{name = "host-1", site = "here", slots = 1, cpu = 2.0, memory_mb = 4096}]
"""
VARIANTS = ("without", "agent", "consumer")
ORDERS = tuple(permutations(VARIANTS))
SHAPES = ("word-count", "three")
PORTS = {"nimbus": 26627, "ui": 28080, "sidecar": 27077, "zookeeper": 22181, "redis": 26379}
HOST_PORTS = 26700
PATIENCE = 90.0


@dataclass(frozen=True, slots=True)
class VariantBlock:
    """One run of one variant: tuples/s at the end, CPU-seconds per tuple."""

    shape: str
    round: int
    variant: str
    throughput: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio to the variant without, and its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    def __str__(self) -> str:
        return f"{self.ratio:.4f} [{self.low:.4f}, {self.high:.4f}]"


def ratios(blocks: list[VariantBlock], variant: str, what: str) -> Interval:
    """Geometric mean of the rounds' ratios; Student's t on their logarithms."""
    by_round = {(b.round, b.variant): float(getattr(b, what)) for b in blocks}
    rounds = sorted({b.round for b in blocks})
    return interval([math.log(by_round[r, variant] / by_round[r, "without"]) for r in rounds])


def interval(logs: list[float]) -> Interval:
    """Geometric mean of ratios by their logarithms, and its 95 % interval by Student's t."""
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return Interval(math.exp(mean), 0.0, math.inf)
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    reach = float(stats.t.ppf(0.975, len(logs) - 1)) * error
    return Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))


class OneHostCluster:
    """A cluster of one host that runs the Java topologies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_dir = folder / "run"
        self.home = storm_home_cache() / "storm-2.8.3"
        java = find_java()
        if java is None:
            sys.exit("no java")
        self.java = java
        self.jar = self._build()

    def deploy(self, command: str, *arguments: str) -> str:
        return deploy(command, "--run-dir", str(self.run_dir), *arguments)

    def up(self) -> None:
        (self.folder / "one-host.toml").write_text(CLUSTER)
        ports = [word for name, port in PORTS.items() for word in (f"--{name}-port", str(port))]
        self.deploy(
            "up",
            str(self.folder / "one-host.toml"),
            *("--mode", "loopback", "--scheduler", "default", "--host-ports", str(HOST_PORTS)),
            *("--without-rates", "--without-dashboard"),
            *ports,
        )
        conf = {"nimbus.seeds": ["control"], "nimbus.thrift.port": PORTS["nimbus"]}
        (self.folder / "conf").mkdir()
        (self.folder / "conf" / "storm.yaml").write_text(yaml.safe_dump(conf))

    def block(
        self, shape: str, number: int, variant: str, seconds: float, warm: float
    ) -> VariantBlock:
        self.deploy("start" if variant == "agent" else "stop", "monitor-host-1")
        counts = self.folder / f"{shape}-{number}-{variant}"
        counts.mkdir()
        name = f"throughput_{number}_{variant}"
        self.submit(name, shape, str(counts), variant)
        self.wait_for(counts, 2 if shape == "word-count" else 1)
        time.sleep(warm)
        before, cpu_before = _read_counts(counts), self.cpu(name)
        time.sleep(seconds)
        after, cpu_after = _read_counts(counts), self.cpu(name)
        self.deploy("kill", name)
        end = time.monotonic() + PATIENCE
        while self.workers(name):
            if time.monotonic() > end:
                sys.exit(f"{name} does not end")
            time.sleep(0.5)
        tuples = after[1] - before[1]
        throughput = tuples / (after[0] - before[0])
        return VariantBlock(shape, number, variant, throughput, (cpu_after - cpu_before) / tuples)

    def _build(self) -> Path:
        classes = self.folder / "classes"
        path = f"{self.home}/lib-worker/*"
        command = ["javac", "--release", "17", "-nowarn", "-cp", path, "-d", str(classes)]
        done = subprocess.run([*command, str(SOURCE)], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        jar = self.folder / "throughput.jar"
        with zipfile.ZipFile(jar, "w") as made:
            for file in classes.rglob("*.class"):
                made.write(file, file.relative_to(classes))
        return jar

    def submit(self, *arguments: str) -> None:
        path = f"{self.jar}:{self.folder / 'conf'}:{self.home}/lib/*"
        options = [f"-Dstorm.jar={self.jar}", f"-Djdk.net.hosts.file={self.run_dir / 'hosts'}"]
        options += ["-Djava.net.preferIPv4Stack=true", "-Dstorm.conf.file=", "-Dstorm.options="]
        command = [self.java, *options, "-cp", path, "Throughput", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)

    @staticmethod
    def wait_for(counts: Path, files: int) -> None:
        end = time.monotonic() + PATIENCE
        while len(list(counts.iterdir())) < files or _read_counts(counts)[1] == 0:
            if time.monotonic() > end:
                sys.exit(f"no tuples within {PATIENCE:g} s in {counts}")
            time.sleep(0.5)

    @staticmethod
    def workers(name: str) -> list[psutil.Process]:
        return [p for p in psutil.process_iter() if f"-Dstorm.id={name}-" in _words(p)]

    def cpu(self, name: str) -> float:
        """Return the CPU-seconds so far of worker, log writer and agent."""
        spent = [p.cpu_times() for p in [*self.workers(name), *self._agents()]]
        return sum(times.user + times.system for times in spent)

    def reporting_cpu(self, name: str) -> float:
        """Return the CPU-seconds so far of the thread that reports counters, and of the agent."""
        threads = [
            thread
            for worker in self.workers(name)
            for thread in worker.threads()
            if _thread_name(worker.pid, thread.id).startswith("metrics-graphit")
        ]
        agents = [it.cpu_times() for it in self._agents()]
        return sum(it.user_time + it.system_time for it in threads) + sum(
            it.user + it.system for it in agents
        )

    def _agents(self) -> list[psutil.Process]:
        config = str(self.run_dir / "conf" / "monitor-host-1.toml")
        return [p for p in psutil.process_iter() if config in _words(p)]


def _thread_name(process: int, thread: int) -> str:
    try:
        return Path(f"/proc/{process}/task/{thread}/comm").read_text()
    except OSError:
        return ""


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _read_counts(counts: Path) -> tuple[float, int]:
    """Return the mean time and the sum of tuples of the last whole line of each file."""
    lines = [file.read_text().rpartition("\n")[0].rpartition("\n")[2] for file in counts.iterdir()]
    rows = [line.split() for line in lines if line]
    if not rows:
        return 0.0, 0
    return statistics.fmean(int(at) / 1000 for at, _ in rows), sum(int(n) for _, n in rows)


def show(blocks: list[VariantBlock]) -> None:
    print(f"{'topology':12} {'variant':9} {'rounds':>6} {'tuples/s':>9} {'µs CPU':>7}", end="  ")
    print(f"{'throughput / without [95 %]':32} CPU per tuple / without [95 %]")
    for shape in dict.fromkeys(b.shape for b in blocks):
        rounds = _whole_rounds([b for b in blocks if b.shape == shape])
        for variant in VARIANTS if rounds else ():
            mine = [b for b in rounds if b.variant == variant]
            rate = statistics.median(b.throughput for b in mine)
            cpu = 1e6 * statistics.median(b.cpu for b in mine)
            print(f"{shape:12} {variant:9} {len(mine):6} {rate:9.0f} {cpu:7.2f}", end="  ")
            if variant == "without":
                print("1")
            else:
                speed, cost = (ratios(rounds, variant, what) for what in ("throughput", "cpu"))
                print(f"{speed!s:32} {cost}")


def _whole_rounds(blocks: list[VariantBlock]) -> list[VariantBlock]:
    last = max((b.round for b in blocks), default=0)
    whole = [n for n in range(last + 1) if sum(b.round == n for b in blocks) == len(VARIANTS)]
    return [b for b in blocks if b.round in whole]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4, help="at most, of each topology")
    parser.add_argument("--narrower-than", type=float, default=0.0, metavar="WIDTH")
    parser.add_argument("--seconds", type=float, default=20.0, help="measured in each block")
    parser.add_argument("--warm-up", type=float, default=20.0, help="seconds before that")
    parser.add_argument("--topologies", nargs="+", default=SHAPES, choices=SHAPES)
    parser.add_argument("--json", type=Path, help="write every block to this file")
    options = parser.parse_args()
    blocks: list[VariantBlock] = []
    with tempfile.TemporaryDirectory() as folder:
        host = OneHostCluster(Path(folder))
        host.up()
        try:
            for shape in options.topologies:
                for number in range(options.rounds):
                    for variant in ORDERS[number % len(ORDERS)]:
                        block = host.block(shape, number, variant, options.seconds, options.warm_up)
                        print(block, file=sys.stderr, flush=True)
                        blocks.append(block)
                    mine = [b for b in blocks if b.shape == shape]
                    if ratios(mine, "agent", "throughput").width < options.narrower_than:
                        break
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
        finally:
            host.deploy("down")
    show(blocks)
    if options.json:
        options.json.write_text(json.dumps([asdict(block) for block in blocks], indent=1))


if __name__ == "__main__":
    main()
