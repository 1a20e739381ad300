"""The request that Nimbus's side wrote, as the sidecar's side reads it.

The fixture (storm-scheduler's ScheduleRequestBytesTest): supervisor s1 with ports 6700 and 6701,
s2 with 6700; topology spout 1 -> count 2, 3 with acker 4, once running, once waiting.
"""

from hashlib import sha256
from pathlib import Path

import pytest
from eyewall_contracts.proto import scheduler_pb2 as rpc

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def request_() -> rpc.ScheduleRequest:
    written = Path(__file__).with_name("schedule_request.binpb").read_bytes()
    return rpc.ScheduleRequest.FromString(written)


def tasks(worker: rpc.Worker) -> list[tuple[int, int]]:
    return [(executor.first_task, executor.last_task) for executor in worker.executors]


def test_the_head_says_who_asks_and_how_long_it_waits(request_: rpc.ScheduleRequest) -> None:
    assert request_.contract_version == 1
    assert request_.nimbus_id == "nimbus-1"
    assert request_.round == 7
    assert request_.deadline_ms == 2000


def test_the_digest_is_that_of_the_state(request_: rpc.ScheduleRequest) -> None:
    state = request_.state.SerializeToString(deterministic=True)
    assert request_.state_digest == sha256(state).digest()


def test_supervisors_are_in_cores_and_bytes(request_: rpc.ScheduleRequest) -> None:
    # supervisor.cpu.capacity 400 % and supervisor.memory.capacity.mb 4096.
    first, second = request_.state.supervisors
    assert (first.id, first.host, list(first.ports)) == ("s1", "host-s1", [6700, 6701])
    assert (second.id, second.host, list(second.ports)) == ("s2", "host-s2", [6700])
    assert first.cpu_cores == 4.0
    assert first.memory_bytes == 4096 * MIB
    assert dict(first.scheduler_meta) == {"site": "lab", "speed": "1"}


def test_a_running_topology_has_its_workers_sorted(request_: rpc.ScheduleRequest) -> None:
    running, waiting = request_.state.topologies
    assert running.topology_id == "running-1"
    assert not running.needs_scheduling
    assert [(w.supervisor_id, w.port, tasks(w)) for w in running.workers] == [
        ("s1", 6700, [(1, 1), (4, 4)]),
        ("s2", 6700, [(2, 2), (3, 3)]),
    ]
    assert waiting.topology_id == "waiting-2"
    assert waiting.needs_scheduling
    assert not waiting.workers
    assert running.assignment_digest != waiting.assignment_digest


def test_definitions_belong_to_their_states(request_: rpc.ScheduleRequest) -> None:
    assert [d.topology_id for d in request_.definitions] == ["running-1", "waiting-2"]
    assert [d.digest for d in request_.definitions] == [
        topology.definition_digest for topology in request_.state.topologies
    ]


def test_a_definition_holds_every_component_with_its_inputs(
    request_: rpc.ScheduleRequest,
) -> None:
    definition = request_.definitions[0]
    assert definition.name == "RUNNING-1"
    assert definition.requested_workers == 2
    assert definition.worker_max_heap_bytes == 768 * MIB
    assert dict(definition.settings) == {"eyewall.pin": '{"spout":"host-s1"}'}

    acker, count, spout = definition.components
    assert (acker.id, count.id, spout.id) == ("__acker", "count", "spout")
    assert acker.kind == rpc.Component.SYSTEM
    assert count.kind == rpc.Component.BOLT
    assert spout.kind == rpc.Component.SPOUT
    assert [(e.first_task, e.last_task) for e in count.executors] == [(2, 2), (3, 3)]
    # topology.component.cpu.pcore.percent 10, ….onheap.memory.mb 128, ….offheap.memory.mb 0.
    assert (count.cpu_cores, count.on_heap_bytes, count.off_heap_bytes) == (0.1, 128 * MIB, 0)
    (input_,) = count.inputs
    assert (input_.source_component, input_.stream) == ("spout", "default")
    assert input_.grouping == rpc.Input.FIELDS
    assert [(i.source_component, i.stream) for i in acker.inputs] == [
        ("count", "__ack_ack"),
        ("count", "__ack_fail"),
        ("count", "__ack_reset_timeout"),
        ("spout", "__ack_init"),
    ]
    assert {i.grouping for i in spout.inputs} == {rpc.Input.DIRECT}
