"""MakePlan, GetPlan, ListPlans and ApplyPlan, from a real server."""

import threading
from collections.abc import Iterator

import grpc
import pytest
from desk_cluster import TOPOLOGY, served, three_sites
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import operations_pb2_grpc, scheduler_pb2, scheduler_pb2_grpc
from eyewall_contracts.switches import Switches
from eyewall_sidecar.cli.client import OperationsClient, OperationsError
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.rpc.server import THREADS
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.lookup import UnknownNameError
from eyewall_sidecar.service.plans import Plan
from eyewall_sidecar.stores import HeldSwitches
from google.protobuf.descriptor_pb2 import DescriptorProto
from obedient_nimbus import Nimbus
from storm_builders import worker


@pytest.fixture
def free() -> Iterator[tuple[Nimbus, OperationsClient]]:
    """tag[2-2] and tag[3-3] run in the fog, and that link is slow: 200 + 25 ms.

    Nothing is frozen, but nothing gains enough to move unasked, either.
    """
    nimbus = three_sites(minimum_gain=1.0)
    nimbus.delays.milliseconds["edge-1", "fog-1"] = 200.0
    nimbus.running[TOPOLOGY.id] = (
        worker("edge-1", 6700, 1),
        worker("fog-1", 6700, 2, 3),
        worker("cloud-1", 6700, 4),
    )
    nimbus.round(TOPOLOGY)
    with served(nimbus) as address, OperationsClient(address) as client:
        yield nimbus, client


