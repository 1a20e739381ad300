"""Plays a recording: what Nimbus, the agents of all hosts and the rates job do, as time goes on.

    python -m benchmarks.dashboard.players \\
        HOSTS EXECUTORS TOPOLOGIES SEED REDIS_URL ZOOKEEPER SIDECAR MODE

It begins in MODE, and a line on standard input turns it to another: `steady` (all report, nothing
else changes), `changing` (two executors of a topology change places every second), `hurried` (four
times a second) or `silent` (nobody writes anything but Nimbus, whose rounds go on). `rounds` has it
say, as JSON, how many seconds each of Nimbus's rounds took since it was asked last.
"""

from __future__ import annotations

import json
import math
import sys
import threading
import time
import zlib
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import grpc
from eyewall_contracts.latency import LatencyKeys, RttRecord, encode_host, encode_rtt
from eyewall_contracts.metric_history import HistoryKeys
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.proto.scheduler_pb2_grpc import SchedulerStub
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient
from redis import Redis

from benchmarks.dashboard.recording import REPORT_SECONDS, Recording, digest, present, record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TICK_SECONDS = 0.2
RATES_SECONDS = 4.0
"""Two of the job's batches: one in which nothing came in writes nothing."""
PLACES_SECONDS = 3.0
PROBES_SECONDS = 100.0
ROUND_SECONDS = 3.0
PAST_SECONDS = 300.0
"""Of the history, when the play begins."""
CHANGES_SECONDS = {"changing": 1.0, "hurried": 0.25}
MODES = ("steady", "silent", *CHANGES_SECONDS)


class Agents:
    """All hosts' reports and records, each in its turn."""

    def __init__(self, recording: Recording, redis: str, zookeeper: str) -> None:
        self.recording = recording
        self.redis = Redis.from_url(redis)
        self.zookeeper = KazooClient(zookeeper)
        self.zookeeper.start()
        self.paths = Znodes()
        self.latency = LatencyKeys()
        self.history = HistoryKeys()
        self.hosts = sorted(recording.samples)
        self.done: dict[str, float] = {}

    def begin(self) -> None:
        """Write everything once, and the past."""
        now = time.time()
        for path in (self.paths.samples, self.paths.all_rates):
            self.zookeeper.ensure_path(path)
        writes = [
            *((self.paths.sample(it), data) for it, data in self.recording.samples.items()),
            *((self.paths.rates(it), data) for it, data in self.recording.rates.items()),
        ]
        for path, data in writes:
            self.zookeeper.create_async(path, present(data, now))
        for seconds in range(int(PAST_SECONDS), 0, -int(REPORT_SECONDS)):
            self._history(self.hosts, now - seconds)
        self._places(self.hosts, now)
        self._probes(sorted(self.recording.probes), now)
        self.zookeeper.get(self.paths.samples)  # answers come in order

    def go_on(self) -> None:
        """Write what is due."""
        self._in_turn("reports", REPORT_SECONDS, self.hosts, self._reports)
        self._in_turn("rates", RATES_SECONDS, sorted(self.recording.rates), self._rates)
        self._in_turn("places", PLACES_SECONDS, self.hosts, self._places)
        probes = sorted(self.recording.probes)
        self._in_turn("probes", PROBES_SECONDS, probes, self._probes)

    def _in_turn(
        self, what: str, period: float, all_: Sequence[Any], write: Callable[[Any, float], None]
    ) -> None:
        now = time.time()
        before = self.done.get(what, now - TICK_SECONDS)
        first, last = (int(it / period * len(all_)) for it in (before, now))
        self.done[what] = now
        if last > first:
            write([all_[n % len(all_)] for n in range(max(first, last - len(all_)), last)], now)

    def _reports(self, hosts: Sequence[str], now: float) -> None:
        for it in hosts:
            data = present(self.recording.samples[it], now)
            self.zookeeper.set_async(self.paths.sample(it), data)
        self._history(hosts, now)

    def _history(self, hosts: Sequence[str], now: float) -> None:
        with self.redis.pipeline(transaction=False) as pipe:
            for it in hosts:
                data = zlib.compress(present(self.recording.samples[it], now), 1)
                pipe.xadd(self.history.stream(it), {"v": b"1", "z": data}, id=f"{int(now * 1e3)}-0")
                pipe.zadd(self.history.hosts, {it: now})
            pipe.execute()

    def _rates(self, topologies: Sequence[str], now: float) -> None:
        for it in topologies:
            self.zookeeper.set_async(
                self.paths.rates(it), present(self.recording.rates[it], now - REPORT_SECONDS)
            )

    def _places(self, hosts: Sequence[str], now: float) -> None:
        with self.redis.pipeline(transaction=False) as pipe:
            for it in hosts:
                at = replace(self.recording.places[it], at=now)
                pipe.set(self.latency.host(it), encode_host(at))
                pipe.zadd(self.latency.members, {it: now})
            pipe.execute()

    def _probes(self, pairs: Sequence[tuple[str, str]], now: float) -> None:
        with self.redis.pipeline(transaction=False) as pipe:
            for a, b in pairs:
                rtt = self.recording.probes[a, b]
                pipe.hset(self.latency.rtts(b), a, encode_rtt(RttRecord(rtt, rtt / 50, now)))
            pipe.execute()


