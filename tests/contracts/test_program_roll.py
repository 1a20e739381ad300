"""Programs of this release and of the next share a ZooKeeper and a Redis, and are rolled.

The next release has one more field in every record, row and protobuf message. Of the writers only
the rates job, which needs Spark, is not a process here: the test writes its rates.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
import zlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import redis as redis_client
from eyewall_contracts.channel import open_channel
from eyewall_contracts.latency import LatencyKeys
from eyewall_contracts.metric_history import HistoryKeys, decode_entry
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.proto import scheduler_pb2_grpc as pb_grpc
from eyewall_contracts.rates import encode_rates
from eyewall_contracts.znodes import Znodes
from free_ports import free_port
from kazoo.client import KazooClient
from msgspec.structs import replace
from next_release import FIELD, VALUE, add_unknown_field, write_next_release
from nimbus_messages import request, state_of
from rate_documents import FULL_RATES, an_estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Self

    from real_stores import Server

PATIENCE = 240.0
MARK = VALUE.encode()
MONITORED, UNMONITORED = PROBED = "edge-1", "edge-2"
TODAY, NEXT = "today's release", "the next release"
COORDINATES = {"coordinate", "RTT"}
ROLLED = {
    "sidecar": COORDINATES | {"report", "rates", "switches"},
    "monitor": set(),
    "dashboard": COORDINATES | {"report", "rates", "switches", "decision"},
    "latency-edge-1": COORDINATES,
}
"""In this order; and the records of today's release that each of the next one reads."""


