"""What a sidecar answers about two hosts and a word count, as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import provisioning_pb2 as provisioning
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

M = TypeVar("M", bound=Message)

HOST_SHARES = {"cloud-1": 0.25, "edge-1": 0.5}
"""Of each host's CPU, in a forecast."""


def filled(message: M, **fields: Any) -> M:
    """Fill a message in; what is nested is written as a dictionary."""
    ParseDict(fields, message)
    return message


def a_status(revision: int = 1, **changes: Any) -> pb.Status:
    """Two hosts 20 ms apart and a word count over both; `changes` are of the message."""
    status = filled(
        pb.Status(),
        contract_version=1,
        revision=revision,
        run="5f1c1a0e",
        round_age=0.5,
        round_seconds=0.012,
        nimbus_id="nimbus-1",
        rules={
            "minimum_gain": 0.1,
            "cool_down_seconds": 30,
            "workers_per_round": 4,
            "workers_started_last_hour": 2,
        },
        switches={"available": True, "age": 0.25},
        measuring=True,
    )
    for host, site in (("edge-1", "edge"), ("cloud-1", "cloud")):
        supervisor = status.supervisors.add(
            id=f"id-{host}", host=host, ports=[6700, 6701], cpu_cores=4, memory_bytes=8 << 30
        )
        supervisor.scheduler_meta.update({"site": site, "labels": "big, fast", "speed": "1.5"})
    status.delays.MergeFrom(
        pb.Delays(source="redis", age=1.0, minimum_confidence=0.3, all_pairs=True)
    )
    for source, target in (("edge-1", "cloud-1"), ("cloud-1", "edge-1")):
        status.delays.links.add(
            source=source, target=target, delay=0.02, confidence=0.9, age=2.0, rate=100
        )
    status.topologies.append(a_topology())
    return filled(status, **changes)


def a_topology() -> pb.TopologyStatus:
    """sentence → count.words, one executor on each host; acks go back."""
    topology = filled(
        pb.TopologyStatus(),
        topology_id="word_count-1-1700000000",
        name="word_count",
        mode="auto",
        policy="odp",
        objective="R=1",
        status="placed by eyewall: odp, optimal, R 41 ms",
        verdict="keep",
        cooling=600.0,
        metrics=[{"name": "R", "before": 0.041}, {"name": "T", "before": 100.0}],
        slowest_path=[
            {"executor": "sentence[1-1]", "host": "edge-1", "work": 0.001},
            {"executor": "count.words[2-3]", "host": "cloud-1", "delay": 0.02, "work": 0.02},
        ],
        assumptions=["execution times are CPU times"],
    )
    topology.definition.MergeFrom(
        filled(
            type(topology.definition)(),
            topology_id="word_count-1-1700000000",
            name="word_count",
            components=[
                {
                    "id": "sentence",
                    "kind": "SPOUT",
                    "executors": [{"first_task": 1, "last_task": 1}],
                    "cpu_cores": 0.5,
                    "on_heap_bytes": 128 << 20,
                },
                {
                    "id": "count.words",
                    "kind": "BOLT",
                    "executors": [{"first_task": 2, "last_task": 3}],
                    "cpu_cores": 0.25,
                    "on_heap_bytes": 64 << 20,
                    "inputs": [
                        {
                            "source_component": "sentence",
                            "stream": "default",
                            "grouping": "PARTIAL_KEY",
                        }
                    ],
                },
            ],
        )
    )
    state = topology.state
    state.topology_id = "word_count-1-1700000000"
    for host, tasks in (("edge-1", (1, 1)), ("cloud-1", (2, 3))):
        worker = state.workers.add(supervisor_id=f"id-{host}", port=6700)
        worker.executors.add(first_task=tasks[0], last_task=tasks[1])
    for executor, component, tasks, host in (
        ("sentence[1-1]", "sentence", (1, 1), "edge-1"),
        ("count.words[2-3]", "count.words", (2, 3), "cloud-1"),
    ):
        topology.executors.add(
            executor=executor,
            component=component,
            first_task=tasks[0],
            last_task=tasks[1],
            host=host,
            port=6700,
            supervisor_id=f"id-{host}",
            cpu_cores=0.5,
        )
    topology.streams.add(
        source="sentence",
        target="count.words",
        stream="default",
        rate=100,
        measured=True,
        error=4.5,
        rate_between_hosts=100,
    )
    topology.streams.add(
        source="count.words", target="__acker", stream="__ack_ack", rate=100, system=True
    )
    return topology


