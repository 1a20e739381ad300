import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc
import pytest
from eyewall_proto import operations_pb2, operations_pb2_grpc
from eyewall_proto import scheduler_pb2 as pb
from eyewall_proto import scheduler_pb2_grpc as pb_grpc
from eyewall_sidecar.rpc import AddressError, Server
from eyewall_sidecar.service import (
    Buying,
    Measuring,
    Planning,
    Recorder,
    Rules,
    SchedulingService,
)
from eyewall_sidecar.service.solver_processes import SolverProcesses
from eyewall_sidecar.stores import DelayFile, NoMeasurements, NoRecords
from eyewall_sidecar.storm import Settings
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

HOSTS = ("edge-1", "edge-2", "fog-1", "fog-2", "cloud-1", "cloud-2")
PATIENCE_MS = 60_000
"""A deadline that no test means to reach."""


@pytest.fixture(scope="module")
def solvers() -> Iterator[SolverProcesses]:
    processes = SolverProcesses()
    processes.warm()
    yield processes
    processes.close()


class Sidecar:
    """A real server with a real client, and the delay file that it reads."""

    def __init__(self, solvers: SolverProcesses, delay_file: Path) -> None:
        self.delay_file = delay_file
        self.write_delays()
        rules = Rules(first_placement_seconds=20, cool_down_seconds=0)
        store = DelayFile(delay_file, time.time)
        service = SchedulingService(
            Settings(),
            rules,
            store,
            Measuring(NoMeasurements(), 0.5),
            solvers,
            Recorder(NoRecords(), "5f1c1a0e", time.time),
            time.monotonic,
        )
        planning = Planning(service, solvers, lambda: "5f1c1a0e")
        buying = Buying(service, solvers)
        self.server = Server(service, planning, buying, "127.0.0.1:0")
        self.server.start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.server.port}")
        self.stub = pb_grpc.SchedulerStub(self.channel)  # type: ignore[no-untyped-call]

    def write_delays(self, **milliseconds: float) -> None:
        """2 ms within a site, 15, 25 and 40 ms between sites; `edge_cloud=200` changes one."""
        between = {"edge_fog": 15.0, "cloud_fog": 25.0, "cloud_edge": 40.0} | milliseconds

        def delay(a: str, b: str) -> float:
            sites = sorted((a.split("-")[0], b.split("-")[0]))
            inside = 0.0 if a == b else 0.002
            return inside if sites[0] == sites[1] else between["_".join(sites)] / 1000

        content = {
            "version": 1,
            "unit": "s",
            "kind": "one_way",
            "source": "test",
            "as_of": time.time(),
            "hosts": HOSTS,
            "delay": [[delay(a, b) for b in HOSTS] for a in HOSTS],
        }
        beside = self.delay_file.with_suffix(".new")
        beside.write_text(json.dumps(content))
        beside.replace(self.delay_file)

    def schedule(self, request: pb.ScheduleRequest) -> pb.ScheduleReply:
        reply: pb.ScheduleReply = self.stub.Schedule(request, timeout=60)
        return reply

    def close(self) -> None:
        self.channel.close()
        self.server.stop(0)


@pytest.fixture
def sidecar(solvers: SolverProcesses, tmp_path: Path) -> Iterator[Sidecar]:
    running = Sidecar(solvers, tmp_path / "delays.json")
    yield running
    running.close()


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


PINS = {"source": ["edge-1"], "consumer": ["cloud-1"]}


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


def host_of(place: pb.Place, task: int) -> str:
    return next(
        worker.supervisor_id.removeprefix("sup-")
        for worker in place.workers
        for executor in worker.executors
        if executor.first_task == task
    )


def test_a_first_placement_comes_back_with_its_pins_every_executor_once_and_no_slot_twice(
    sidecar: Sidecar,
) -> None:
    definition = tag_and_count(pin=PINS)
    reply = sidecar.schedule(request(state_of(definition), definition))
    (decision,) = reply.decisions
    place = decision.place
    assert (host_of(place, 1), host_of(place, 12)) == ("edge-1", "cloud-1")
    tasks = sorted(executor.first_task for it in place.workers for executor in it.executors)
    assert tasks == list(range(1, 14))
    slots = [(it.supervisor_id, it.port) for it in place.workers]
    assert len(set(slots)) == len(slots)
    assert max(len(it.executors) for it in place.workers) <= 4
    # edge → cloud is 40 ms, straight on or by way of the fog.
    assert decision.status == "placed by eyewall: odp, optimal, R 40 ms; rates assumed equal"
    assert decision.base == state_of(definition).topologies[0].assignment_digest


def test_an_unchanged_state_is_known_by_its_digest(sidecar: Sidecar) -> None:
    definition = tag_and_count(pin=PINS)
    whole = request(state_of(definition), definition)
    assert sidecar.schedule(by_digest_only(whole)) == pb.ScheduleReply(
        contract_version=1, needs_state=True
    )
    first = sidecar.schedule(whole)
    assert sidecar.schedule(by_digest_only(whole)) == first