def test_a_plan_has_its_diff_its_metrics_and_its_slowest_path(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    _, client = free
    plan = client.make_plan(pb.PlanRequest(topology="words-1-1700000000", seed=3))
    assert (plan.id, plan.topology_id, plan.topology) == (
        "00000001",
        TOPOLOGY.id,
        TOPOLOGY.name,
    )
    assert plan.state == pb.Plan.PROPOSED
    assert (plan.policy, plan.objective, plan.seed, plan.status) == ("odp", "R=1", 3, "optimal")
    metrics = {it.name: it for it in plan.metrics}
    # edge → fog → cloud: 200 + 25 + 1 ms of work; straight on: 40 + 1 ms.
    assert metrics["R"].before == pytest.approx(0.226)
    assert metrics["R"].after == pytest.approx(0.041)
    assert plan.gain == pytest.approx(1 - 0.041 / 0.226)
    assert {it.executor for it in plan.moves} >= {"tag[2-2]", "tag[3-3]"}
    assert all(it.source_port and it.target_port for it in plan.moves)
    kinds = {pb.WorkerChange.STARTED, pb.WorkerChange.RESTARTED}
    assert plan.workers_started == sum(it.kind in kinds for it in plan.workers)
    assert sum(it.delay + it.work for it in plan.slowest_path) == pytest.approx(0.041)
    assert plan.held_back == str(message(Code.GAIN_TOO_SMALL, minimum=1.0))
    assert 899 < plan.expires_in <= 900
    assert client.plan(plan.id) == plan


def test_a_list_of_plans_tells_of_each_what_does_not_grow_with_its_topology(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    _, client = free
    older = client.make_plan(pb.PlanRequest(topology=TOPOLOGY.id))
    plan = client.make_plan(pb.PlanRequest(topology=TOPOLOGY.id, policy="hybrid"))
    newest, other = client.plans().plans
    assert other.id == older.id
    assert newest == pb.PlanSummary(
        id=plan.id,
        topology_id=TOPOLOGY.id,
        topology=TOPOLOGY.name,
        state=pb.Plan.PROPOSED,
        age=plan.age,
        expires_in=plan.expires_in,
        policy="hybrid",
        objective="R=1",
        status="heuristic",
        gain=plan.gain,
        executors_moved=len(plan.moves),
        workers_started=plan.workers_started,
    )
    assert newest.executors_moved >= 2


def test_an_older_reader_of_the_list_takes_a_summary_for_a_plan_and_the_other_way_round(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    _, client = free
    plan = client.make_plan(pb.PlanRequest(topology=TOPOLOGY.id))
    (listed,) = client.plans().plans
    shared = {it.name for it in pb.PlanSummary.DESCRIPTOR.fields} - {"executors_moved"}
    for sent, as_another in ((listed, pb.Plan()), (plan, pb.PlanSummary())):
        as_another.ParseFromString(sent.SerializeToString())
        for name in shared - {"age", "expires_in"}:
            assert getattr(as_another, name) == getattr(sent, name), name
    # A number that Plan never takes for anything else.
    moved = pb.PlanSummary.DESCRIPTOR.fields_by_name["executors_moved"]
    plans = DescriptorProto()
    pb.Plan.DESCRIPTOR.CopyToProto(plans)
    assert [(it.start, it.end) for it in plans.reserved_range] == [(moved.number, moved.number + 1)]


def test_applying_queues_it_and_rounds_hand_it_over_and_confirm_it(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    nimbus, client = free
    plan = client.make_plan(pb.PlanRequest(topology=TOPOLOGY.id))
    assert client.apply(plan.id).state == pb.Plan.QUEUED
    decision = nimbus.round(TOPOLOGY)[TOPOLOGY.id]
    assert isinstance(decision.verdict, Place)
    assert client.plan(plan.id).state == pb.Plan.HANDED_OVER
    nimbus.round(TOPOLOGY)
    assert client.plan(plan.id).state == pb.Plan.APPLIED
    slots = {
        f"{it.host}:{it.port}": set(it.after) for it in client.plan(plan.id).workers if it.after
    }
    host = {it.id: it.host for it in nimbus.hosts}
    running = {
        f"{host[it.slot.supervisor]}:{it.slot.port}": len(it.executors)
        for it in nimbus.running[TOPOLOGY.id]
    }
    assert {slot: len(after) for slot, after in slots.items()} == running
    status = client.status()
    assert status.rules.workers_started_last_hour == plan.workers_started


def test_a_stale_plan_is_a_failed_precondition_with_what_changed(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    nimbus, client = free
    plan = client.make_plan(pb.PlanRequest(topology=TOPOLOGY.id))
    nimbus.running[TOPOLOGY.id] = (
        worker("edge-1", 6700, 1),
        worker("fog-1", 6701, 2, 3),
        worker("cloud-1", 6700, 4),
    )
    nimbus.round(TOPOLOGY, obey=False)
    with pytest.raises(OperationsError) as refused:
        client.apply(plan.id)
    assert refused.value.code is grpc.StatusCode.FAILED_PRECONDITION
    assert "tag[2-2] runs on fog-1:6701 now, not on fog-1:6700" in refused.value.sentence
    assert client.plan(plan.id).state == pb.Plan.STALE


def test_frozen_is_a_failed_precondition_and_the_status_tells_of_it(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    nimbus, client = free
    plan = client.make_plan(pb.PlanRequest(topology=TOPOLOGY.id))
    before = client.status()
    assert (before.switches.available, before.topologies[0].frozen) == (False, False)
    nimbus.switches.turn(TOPOLOGY.id)
    after = client.status(before.revision)
    assert not after.unchanged
    assert list(after.switches.frozen_topologies) == [TOPOLOGY.id]
    assert after.topologies[0].frozen
    with pytest.raises(OperationsError, match="operators' switch"):
        client.apply(plan.id)
    nimbus.switches.held = HeldSwitches(
        wanted=True, switches=nimbus.switches.held.switches, age=7.5
    )
    again = client.status(after.revision)
    assert (again.unchanged, again.switches.age) == (True, 7.5)


def test_switches_that_were_never_read_have_no_age() -> None:
    nimbus = three_sites(workers_per_round=0, workers_per_hour=7)
    nimbus.switches.held = HeldSwitches(wanted=True, remark="no connection")
    with served(nimbus) as address, OperationsClient(address) as client:
        status = client.status()
        assert status.switches.available
        assert not status.switches.HasField("age")
        assert status.switches.remark == "no connection"
        assert (status.rules.workers_per_round, status.rules.workers_per_hour) == (0, 7)
        nimbus.switches.held = HeldSwitches(wanted=True, switches=Switches(frozen=True), age=0.0)
        assert client.status().switches.frozen


def test_an_answer_without_a_placement_is_a_plan_with_remarks(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    nimbus, client = free
    nimbus.solvers.answer = Solution(Status.INFEASIBLE, "odp", "", reasons=("no CPU \ud800",))
    plan = client.make_plan(pb.PlanRequest(topology=TOPOLOGY.id))
    assert plan.status == "infeasible"
    assert not plan.HasField("gain")
    assert not plan.moves
    assert any(r"no CPU \ud800" in it for it in plan.remarks)


@pytest.mark.parametrize(
    ("request_", "code", "nearest"),
    [
        (pb.PlanRequest(topology="word-1-1700000000"), "NOT_FOUND", (TOPOLOGY.id,)),
        (pb.PlanRequest(topology=TOPOLOGY.id, policy="opd"), "NOT_FOUND", ("odp",)),
        (pb.PlanRequest(topology=TOPOLOGY.id, objective="R=0.2"), "INVALID_ARGUMENT", ()),
        (pb.PlanRequest(topology=TOPOLOGY.id, time_limit=61), "INVALID_ARGUMENT", ()),
    ],
)
def test_bad_requests_have_a_code_and_the_nearest_names(
    free: tuple[Nimbus, OperationsClient],
    request_: pb.PlanRequest,
    code: str,
    nearest: tuple[str, ...],
) -> None:
    with pytest.raises(OperationsError) as refused:
        free[1].make_plan(request_)
    assert refused.value.code is grpc.StatusCode[code]
    assert refused.value.nearest[: len(nearest)] == nearest


def test_a_plan_that_is_gone_is_not_found_and_it_says_how_long_plans_are_kept(
    free: tuple[Nimbus, OperationsClient],
) -> None:
    for ask in (free[1].plan, free[1].apply):
        with pytest.raises(OperationsError, match="kept for 15 minutes") as refused:
            ask("01234567")
        assert refused.value.code is grpc.StatusCode.NOT_FOUND


def test_nimbus_waits_for_no_thread_that_peoples_questions_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nimbus, ended = three_sites(), threading.Event()
    holding = threading.Semaphore(0)

    def held(_id: str) -> Plan:
        holding.release()
        ended.wait(120)
        raise UnknownNameError("gone")

    monkeypatch.setattr(nimbus.planner, "get", held)
    request = scheduler_pb2.ScheduleRequest(
        contract_version=1, nimbus_id="one", state_digest=b"1", deadline_ms=1000
    )
    with served(nimbus) as address, grpc.insecure_channel(address) as channel:
        asking = operations_pb2_grpc.OperationsStub(channel)  # type: ignore[no-untyped-call]
        asked = [asking.GetPlan.future(pb.PlanId(id="x")) for _ in range(THREADS + 2)]
        try:
            for _ in range(THREADS):
                assert holding.acquire(timeout=120)
            stub = scheduler_pb2_grpc.SchedulerStub(channel)  # type: ignore[no-untyped-call]
            assert stub.Schedule(request, timeout=60).needs_state
        finally:
            ended.set()
            for it in asked:
                it.cancel()