def a_plan(id_: str = "plan-1", **changes: Any) -> pb.Plan:
    """One executor goes from one host to the other; `changes` are of the message."""
    plan = filled(
        pb.Plan(),
        id=id_,
        topology_id="word_count-1-1700000000",
        topology="word_count",
        state="PROPOSED",
        age=1.0,
        expires_in=599.0,
        base="00ff",
        policy="odp",
        objective="R=1",
        seed=7,
        status="optimal",
        decided_by="branch and bound",
        seconds=0.25,
        evaluated=64,
        bound=0.021,
        gap=0.0,
        metrics=[{"name": "R", "before": 0.041, "after": 0.021}],
        gain=0.49,
        moves=[
            {
                "executor": "count.words[2-3]",
                "component": "count.words",
                "source_host": "cloud-1",
                "source_port": 6700,
                "target_host": "edge-1",
                "target_port": 6701,
            }
        ],
        workers=[
            {"host": "edge-1", "port": 6701, "kind": "STARTED", "after": ["count.words[2-3]"]},
            {"host": "cloud-1", "port": 6700, "kind": "STOPPED", "before": ["count.words[2-3]"]},
        ],
        workers_started=1,
        possible=3,
        rejected=[{"constraint": "cpu", "moves": 2}],
        remarks=["rates are measured"],
        delays_age=2.0,
        delays_confidence=0.9,
    )
    return filled(plan, **changes)


def a_platform(**changes: Any) -> provisioning.ProvisionAnswer:
    """Two machines for both executors; `changes` are of the message."""
    answer = filled(
        provisioning.ProvisionAnswer(),
        topology_id="word_count-1-1700000000",
        topology="word_count",
        catalogue="made-up-cloud",
        currency="€",
        throughput=1,
        status="feasible",
        decided_by="integer program",
        seconds=2.5,
        price=136,
        bound=100,
        gap=0.25,
        shopping_list=[{"type": "small", "count": 2, "price": 68}],
        machines=[
            {"id": "small-1", "type": "small", "operators": ["sentence[1-1]"]},
            {"id": "small-2", "type": "small", "operators": ["count.words[2-3]"]},
        ],
        uses=[
            {"constraint": "cpu", "name": "small-1", "load": 0.5, "limit": 2},
            {"constraint": "link", "name": "small-1 – small-2", "load": 2e4},
        ],
        breaks_at=1.2,
        sustained=4,
        cheaper={
            "price": 68,
            "throughput": 0.5,
            "shopping_list": [{"type": "small", "count": 1, "price": 68}],
        },
        assumptions=["CPU is what each component declares; it was not measured"],
    )
    return filled(answer, **changes)


def a_forecast(rate: float = 1.0, off: Sequence[str] = ()) -> pb.Forecast:
    """edge-1 is the bottleneck: half of its CPU is used, so that it carries twice the rate.

    sentence[1-1] leaves hosts that are off for edge-1.
    """

    def interval(value: float, error: float = 0.1) -> dict[str, float]:
        return {"value": value, "least": value * (1 - error), "greatest": value * (1 + error)}

    def prospect(multiple: float, off: Sequence[str] = ()) -> dict[str, Any]:
        hosts = {it: share for it, share in HOST_SHARES.items() if it not in off}
        executors = {"sentence[1-1]": 0.5, "count.words[2-3]": 0.25}
        return {
            "throughput": interval(100 * min(multiple, 2.0)),
            "response_time": interval(0.05)
            if multiple < 2
            else dict.fromkeys(("value", "least", "greatest"), "Infinity"),
            "sustainable": interval(2.0),
            "bottleneck": "edge-1",
            "hosts": [
                {"name": it, "share": interval(multiple * share)} for it, share in hosts.items()
            ],
            "executors": [
                {"name": it, "share": interval(multiple * share)} for it, share in executors.items()
            ],
        }

    return filled(
        pb.Forecast(),
        topology_id="word_count-1-1700000000",
        topology="word_count",
        now=prospect(1.0),
        then=prospect(rate, off),
        moves=[
            {"executor": "sentence[1-1]", "source_host": it, "target_host": "edge-1"} for it in off
        ],
        remarks=["execution times are CPU times"],
    )