class Nimbus:
    """Asks the sidecar round by round, and decides nothing but what changes by itself."""

    def __init__(self, recording: Recording, sidecar: str, seed: int) -> None:
        options = [("grpc.max_send_message_length", 64 << 20)]
        self.stub = SchedulerStub(grpc.insecure_channel(sidecar, options=options))  # type: ignore[no-untyped-call]
        self.state = recording.state
        self.definitions = recording.definitions
        self.round = 0
        self.seconds: list[float] = []
        self.rng = Random(seed)

    def ask(self, *, whole: bool) -> None:
        """One round."""
        self.round += 1
        request = pb.ScheduleRequest(
            contract_version=1,
            nimbus_id="nimbus-1",
            round=self.round,
            deadline_ms=2_000,
            state_digest=digest(self.state),
        )
        if whole:
            request.state.CopyFrom(self.state)
        if self.round == 1:
            request.definitions.extend(self.definitions)
        began = time.monotonic()
        self.stub.Schedule(request)
        self.seconds.append(time.monotonic() - began)

    def change(self) -> None:
        """Two executors of one topology change places."""
        topology = self.rng.choice(self.state.topologies)
        if len(topology.workers) < 2:
            return
        one, other = self.rng.sample(list(topology.workers), 2)
        one.executors[0].first_task, other.executors[0].first_task = (
            other.executors[0].first_task,
            one.executors[0].first_task,
        )
        for it in (one, other):
            it.executors[0].last_task = it.executors[0].first_task
        topology.assignment_digest = b""
        topology.assignment_digest = digest(topology)


def main() -> None:
    sizes, (redis, zookeeper, sidecar, begins) = map(int, sys.argv[1:5]), sys.argv[5:]
    hosts, executors, topologies, seed = sizes
    recording = record(hosts, executors, topologies, seed)
    agents = Agents(recording, redis, zookeeper)
    agents.begin()
    nimbus = Nimbus(recording, sidecar, seed)
    mode = [begins]

    def turned() -> None:
        for line in sys.stdin:
            if line.strip() == "rounds":
                taken, nimbus.seconds = nimbus.seconds, []
                print(json.dumps(taken), flush=True)
            else:
                mode[0] = line.strip()
        mode[0] = ""

    threading.Thread(target=turned, daemon=True).start()
    nimbus.ask(whole=True)
    print("ready", flush=True)
    asked = changed = time.monotonic()
    while mode[0] in MODES:
        now = time.monotonic()
        if mode[0] != "silent":
            agents.go_on()
        if now - changed >= CHANGES_SECONDS.get(mode[0], math.inf):
            changed = asked = now
            nimbus.change()
            nimbus.ask(whole=True)
        elif now - asked >= ROUND_SECONDS:
            asked = now
            nimbus.ask(whole=False)
        time.sleep(max(0.0, now + TICK_SECONDS - time.monotonic()))


if __name__ == "__main__":
    main()