def wait_for(look: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end, look
        time.sleep(0.2)
    return found


def require_soon(look: Callable[[], Any], expected: Any) -> None:
    """Look until the answer is the expected one."""
    end = time.monotonic() + PATIENCE
    while (found := look()) != expected and time.monotonic() < end:
        time.sleep(0.2)
    assert found == expected


@dataclass
class Program:
    """A program of ours, which may be stopped and started in another release."""

    name: str
    module: str
    command: str
    config: Path
    next_release: Path
    release: str = ""
    process: subprocess.Popen[bytes] | None = None
    logs: list[tuple[str, str]] = field(default_factory=list)
    """For each life: its release, and all that it said."""

    @property
    def _log(self) -> Path:
        return self.config.with_suffix(f".{len(self.logs)}.log")

    def start(self, release: str) -> None:
        self.release = release
        environment = dict(os.environ)
        if release == NEXT:
            paths = [str(self.next_release), os.environ.get("PYTHONPATH", "")]
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        command = [sys.executable, "-m", self.module, self.command, "--config", str(self.config)]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        wait_for(self._is_ready)

    def _is_ready(self) -> bool:
        assert self.process is not None
        said = self._log.read_text()
        assert self.process.poll() is None, said
        return "ready on" in said or "answers on" in said

    def stop(self) -> None:
        """End it as an operator does, and keep its log."""
        assert self.process is not None
        self.process.terminate()
        code = self.process.wait(PATIENCE)
        said = self._log.read_text()
        self.logs.append((self.release, said))
        assert code in (0, -signal.SIGTERM), said
        self.process = None

    def __enter__(self) -> Self:
        self.start(TODAY)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Installation:
    """ZooKeeper, Redis, our programs on them, and what a Nimbus and a person ask of them."""

    def __init__(self, folder: Path, zookeeper: KazooClient, servers: tuple[Server, Server]):
        next_release = write_next_release(folder / "next")
        root, prefix = f"/{folder.name}", f"test:{folder.name}"
        self.zookeeper = zookeeper
        self.znodes = Znodes(root)
        self.history = HistoryKeys(prefix)
        self.latency = LatencyKeys(prefix)
        url = f"redis://{servers[1].address}/0"
        self.redis: Any = redis_client.Redis.from_url(servers[1].patient_url)
        sidecar, dashboard = (f"127.0.0.1:{free_port()}" for _ in range(2))
        stores = (
            f'[zookeeper]\nservers = "{servers[0].address}"\nroot = "{root}"\n'
            f'[redis]\nurl = "{url}"\nprefix = "{prefix}"\n'
        )

        def program(name: str, module: str, command: str, config: str) -> Program:
            file = folder / f"{name}.toml"
            file.write_text(config)
            return Program(name, module, command, file, next_release)

        self.programs = [
            program(
                "sidecar",
                "eyewall_sidecar.cli.app",
                "serve",
                f'listen = "{sidecar}"\n[defaults]\npolicy = "greedy"\n'
                f'[delays]\nredis = "{url}"\nprefix = "{prefix}"\n{stores.partition("[redis]")[0]}',
            ),
            program(
                "monitor",
                "eyewall_monitor.cli",
                "agent",
                f'host = "{MONITORED}"\nlisten = "127.0.0.1:0"\nreport_seconds = 0.5\n{stores}'
                f'[storm]\nlocal_dir = "{folder}"\n',
            ),
            program(
                "dashboard",
                "eyewall_monitor.cli",
                "dashboard",
                f'listen = "{dashboard}"\n[sidecar]\naddress = "{sidecar}"\n{stores}',
            ),
            *(
                program(
                    f"latency-{host}",
                    "eyewall_latency.cli",
                    "agent",
                    f'host = "{host}"\n[redis]\nurl = "{url}"\nprefix = "{prefix}"\n'
                    "[pace]\ninterval_seconds = 0.1\nbudget_per_second = 10.0\n"
                    '[probe]\nmethod = "tcp"\nlisten = "127.0.0.1:0"\n',
                )
                for host in PROBED
            ),
        ]
        self.http = httpx.Client(base_url=f"http://{dashboard}/api/v1/", timeout=PATIENCE)
        self.channel = open_channel(sidecar)
        self.definitions: list[pb.TopologyDefinition] = []
        self.workers: list[list[pb.Worker]] = []

    def program(self, name: str) -> Program:
        return next(it for it in self.programs if it.name == name)

    def ask(self, path: str) -> Any:
        return self.http.get(path).raise_for_status().json()

    def place_another_topology(self, release: str) -> bytes:
        """Let the sidecar place one more, as a Nimbus of that release; return its raw reply."""
        self.definitions.append(line(len(self.definitions)))
        self.workers.append([])
        whole, id_ = self._request(release), self.definitions[-1].topology_id

        def round_() -> pb.ScheduleReply | None:
            reply = self._schedule(whole)
            decision = next(it for it in reply.decisions if it.topology_id == id_)
            self.workers[-1] = list(decision.place.workers)
            return reply if self.workers[-1] else None

        reply: pb.ScheduleReply = wait_for(round_)  # a sidecar without any delay declines at first
        return reply.SerializeToString()

    def ask_again(self, release: str) -> None:
        """A round in which nothing has to be placed."""
        self._schedule(self._request(release))

    def _schedule(self, whole: pb.ScheduleRequest) -> pb.ScheduleReply:
        stub = pb_grpc.SchedulerStub(self.channel)  # type: ignore[no-untyped-call]
        reply: pb.ScheduleReply = stub.Schedule(whole, timeout=PATIENCE, wait_for_ready=True)
        return reply

    def _request(self, release: str) -> pb.ScheduleRequest:
        state = state_of(*self.definitions)
        for topology, workers in zip(state.topologies, self.workers, strict=True):
            topology.workers.extend(workers)
            names = b"".join(it.SerializeToString() for it in workers)
            topology.assignment_digest = hashlib.sha256(names).digest()
            topology.needs_scheduling = not workers
        del state.supervisors[len(PROBED) :]
        for supervisor in state.supervisors:
            supervisor.ports.extend(range(6704, 6720))
        whole = request(state, *self.definitions)
        if release == NEXT:
            add_unknown_field(whole)
        return whole

    def write_rates(self, release: str) -> None:
        """As the rates job does, for the last topology."""
        now = time.time()
        document = replace(
            FULL_RATES,
            topology=self.definitions[-1].topology_id,
            written=now,
            streams=(replace(FULL_RATES.streams[0], rate=an_estimate(2000, now)),),
        )
        data = encode_rates(document)
        if release == NEXT:
            data = data[:-1] + b',"colour":"blue"}'
        path = self.znodes.rates(document.topology)
        if self.zookeeper.exists(path) is None:
            self.zookeeper.create(path, data, makepath=True)
        else:
            self.zookeeper.set(path, data)

    def stored(self) -> dict[str, bytes]:
        """The last record of each kind, as it is stored."""
        days = self.zookeeper.get_children(self.znodes.decisions)
        day = self.znodes.decisions_of(max(days))
        last = max(self.zookeeper.get_children(day))
        entry = self.redis.xrevrange(self.history.stream(MONITORED), count=1)[0][1]
        found = {
            "decision": self.zookeeper.get(f"{day}/{last}")[0],
            "sample": self.zookeeper.get(self.znodes.sample(MONITORED))[0],
            "history": zlib.decompress(entry[b"z"]),
            "switches": self.zookeeper.get(self.znodes.switches)[0],
        }
        for host, other in (PROBED, PROBED[::-1]):
            found[f"coordinate of {host}"] = self.redis.get(self.latency.host(host))
            found[f"RTT of {host}"] = self.redis.hget(self.latency.rtts(other), host)
        return found


def line(number: int) -> pb.TopologyDefinition:
    """A spout and a bolt."""
    id_ = f"line{number}-1-1700000000"
    definition = pb.TopologyDefinition(topology_id=id_, name=f"line{number}")
    for task, (name, kind) in enumerate((("a", pb.Component.SPOUT), ("b", pb.Component.BOLT)), 1):
        component = definition.components.add(id=name, kind=kind, cpu_cores=0.1)
        component.executors.add(first_task=task, last_task=task)
    definition.components[1].inputs.add(source_component="a", stream="default", grouping=1)
    definition.digest = hashlib.sha256(definition.SerializeToString(deterministic=True)).digest()
    return definition


@pytest.fixture
def installation(zookeeper: Server, redis: Server, tmp_path: Path) -> Iterator[Installation]:
    client = KazooClient(zookeeper.address, timeout=40.0)
    client.start(timeout=PATIENCE)
    found = Installation(tmp_path, client, (zookeeper, redis))
    with ExitStack() as running:
        for it in found.programs:
            running.enter_context(it)
        yield found
    found.channel.close()
    found.http.close()
    found.redis.close()
    client.stop()
    client.close()


def require_all_is_read(it: Installation) -> None:
    """Each program reads what the others write now, and all that any of them wrote before."""
    sidecar = it.program("sidecar").release
    reply = it.place_another_topology(it.program("monitor").release)
    assert (MARK in reply) == (sidecar == NEXT)
    it.write_rates(sidecar)
    topologies = [definition.topology_id for definition in it.definitions]

    def freeze() -> bool:  # as soon as the dashboard has read of the topology
        path = f"topologies/{topologies[-1]}/frozen"
        return it.http.put(path, json={"frozen": True}).is_success

    def switches() -> Any:
        found = it.ask("cluster")["switches"]
        return found["in_force"], found["frozen_topologies"]

    def decisions() -> Any:
        found = it.ask("decisions?verdict=placed&count=100")
        return found["unreadable"], [decision["topology"] for decision in found["decisions"]]

    def unhealthy() -> Any:
        it.ask_again(it.program("monitor").release)  # else both have become stale meanwhile
        it.write_rates(sidecar)
        parts = it.ask("health")["parts"]
        return [
            (part["name"], part["host"]) for part in parts if part["signal"]["state"] != "fresh"
        ]

    wait_for(freeze)
    require_soon(switches, (True, sorted(topologies)))
    require_soon(decisions, ([], topologies[::-1]))
    require_soon(unhealthy, [("monitor agent", UNMONITORED)])
    for part in it.ask("health")["parts"]:
        if part["name"] in ("zookeeper", "redis"):
            assert ";" not in part["detail"], part  # else a record cannot be read


def require_stored_releases(it: Installation) -> None:
    """The last record of each kind has the release of the program that writes it."""
    writers = {"decision": "sidecar", "sample": "monitor", "history": "monitor"}
    writers["switches"] = "dashboard"
    for host in PROBED:
        writers |= {f"{kind} of {host}": f"latency-{host}" for kind in ("coordinate", "RTT")}
    expected = {kind: it.program(writer).release == NEXT for kind, writer in writers.items()}
    require_soon(lambda: {kind: MARK in data for kind, data in it.stored().items()}, expected)


def require_whole_history(it: Installation) -> None:
    """Every report of the agent's three lives is in the history once."""
    runs: dict[str, list[int]] = {}
    for _, fields in it.redis.xrange(it.history.stream(MONITORED)):
        sample = decode_entry(fields)
        runs.setdefault(sample.run, []).append(sample.sequence)
    assert len(runs) == 3
    assert all(numbers == list(range(len(numbers))) for numbers in runs.values())


def fields_missing(log: str) -> list[tuple[str, str]]:
    """Each field that a log names as missing, and the record that lacks it."""
    found = re.findall(r" INFO ([\w ]+): no (.*), as an older part writes", log)
    return [(record, name) for record, names in found for name in names.split(", ")]


def test_each_program_is_rolled_forward_and_back_and_nothing_is_lost(
    installation: Installation,
) -> None:
    require_all_is_read(installation)
    require_stored_releases(installation)
    for release in (NEXT, TODAY):
        for name in ROLLED:
            program = installation.program(name)
            program.stop()
            program.start(release)
            require_all_is_read(installation)
            require_stored_releases(installation)
    for program in installation.programs:
        program.stop()
    require_whole_history(installation)
    for name, records in ROLLED.items():
        for release, log in installation.program(name).logs:
            assert not re.search(r"Traceback|ERROR|incompatible|left out|cannot", log), log
            missing = fields_missing(log)
            assert len(missing) == len(set(missing))  # each field is named once
            assert {field.rpartition(".")[2] for _, field in missing} <= {FIELD}
            assert {record for record, _ in missing} == (records if release == NEXT else set())
