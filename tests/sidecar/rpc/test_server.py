import grpc
import pytest
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_sidecar.rpc import AddressError, RpcServer
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from nimbus_messages import request, state_of, tag_and_count
from running_sidecar import RunningSidecar


def test_under_a_newer_contract_what_runs_is_kept_and_the_rest_declined_with_the_reason(
    sidecar: RunningSidecar,
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
        (broken_supervisors, ["supervisor sup-edge-1 is listed twice"]),
        (broken_nimbus, ["nimbus_id is empty"]),
        (broken_version, ["contract_version is 0"]),
    ],
)
def test_a_malformed_message_is_refused_with_what_is_wrong(
    sidecar: RunningSidecar, breaks: object, words: list[str]
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


@pytest.mark.parametrize(
    ("breaks", "words"),
    [
        (broken_port, "supervisor sup-edge-1: port is 70000; it must be from 0 to 65535"),
        (
            broken_cpu,
            "supervisor sup-edge-1: cpu_cores is nan; it must be a number from 0 to 1e+06",
        ),
        (broken_host, "supervisor sup-edge-1: host is empty; it must be given"),
    ],
)
def test_a_supervisor_without_sense_is_left_out_and_named_once(
    sidecar: RunningSidecar, breaks: object, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    # Of the hosts all but edge-1 hold what waits; what runs there stays.
    waiting, running = tag_and_count(), tag_and_count("running-1")
    whole = request(state_of(waiting, running), waiting, running)
    worker = whole.state.topologies[1].workers.add(supervisor_id="sup-edge-1", port=6700)
    for component in running.components:
        worker.executors.extend(component.executors)
    whole.state.topologies[1].needs_scheduling = False
    breaks(whole)  # type: ignore[operator]
    placed, kept = sidecar.schedule(whole).decisions
    hosts = {it.supervisor_id for it in placed.place.workers}
    assert hosts
    assert "sup-edge-1" not in hosts
    assert kept.HasField("keep")
    sidecar.schedule(whole)
    assert [it.message for it in caplog.records if "left out" in it.message] == [
        f"left out: {words}"
    ]


def test_a_definition_without_sense_is_that_topologys_alone(sidecar: RunningSidecar) -> None:
    good, bad = tag_and_count(), tag_and_count("bad-1")
    bad.components[2].cpu_cores = -0.1
    placed, declined = sidecar.schedule(request(state_of(good, bad), good, bad)).decisions
    assert placed.HasField("place")
    assert "bad-1, component bolt2: cpu_cores is -0.1" in declined.decline.reason
    assert declined.status == declined.decline.reason


def test_the_health_service_says_serving_only_when_told(sidecar: RunningSidecar) -> None:
    health = health_pb2_grpc.HealthStub(sidecar.channel)
    asked = health_pb2.HealthCheckRequest(service="eyewall.scheduler.v1.Scheduler")
    assert health.Check(asked).status == health_pb2.HealthCheckResponse.NOT_SERVING
    sidecar.server.set_serving(serving=True)
    assert health.Check(asked).status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_lists_the_contract(sidecar: RunningSidecar) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(sidecar.channel)
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    (answer,) = stub.ServerReflectionInfo(iter([asked]))
    names = {it.name for it in answer.list_services_response.service}
    assert {"eyewall.scheduler.v1.Scheduler", "grpc.health.v1.Health"} <= names


def test_a_state_of_more_than_four_megabytes_is_taken(sidecar: RunningSidecar) -> None:
    definition = tag_and_count(mode="off")
    definition.name = "x" * (5 << 20)
    reply = sidecar.schedule(request(state_of(definition), definition))
    assert reply.decisions[0].decline.reason == "eyewall.mode is off"


def test_a_port_that_is_taken_is_one_clear_error(sidecar: RunningSidecar) -> None:
    address = f"127.0.0.1:{sidecar.server.port}"
    with pytest.raises(AddressError) as refused:
        RpcServer(None, address)  # type: ignore[arg-type]
    assert str(refused.value) == f"cannot listen on {address}: Address already in use"