def test_a_digest_of_another_state_is_never_answered_with_the_old_one(sidecar: Sidecar) -> None:
    definition = tag_and_count(mode="off")
    whole = request(state_of(definition), definition)
    sidecar.schedule(whole)
    changed = by_digest_only(whole)
    changed.state_digest = b"another"
    reply = sidecar.schedule(changed)
    assert reply.needs_state
    assert not reply.decisions


def test_a_restarted_sidecar_asks_for_the_state_and_then_for_the_definitions(
    sidecar: Sidecar,
) -> None:
    definition = tag_and_count(pin=PINS)
    whole = request(state_of(definition), definition)
    assert sidecar.schedule(by_digest_only(whole)).needs_state
    without_definitions = request(state_of(definition))
    reply = sidecar.schedule(without_definitions)
    assert (reply.needs_state, list(reply.needs_definitions)) == (False, [definition.topology_id])
    assert not reply.decisions
    assert sidecar.schedule(whole).decisions[0].HasField("place")


def test_a_definition_that_changed_is_asked_for_again(sidecar: Sidecar) -> None:
    first, changed = tag_and_count(pin=PINS), tag_and_count(mode="off")
    sidecar.schedule(request(state_of(first), first))
    assert list(sidecar.schedule(request(state_of(changed))).needs_definitions) == [
        first.topology_id
    ]
    decision = sidecar.schedule(request(state_of(changed), changed)).decisions[0]
    assert decision.decline.reason == "eyewall.mode is off"


def test_what_one_nimbus_sent_is_not_known_of_another_and_few_are_remembered(
    sidecar: Sidecar,
) -> None:
    definition = tag_and_count(mode="off")
    state = state_of(definition)
    first = request(state, definition, nimbus="nimbus-0")
    sidecar.schedule(first)
    for number in range(1, 5):
        other = request(state, definition, nimbus=f"nimbus-{number}")
        assert sidecar.schedule(by_digest_only(other)).needs_state
        assert sidecar.schedule(other).decisions
    assert sidecar.schedule(by_digest_only(first)).needs_state


def test_a_changed_delay_moves_the_topology_in_a_later_round(sidecar: Sidecar) -> None:
    # Straight on 40 ms, by way of the fog 400: the fog is not used.
    sidecar.write_delays(cloud_edge=40, edge_fog=200, cloud_fog=200)
    definition = tag_and_count(pin=PINS)
    placed = sidecar.schedule(request(state_of(definition), definition)).decisions[0]
    assert "R 40 ms" in placed.status
    running = request(state_of(definition, workers=placed.place.workers), definition)
    kept = sidecar.schedule(running).decisions[0]
    assert kept.HasField("keep")
    assert kept.status == placed.status
    # Straight on 200 ms now, by way of the fog 5 + 5.
    sidecar.write_delays(cloud_edge=200, edge_fog=5, cloud_fog=5)
    waiting_until = time.monotonic() + 60
    while (decision := sidecar.schedule(running).decisions[0]).HasField("keep"):
        assert time.monotonic() < waiting_until
        time.sleep(0.05)
    assert "R 10 ms (was 200)" in decision.status
    assert decision.base == running.state.topologies[0].assignment_digest
    assert (host_of(decision.place, 1), host_of(decision.place, 12)) == ("edge-1", "cloud-1")
    before = {(it.supervisor_id, it.port): it for it in placed.place.workers}
    started = [it for it in decision.place.workers if it not in placed.place.workers]
    assert started
    assert [it for it in started if (it.supervisor_id, it.port) in before] == []


def test_under_a_newer_contract_what_runs_is_kept_and_the_rest_declined_with_the_reason(
    sidecar: Sidecar,
) -> None:
    said = "the sidecar speaks contract 1, Nimbus speaks 2: update the sidecar"
    waiting, running = tag_and_count(), tag_and_count("running-1")
    newer = request(state_of(waiting, running), waiting, running)
    newer.contract_version = 2
    newer.state.topologies[1].workers.add(supervisor_id="sup-edge-1", port=6700)
    newer.state.topologies[1].needs_scheduling = False
    declined, kept = sidecar.schedule(newer).decisions
    assert declined.decline.reason == said
    assert kept.HasField("keep")
    assert kept.status == said


def broken_port(it: pb.ScheduleRequest) -> None:
    it.state.supervisors[0].ports.append(70_000)


def broken_cpu(it: pb.ScheduleRequest) -> None:
    it.state.supervisors[0].cpu_cores = float("nan")


def broken_host(it: pb.ScheduleRequest) -> None:
    it.state.supervisors[0].host = ""


def broken_supervisors(it: pb.ScheduleRequest) -> None:
    it.state.supervisors.append(it.state.supervisors[0])


def broken_nimbus(it: pb.ScheduleRequest) -> None:
    it.nimbus_id = ""


def broken_version(it: pb.ScheduleRequest) -> None:
    it.contract_version = 0


