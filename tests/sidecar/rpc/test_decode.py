from collections.abc import Callable

import pytest
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_sidecar.rpc import decode
from eyewall_sidecar.storm import Executor, SharedMemory, supervisor_capacities


def definition(topology_id: str = "count-1") -> pb.TopologyDefinition:
    """source → count, one executor each."""
    built = pb.TopologyDefinition(topology_id=topology_id)
    for task, name in enumerate(("source", "count"), start=1):
        kind = pb.Component.BOLT if task > 1 else pb.Component.SPOUT
        component = built.components.add(id=name, kind=kind, cpu_cores=0.5, on_heap_bytes=128 << 20)
        component.executors.add(first_task=task, last_task=task)
    built.components[1].inputs.add(
        source_component="source", stream="default", grouping=pb.Input.SHUFFLE
    )
    built.settings["eyewall.mode"] = '"auto"'
    return built


def broken_executor(it: pb.TopologyDefinition) -> None:
    it.components[0].executors[0].last_task = 0


def broken_twice(it: pb.TopologyDefinition) -> None:
    it.components[1].executors[0].CopyFrom(it.components[0].executors[0])


def broken_kind(it: pb.TopologyDefinition) -> None:
    it.components[0].ClearField("kind")


def broken_grouping(it: pb.TopologyDefinition) -> None:
    it.components[1].inputs[0].ClearField("grouping")


def broken_cores(it: pb.TopologyDefinition) -> None:
    it.components[1].cpu_cores = -0.1


def broken_bytes(it: pb.TopologyDefinition) -> None:
    it.components[1].on_heap_bytes = 2**64 - (128 << 20)  # −128 MB without its sign


def broken_generic(it: pb.TopologyDefinition) -> None:
    it.components[1].generic_resources["gpu.count"] = float("nan")


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (broken_executor, "component source: executor [1-0]: its last task"),
        (broken_twice, "executor [1-1] is listed twice"),
        (broken_kind, "component source: kind is 0; it must be one of 1, 2, 3"),
        (broken_grouping, "component count: grouping of source:default is 0"),
        (broken_cores, "component count: cpu_cores is -0.1; it must be a number from 0 to 1e+06"),
        (broken_generic, "component count: gpu.count is nan; it must be a number from 0 to 1e+15"),
        # 2^64 − 2^27
        (broken_bytes, "component count: on_heap_bytes is 18,446,744,073,575,333,888; it must be"),
    ],
)
def test_a_definition_without_sense_is_refused_with_what_is_wrong(
    breaks: Callable[[pb.TopologyDefinition], None], said: str
) -> None:
    message = definition()
    breaks(message)
    refused = decode.topology(message)
    assert refused.refused.startswith("definition of count-1")
    assert said in refused.refused
    assert (refused.id, refused.settings) == ("count-1", {"eyewall.mode": '"auto"'})


def test_what_storms_scheduler_promises_is_read_and_is_nothing_where_a_shim_does_not_say_it() -> (
    None
):
    older = decode.topology(definition())
    assert older.components[1].generic == ()
    assert older.components[1].most_on_supervisor == 0
    assert not older.components[1].incompatible
    assert not older.one_executor_per_worker
    assert not older.one_component_per_worker
    assert older.shared_memory == ()

    said = definition()
    said.one_component_per_worker = True
    count = said.components[1]
    count.generic_resources["gpu.count"] = 2.0
    count.most_on_supervisor = 1
    count.incompatible.append("source")
    said.shared_memory.add(name="table", components=["count"], on_heap_bytes=7)
    found = decode.topology(said)
    assert found.shared_memory == (SharedMemory("table", frozenset({"count"}), 7, 0, 0),)
    assert found.one_component_per_worker
    assert found.components[1].generic == (("gpu.count", 2.0),)
    assert found.components[1].most_on_supervisor == 1
    assert found.components[1].incompatible == {"source"}


def test_the_least_cpu_of_a_worker_is_none_where_a_shim_does_not_say_it() -> None:
    assert decode.cluster_state(pb.ClusterState(), {}).least_worker_cores == 0
    said = pb.ClusterState(least_worker_cores=0.5)
    assert decode.cluster_state(said, {}).least_worker_cores == 0.5
    with pytest.raises(decode.MalformedError, match="state: least_worker_cores is -1"):
        decode.cluster_state(pb.ClusterState(least_worker_cores=-1), {})


def test_of_a_generic_resource_that_makes_no_sense_a_supervisor_has_none() -> None:
    state = pb.ClusterState()
    supervisor = state.supervisors.add(id="s", host="h", cpu_cores=1.0)
    amounts = {"gpu.count": 2.0, "disk.bytes": 4e12, "bad": float("nan"), "less": -1.0, "": 3.0}
    supervisor.generic_resources.update(amounts)
    (found,) = decode.cluster_state(state, {}).supervisors
    assert found.generic == (("disk.bytes", 4e12), ("gpu.count", 2.0))


def test_shuffles_know_load_unless_the_shim_says_otherwise() -> None:
    message = definition()
    assert decode.topology(message).load_aware
    message.load_aware_messaging_disabled = True
    assert not decode.topology(message).load_aware


@pytest.mark.parametrize(
    ("given", "decoded"), [(10.0, 10.0), (0.0, 30.0), (-1.0, 30.0), (float("nan"), 30.0)]
)
def test_a_message_timeout_that_is_unknown_or_without_sense_is_storms_default(
    given: float, decoded: float
) -> None:
    message = definition()
    message.message_timeout_seconds = given
    assert decode.topology(message).message_timeout == decoded


def test_what_makes_sense_is_not_refused() -> None:
    assert decode.topology(definition()).refused == ""


def test_a_refused_topology_holds_its_slots_but_nothing_that_it_asks_for() -> None:
    # It runs on the only host of 2 cores and 1 GB, and says that it needs 16 exabytes there.
    bad, good = definition("bad-1"), definition("good-1")
    broken_bytes(bad)
    state = pb.ClusterState()
    state.supervisors.add(
        id="sup-a", host="a", ports=[6700, 6701], cpu_cores=2, memory_bytes=1 << 30
    )
    for it in (bad, good):
        state.topologies.add(topology_id=it.topology_id)
    worker = state.topologies[0].workers.add(supervisor_id="sup-a", port=6700)
    worker.executors.extend(it.executors[0] for it in bad.components)
    decoded = decode.cluster_state(
        state, {it.topology_id: decode.topology(it) for it in (bad, good)}
    )
    capacity = supervisor_capacities(decoded, decoded.topologies[1])["sup-a"]
    assert [it.port for it in capacity.fresh] == [6701]
    assert (capacity.cpu_cores, capacity.memory_bytes) == (2, 1 << 30)
    assert decoded.topologies[0].missing() == ()
    assert set(decoded.topologies[0].running()) == {Executor(1, 1), Executor(2, 2)}
