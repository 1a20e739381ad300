"""The sidecar's cost of reading delays, and the stability of its table on a steady network.

    python -m benchmarks delays [--hosts 11 100 490] [--minutes 5]

Starts a Redis and writes the documents of agents: the real filter (`RttFilter`) gets echoes whose
delay jitters (a normal part, and a tail: one echo in twenty is late), each host probes at the
agent's default pace, over simulated time; estimates of pairs without a recent probe drift with
their coordinates. Every simulated second the sidecar's own reader reads everything and builds its
table.
Prints the cost of one reading, and how often the table differed from the one before, after the
first `--settle` seconds. Then one delay is raised from 10 to 80 ms; the last column has the seconds
until the table contains it.
"""

from __future__ import annotations

import argparse
import time
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
from real_stores import redis_server
from redis import Redis

JITTER = 0.03
"""Standard deviation of an echo, relative to the RTT."""
FLOOR = 0.0001
"""Least jitter of an echo in seconds: the kernel and a busy core add that much."""
LATE_SHARE, LATE_SECONDS = 0.05, 0.005
"""The share of late echoes, and their mean lateness in seconds."""
STEADY_ERROR = 0.05
SETTLING_EVERY = 15
"""Seconds between two readings before counting starts."""
WANDER = 0.0002
"""Seconds by which a coordinate's axis moves each second; agents publish no move below 0.1 ms."""


class SimulatedNetwork:
    """Hosts in a plane, and their agents."""

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
        """Return the results of the agents' probes in the second before `now`."""
        probes = {}
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
                probes[a, b] = RttRecord(it.seconds, it.spread, now)
        return probes

    def record(self, a: int, now: float) -> HostCoordinate:
        place = tuple(axis + self.rng.gauss(0, WANDER) for axis in self.places[a])
        return HostCoordinate("10.0.0.1", 7078, place, now, 0.0002, STEADY_ERROR)


class LatencyRedis:
    """A Redis with the agents' documents."""

    def __init__(self) -> None:
        self.server = redis_server()
        self.server.start()
        self.url = f"redis://{self.server.address}/0"
        self.client = Redis.from_url(self.url)
        self.keys = LatencyKeys()

    def write(
        self, network: SimulatedNetwork, now: float, pending: dict[tuple[int, int], RttRecord]
    ) -> None:
        pipe = self.client.pipeline(transaction=False)
        for a, name in enumerate(network.names):
            pipe.set(self.keys.host(name), encode_host(network.record(a, now)))
            pipe.zadd(self.keys.members, {name: now})
        for (a, b), record in pending.items():
            pipe.hset(self.keys.rtts(network.names[b]), network.names[a], encode_rtt(record))
        pipe.execute()

    def close(self) -> None:
        self.client.close()
        self.server.stop()


def measure(hosts: int, minutes: float, settle: float, every: int) -> str:
    rng = Random(hosts)
    store = LatencyRedis()
    latency = LatencyStore(store.url, LatencyKeys().prefix)
    reader = DelayReader(latency)
    held = HeldDelays(minimum_confidence=0.3)
    start = float(store.client.time()[0])
    network = SimulatedNetwork(hosts, start, rng)
    costs, changes, changed_pairs, unheld = [], 0, 0, 0
    table = raw = None
    pending: dict[tuple[int, int], RttRecord] = {}
    raised_at = seen_seconds = None
    seconds = int(settle + 60 * minutes)
    for second in range(1, seconds + 121):
        now = start + second
        pending |= network.probes(now)
        if second == seconds:
            network.raised[0, 1], raised_at = 0.160, now
        if second % (every if second > settle - 60 else SETTLING_EVERY):
            continue
        store.write(network, now, pending)
        pending = {}
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
                seen_seconds = now - raised_at
                break
    latency.close()
    store.close()
    readings = int((seconds - settle) / every)
    seen = "not in 120" if seen_seconds is None else f"{seen_seconds:.0f}"
    return (
        f"| {hosts} | {1000 * costs[0]:.0f} | {1000 * median(costs[5:]):.0f} | {readings} "
        f"| {changes} | {changed_pairs} | {unheld} | {seen} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[11, 100, 490])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--settle", type=float, default=600.0, help="seconds before counting")
    parser.add_argument("--every", type=int, default=1, help="seconds from reading to reading")
    options = parser.parse_args()
    print(
        "| hosts | first reading, ms of CPU | one reading | readings | tables that differed "
        "| pairs changed | would have differed unheld | 10 → 80 ms seen after, s |"
    )
    print("| --- " * 8 + "|")
    for hosts in options.hosts:
        print(measure(hosts, options.minutes, options.settle, options.every), flush=True)


if __name__ == "__main__":
    main()
