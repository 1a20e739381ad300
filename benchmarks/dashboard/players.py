"""Plays a recording in real time: Nimbus, the agents of all hosts and the rates job.

    python -m benchmarks.dashboard.players \\
        HOSTS EXECUTORS TOPOLOGIES SEED REDIS_URL ZOOKEEPER SIDECAR MODE

It starts in MODE. A line on standard input changes the mode: `steady` (all report, nothing else
changes), `changing` (two executors of a topology change places every second), `hurried` (four
times a second) or `silent` (only Nimbus continues its rounds). The line `rounds` prints the
seconds that each of Nimbus's rounds has taken since the last such line, as JSON.
"""

from __future__ import annotations

import json
import math
import sys
import threading
import time
import zlib
from random import Random
from typing import TYPE_CHECKING, Any

import grpc
from eyewall_contracts.latency import LatencyKeys, RttRecord, encode_host, encode_rtt
from eyewall_contracts.metric_history import HistoryKeys
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.proto.scheduler_pb2_grpc import SchedulerStub
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient
from msgspec.structs import replace
from redis import Redis

from benchmarks.dashboard.recording import (
    REPORT_SECONDS,
    ClusterRecording,
    ClusterSize,
    digest,
    record,
    stamp,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TICK_SECONDS = 0.2
RATES_SECONDS = 4.0
"""Two of the job's batches: a batch without input writes nothing."""
PLACES_SECONDS = 3.0
PROBES_SECONDS = 100.0
ROUND_SECONDS = 3.0
PAST_SECONDS = 300.0
"""Length of the history at the start."""
CHANGES_SECONDS = {"changing": 1.0, "hurried": 0.25}
MODES = ("steady", "silent", *CHANGES_SECONDS)


class AgentPlayer:
    """Writes the reports and records of all hosts, spread evenly over time."""

    def __init__(self, recording: ClusterRecording, redis: str, zookeeper: str) -> None:
        self.recording = recording
        self.redis = Redis.from_url(redis)
        self.zookeeper = KazooClient(zookeeper)
        self.zookeeper.start(timeout=120)
        self.paths = Znodes()
        self.latency = LatencyKeys()
        self.history = HistoryKeys()
        self.hosts = sorted(recording.samples)
        self.done: dict[str, float] = {}

    def write_all(self) -> None:
        """Write everything once, and the history."""
        now = time.time()
        for path in (self.paths.samples, self.paths.all_rates):
            self.zookeeper.ensure_path(path)
        writes = [
            *((self.paths.sample(it), data) for it, data in self.recording.samples.items()),
            *((self.paths.rates(it), data) for it, data in self.recording.rates.items()),
        ]
        for path, data in writes:
            self.zookeeper.create_async(path, stamp(data, now))
        for seconds in range(int(PAST_SECONDS), 0, -int(REPORT_SECONDS)):
            self._history(self.hosts, now - seconds)
        self._places(self.hosts, now)
        self._probes(sorted(self.recording.probes), now)
        self.zookeeper.get(self.paths.samples)  # answers come in order

    def write_due(self) -> None:
        """Write the documents that are due."""
        self._write_due("reports", REPORT_SECONDS, self.hosts, self._reports)
        self._write_due("rates", RATES_SECONDS, sorted(self.recording.rates), self._rates)
        self._write_due("places", PLACES_SECONDS, self.hosts, self._places)
        probes = sorted(self.recording.probes)
        self._write_due("probes", PROBES_SECONDS, probes, self._probes)

    def _write_due(
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
            data = stamp(self.recording.samples[it], now)
            self.zookeeper.set_async(self.paths.sample(it), data)
        self._history(hosts, now)

    def _history(self, hosts: Sequence[str], now: float) -> None:
        with self.redis.pipeline(transaction=False) as pipe:
            for it in hosts:
                data = zlib.compress(stamp(self.recording.samples[it], now), 1)
                pipe.xadd(self.history.stream(it), {"v": b"1", "z": data}, id=f"{int(now * 1e3)}-0")
                pipe.zadd(self.history.hosts, {it: now})
            pipe.execute()

    def _rates(self, topologies: Sequence[str], now: float) -> None:
        for it in topologies:
            self.zookeeper.set_async(
                self.paths.rates(it), stamp(self.recording.rates[it], now - REPORT_SECONDS)
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


class NimbusPlayer:
    """Sends the sidecar one request a round; its assignments change only by `change`."""

    def __init__(self, recording: ClusterRecording, sidecar: str) -> None:
        options = [("grpc.max_send_message_length", 64 << 20)]
        self.stub = SchedulerStub(grpc.insecure_channel(sidecar, options=options))  # type: ignore[no-untyped-call]
        self.state = recording.state
        self.definitions = recording.definitions
        self.round = 0
        self.seconds: list[float] = []
        self.rng = Random(1)

    def ask(self, *, whole: bool) -> None:
        """Run one round."""
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
        """Swap two executors of one topology."""
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
    size, (redis, zookeeper, sidecar, first_mode) = map(int, sys.argv[1:5]), sys.argv[5:]
    recording = record(ClusterSize(*size))
    agents = AgentPlayer(recording, redis, zookeeper)
    agents.write_all()
    nimbus = NimbusPlayer(recording, sidecar)
    mode = [first_mode]

    def read_modes() -> None:
        for line in sys.stdin:
            if line.strip() == "rounds":
                seconds, nimbus.seconds = nimbus.seconds, []
                print(json.dumps(seconds), flush=True)
            else:
                mode[0] = line.strip()
        mode[0] = ""

    threading.Thread(target=read_modes, daemon=True).start()
    nimbus.ask(whole=True)
    print("ready", flush=True)
    last_round = last_change = time.monotonic()
    while mode[0] in MODES:
        now = time.monotonic()
        if mode[0] != "silent":
            agents.write_due()
        if now - last_change >= CHANGES_SECONDS.get(mode[0], math.inf):
            last_change = last_round = now
            nimbus.change()
            nimbus.ask(whole=True)
        elif now - last_round >= ROUND_SECONDS:
            last_round = now
            nimbus.ask(whole=False)
        time.sleep(max(0.0, now + TICK_SECONDS - time.monotonic()))


if __name__ == "__main__":
    main()
