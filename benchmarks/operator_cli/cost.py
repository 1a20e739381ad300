"""The sidecar's cost of GetStatus and Explain on a large cluster.

A real server answers status requests like those of the dashboard each second: the first, one after
a change of one topology, one after a round without change, and one with the known revision. Then it
explains the place of one executor of a large topology. Times include encoding, the transfer over
loopback and decoding.

Every host has one slot and every slot is in use, so each topology fits only where it runs; rounds
in which each of forty topologies may use each of a thousand hosts are not measured. The topology
that is explained may use all of them.

    python -m benchmarks operator-cli [--supervisors 1000] [--topologies 40] [--executors 250]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from eyewall_sidecar.cli.client import OperationsClient
from eyewall_sidecar.config import ServiceSettings
from eyewall_sidecar.rpc import RpcServer
from eyewall_sidecar.service.decision_log import DecisionLog
from eyewall_sidecar.service.planner import Planner, ServiceContext
from eyewall_sidecar.service.round import InputStores, SchedulingService
from eyewall_sidecar.stores import NoRecords
from eyewall_sidecar.storm import (
    ClusterState,
    Component,
    ComponentKind,
    DelayTable,
    Executor,
    Grouping,
    Input,
    Slot,
    Supervisor,
    Topology,
    TopologyState,
    Worker,
)

from benchmarks.dashboard.sidecar import IdleSolvers

if TYPE_CHECKING:
    from collections.abc import Callable


COMPONENTS = 5
HOSTS_EXPLAINED = 25
ROUND_SECONDS = 600.0
"""Long enough for a round to look at every topology."""


@dataclass
class FixedDelays:
    """From 1 to 50 ms between any two hosts, the same in every run."""

    table: DelayTable
    source: str = "redis"

    @classmethod
    def between(cls, hosts: int) -> FixedDelays:
        row, column = np.indices((hosts, hosts))
        pairs = 7 * np.minimum(row, column) + 13 * np.maximum(row, column)
        names = tuple(_host(it) for it in range(hosts))
        return cls(DelayTable.certain(names, (1.0 + pairs % 50) / 1e3))

    def read(self) -> DelayTable:
        return self.table


def _host(number: int) -> str:
    return f"host-{number:04}"


def _supervisors(count: int, slots: int) -> tuple[Supervisor, ...]:
    ports = tuple(range(6700, 6700 + slots))
    return tuple(
        Supervisor(f"sup-{it:04}", _host(it), ports, 64.0, 256 << 30) for it in range(count)
    )


def _topology(number: int, executors: int) -> Topology:
    """A chain of components under shuffle, as many executors each."""
    each = executors // COMPONENTS
    components = []
    for place in range(COMPONENTS):
        tasks = range(1 + place * each, 1 + (place + 1) * each)
        inputs = (Input(f"c{place - 1}", "default", Grouping.SHUFFLE),) if place else ()
        kind = ComponentKind.BOLT if place else ComponentKind.SPOUT
        running = tuple(Executor(it, it) for it in tasks)
        components.append(Component(f"c{place}", kind, running, 0.1, 64 << 20, 0, inputs))
    name = f"topology-{number:02}"
    settings = {"eyewall.rate.hint": '{"c0": 1000}', "eyewall.executors.per.slot": "50"}
    return Topology(f"{name}-1-1700000000", name, tuple(components), settings=settings)


def _topology_state(topology: Topology, hosts: range, turn: int) -> TopologyState:
    """Assign executors to these hosts in turn; each `turn` shifts all of them by one."""
    executors = list(topology.executors())
    workers = tuple(
        Worker(
            Slot(f"sup-{host:04}", 6700),
            frozenset(executors[(place + turn) % len(hosts) :: len(hosts)]),
        )
        for place, host in enumerate(hosts)
    )
    return TopologyState(topology, workers, f"{topology.id} {turn}".encode())


class Bench:
    """A sidecar with its Nimbus and a client."""

    def __init__(
        self, supervisors: int, topologies: int, executors: int, slots: int, hosts: int
    ) -> None:
        self.supervisors = _supervisors(supervisors, slots)
        self.topologies = [_topology(it, executors) for it in range(topologies)]
        self.turns = [0] * topologies
        self.hosts = hosts
        solvers = IdleSolvers("odp")
        self.service = SchedulingService(
            ServiceSettings(),
            InputStores(FixedDelays.between(supervisors)),
            solvers,
            DecisionLog(NoRecords(), "5f1c1a0e", time.time),
            time.monotonic,
        )
        planner = Planner(ServiceContext(self.service, solvers), lambda: "1")
        self.server = RpcServer(planner, "127.0.0.1:0")
        self.server.start()
        self.client = OperationsClient(f"127.0.0.1:{self.server.port}", seconds=300.0)

    def round(self) -> None:
        """Decide on a state of new objects, as after a change of any topology."""
        states = tuple(
            _topology_state(
                it, range(number * self.hosts, (number + 1) * self.hosts), self.turns[number]
            )
            for number, it in enumerate(self.topologies)
        )
        state = ClusterState(self.supervisors, states)
        self.service.decide(state, time.monotonic() + ROUND_SECONDS, "nimbus")

    def one_moves(self) -> None:
        """Change the assignment of one topology, and run a round."""
        self.turns[0] += 1
        self.round()

    def close(self) -> None:
        self.client.__exit__()
        self.server.stop(0)


def time_calls(
    what: str, work: Callable[[], object], times: int, before: Callable[[], object] | None = None
) -> None:
    """Print the least, median and greatest of several runs; `before` each is not timed."""
    milliseconds = []
    for _ in range(times):
        if before is not None:
            before()
        began = time.perf_counter()
        work()
        milliseconds.append(1e3 * (time.perf_counter() - began))
    milliseconds.sort()
    least, middle, most = milliseconds[0], milliseconds[len(milliseconds) // 2], milliseconds[-1]
    print(f"{what:48} {times:5} {least:10.1f} {middle:10.1f} {most:10.1f}", flush=True)


def status_table(bench: Bench) -> None:
    """Request the status as the dashboard does, and print the times."""
    last = [bench.client.status()]

    def ask(*, unchanged: bool) -> None:
        answer = bench.client.status(last[-1].revision)
        if answer.unchanged != unchanged:
            sys.exit(f"revision {answer.revision}: unchanged is {answer.unchanged}")
        if not unchanged:
            last[:] = [answer]

    time_calls("no new round, revision not known", bench.client.status, 20)
    time_calls("no new round, revision known", lambda: ask(unchanged=True), 200)
    time_calls("a round in which nothing changed", lambda: ask(unchanged=True), 5, bench.round)
    time_calls("one topology was moved", lambda: ask(unchanged=False), 5, bench.one_moves)
    print(f"a whole status is {last[-1].ByteSize() / 1e6:.2f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--supervisors", type=int, default=1000)
    parser.add_argument("--topologies", type=int, default=40)
    parser.add_argument("--executors", type=int, default=250, help="of each topology")
    parser.add_argument("--explained", type=int, default=500, help="executors of the one explained")
    options = parser.parse_args()
    hosts = options.supervisors // options.topologies
    print(
        f"{options.supervisors} supervisors, {options.topologies} topologies of "
        f"{options.executors} executors in {COMPONENTS} components under shuffle, each on {hosts} "
        "hosts"
    )
    print(f"{'status, ms':48} {'times':>5} {'least':>10} {'middle':>10} {'most':>10}")
    bench = Bench(options.supervisors, options.topologies, options.executors, 1, hosts)
    time_calls("(a round in which every problem is built)", bench.round, 1)
    time_calls("the first", bench.client.status, 1)
    status_table(bench)
    bench.close()
    one = Bench(
        options.supervisors, 1, options.explained, 4, min(HOSTS_EXPLAINED, options.supervisors)
    )
    print("building the problem of the topology that is explained …", file=sys.stderr)
    one.round()
    middle = one.topologies[0].components[COMPONENTS // 2]
    executor = f"{middle.id}{middle.executors[0]}"
    print(
        f"why {executor}, one of {options.explained} executors, among {options.supervisors} hosts"
    )
    time_calls("explain", lambda: one.client.explain(one.topologies[0].name, executor), 5)
    one.close()


if __name__ == "__main__":
    main()
