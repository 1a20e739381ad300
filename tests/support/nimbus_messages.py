"""What a Nimbus sends in a round, as messages: six hosts at three sites, and a topology."""

import hashlib
import json
from collections.abc import Sequence

from eyewall_contracts.proto import scheduler_pb2 as pb

HOSTS = ("edge-1", "edge-2", "fog-1", "fog-2", "cloud-1", "cloud-2")
PINS = {"source": ["edge-1"], "consumer": ["cloud-1"]}
PATIENCE_MS = 60_000
"""A deadline that no test means to reach."""


def tag_and_count(
    topology_id: str = "tag-and-count-1", **settings: object
) -> pb.TopologyDefinition:
    """Paper 000, section 7: source, five bolts of two executors, consumer; and an acker."""
    sizes = [("source", 1), *((f"bolt{n}", 2) for n in range(1, 6)), ("consumer", 1)]
    definition = pb.TopologyDefinition(topology_id=topology_id, name="tag-and-count")
    definition.settings.update({f"eyewall.{key}": json.dumps(it) for key, it in settings.items()})
    task = 0
    before = ""
    for name, count in sizes:
        component = definition.components.add(
            id=name,
            kind=pb.Component.BOLT if before else pb.Component.SPOUT,
            cpu_cores=0.1,
            on_heap_bytes=128 << 20,
        )
        for _ in range(count):
            task += 1
            component.executors.add(first_task=task, last_task=task)
        if before:
            component.inputs.add(source_component=before, stream="default", grouping=1)
        before = name
    acker = definition.components.add(id="__acker", kind=pb.Component.SYSTEM, cpu_cores=0.1)
    acker.executors.add(first_task=task + 1, last_task=task + 1)
    for name, _ in sizes:
        stream = "__ack_init" if name == "source" else "__ack_ack"
        acker.inputs.add(source_component=name, stream=stream, grouping=pb.Input.FIELDS)
    definition.digest = hashlib.sha256(definition.SerializeToString(deterministic=True)).digest()
    return definition


def state_of(
    *definitions: pb.TopologyDefinition, workers: Sequence[pb.Worker] = ()
) -> pb.ClusterState:
    state = pb.ClusterState()
    for host in HOSTS:
        state.supervisors.add(
            id=f"sup-{host}", host=host, ports=range(6700, 6704), cpu_cores=2, memory_bytes=2 << 30
        )
    for it in definitions:
        topology = state.topologies.add(topology_id=it.topology_id, definition_digest=it.digest)
        topology.workers.extend(workers)
        named = b"".join(sorted(worker.SerializeToString() for worker in workers))
        topology.assignment_digest = hashlib.sha256(named).digest()
        topology.needs_scheduling = not workers
    return state


def request(
    state: pb.ClusterState, *definitions: pb.TopologyDefinition, nimbus: str = "nimbus-1"
) -> pb.ScheduleRequest:
    digest = hashlib.sha256(state.SerializeToString(deterministic=True)).digest()
    return pb.ScheduleRequest(
        contract_version=1,
        nimbus_id=nimbus,
        round=1,
        deadline_ms=PATIENCE_MS,
        state_digest=digest,
        state=state,
        definitions=definitions,
    )


def by_digest_only(whole: pb.ScheduleRequest) -> pb.ScheduleRequest:
    short = pb.ScheduleRequest()
    short.CopyFrom(whole)
    short.ClearField("state")
    short.ClearField("definitions")
    return short