@pytest.mark.parametrize(
    ("breaks", "words"),
    [
        (broken_port, ["supervisor sup-edge-1", "port is 70000", "65535"]),
        (broken_cpu, ["supervisor sup-edge-1", "cpu_cores is nan"]),
        (broken_host, ["supervisor sup-edge-1", "host is empty"]),
        (broken_supervisors, ["supervisor sup-edge-1 is listed twice"]),
        (broken_nimbus, ["nimbus_id is empty"]),
        (broken_version, ["contract_version is 0"]),
    ],
)
def test_a_malformed_message_is_refused_with_what_is_wrong(
    sidecar: Sidecar, breaks: object, words: list[str]
) -> None:
    definition = tag_and_count(mode="off")
    whole = request(state_of(definition), definition)
    breaks(whole)  # type: ignore[operator]
    with pytest.raises(grpc.RpcError) as refused:
        sidecar.schedule(whole)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    said = refused.value.details()
    assert [word for word in words if word not in said] == []
    good = request(state_of(definition), definition)
    assert sidecar.schedule(good).decisions, "the next request is served"


def test_a_definition_without_sense_is_that_topologys_alone(sidecar: Sidecar) -> None:
    good, bad = tag_and_count(), tag_and_count("bad-1")
    bad.components[2].cpu_cores = -0.1
    placed, declined = sidecar.schedule(request(state_of(good, bad), good, bad)).decisions
    assert placed.HasField("place")
    assert "bad-1, component bolt2: cpu_cores is -0.1" in declined.decline.reason
    assert declined.status == declined.decline.reason


def test_the_health_service_says_serving_only_when_told(sidecar: Sidecar) -> None:
    health = health_pb2_grpc.HealthStub(sidecar.channel)
    asked = health_pb2.HealthCheckRequest(service="eyewall.scheduler.v1.Scheduler")
    assert health.Check(asked).status == health_pb2.HealthCheckResponse.NOT_SERVING
    sidecar.server.set_serving(serving=True)
    assert health.Check(asked).status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_lists_the_contract(sidecar: Sidecar) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(sidecar.channel)
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    (answer,) = stub.ServerReflectionInfo(iter([asked]))
    names = {it.name for it in answer.list_services_response.service}
    assert {"eyewall.scheduler.v1.Scheduler", "grpc.health.v1.Health"} <= names


def test_a_state_of_more_than_four_megabytes_is_taken(sidecar: Sidecar) -> None:
    definition = tag_and_count(mode="off")
    definition.name = "x" * (5 << 20)
    reply = sidecar.schedule(request(state_of(definition), definition))
    assert reply.decisions[0].decline.reason == "eyewall.mode is off"


def test_a_port_that_is_taken_is_one_clear_error(sidecar: Sidecar) -> None:
    address = f"127.0.0.1:{sidecar.server.port}"
    with pytest.raises(AddressError) as refused:
        Server(None, None, None, address)  # type: ignore[arg-type]
    assert str(refused.value) == f"cannot listen on {address}: Address already in use"


def test_a_plan_is_made_while_rounds_go_on_and_applied_by_the_next_one(sidecar: Sidecar) -> None:
    definition = tag_and_count(pin=PINS, mode="observe")
    on = {"edge-1": [1], "fog-1": [2, 3, 4, 5], "fog-2": [6, 7, 8, 9], "cloud-1": [10, 11, 12, 13]}
    workers = [
        pb.Worker(
            supervisor_id=f"sup-{host}",
            port=6700,
            executors=[pb.Executor(first_task=it, last_task=it) for it in tasks],
        )
        for host, tasks in on.items()
    ]
    sidecar.write_delays(edge_fog=200)  # by way of the fog 225 ms; straight on 40
    runs = request(state_of(definition, workers=workers), definition)
    sidecar.schedule(runs)
    operations = operations_pb2_grpc.OperationsStub(sidecar.channel)  # type: ignore[no-untyped-call]
    wanted = operations_pb2.PlanRequest(topology=definition.topology_id)
    making = operations.MakePlan.future(wanted, timeout=120)
    rounds = 0
    while not making.done():
        assert sidecar.schedule(runs).decisions[0].HasField("decline")
        rounds += 1
    assert rounds > 1
    plan = making.result()
    assert plan.workers_started > 0
    named = operations_pb2.PlanId(id=plan.id)
    operations.ApplyPlan(named, timeout=10)
    (decision,) = sidecar.schedule(runs).decisions
    assert {(it.supervisor_id.removeprefix("sup-"), it.port) for it in decision.place.workers} == {
        (it.host, it.port) for it in plan.workers if it.after
    }
    assert operations.GetPlan(named, timeout=10).state == operations_pb2.Plan.HANDED_OVER
    then = state_of(definition, workers=decision.place.workers)
    sidecar.schedule(request(then, definition))
    assert operations.GetPlan(named, timeout=10).state == operations_pb2.Plan.APPLIED
