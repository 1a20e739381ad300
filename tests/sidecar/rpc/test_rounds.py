import time

import pytest
from eyewall_contracts.proto import operations_pb2, operations_pb2_grpc
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_sidecar.rpc import encode
from eyewall_sidecar.service.decision import Decision
from nimbus_messages import PINS, request, state_of, tag_and_count
from running_sidecar import RunningSidecar


def host_of(place: pb.Place, task: int) -> str:
    return next(
        worker.supervisor_id.removeprefix("sup-")
        for worker in place.workers
        for executor in worker.executors
        if executor.first_task == task
    )


def test_a_first_placement_comes_back_with_its_pins_every_executor_once_and_no_slot_twice(
    sidecar: RunningSidecar,
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
    assert decision.status == "eyewall: odp, optimal, R 40 ms; rates assumed equal"
    assert decision.base == state_of(definition).topologies[0].assignment_digest


def test_a_changed_delay_moves_the_topology_in_a_later_round(sidecar: RunningSidecar) -> None:
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


def test_a_plan_is_made_while_rounds_go_on_and_applied_by_the_next_one(
    sidecar: RunningSidecar,
) -> None:
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
    operations.ApplyPlan(named, timeout=120)
    (decision,) = sidecar.schedule(runs).decisions
    assert {(it.supervisor_id.removeprefix("sup-"), it.port) for it in decision.place.workers} == {
        (it.host, it.port) for it in plan.workers if it.after
    }
    assert operations.GetPlan(named, timeout=120).state == operations_pb2.Plan.HANDED_OVER
    then = state_of(definition, workers=decision.place.workers)
    sidecar.schedule(request(then, definition))
    assert operations.GetPlan(named, timeout=120).state == operations_pb2.Plan.APPLIED


def test_half_of_a_surrogate_pair_in_one_topologys_setting_does_not_stop_the_others(
    sidecar: RunningSidecar,
) -> None:
    bad = tag_and_count("bad-1", policy="\ud800")
    good = tag_and_count("good-1", pin=PINS)
    declined, placed = sidecar.schedule(request(state_of(bad, good), bad, good)).decisions
    assert r'eyewall.policy is "\ud800"' in declined.decline.reason
    assert placed.HasField("place")


def test_a_decision_that_cannot_be_encoded_is_declined_and_does_not_stop_the_others(
    sidecar: RunningSidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode_decision = encode.decision
    failed: list[Decision] = []

    def fail_once(decided: Decision) -> pb.Decision:
        if decided.topology_id == "bad-1" and not failed:
            failed.append(decided)
            raise OverflowError("a surprise")
        return encode_decision(decided)

    monkeypatch.setattr(encode, "decision", fail_once)
    bad, good = tag_and_count("bad-1", mode="off"), tag_and_count("good-1", pin=PINS)
    declined, placed = sidecar.schedule(request(state_of(bad, good), bad, good)).decisions
    assert declined.decline.reason == "eyewall failed: OverflowError: a surprise"
    assert placed.HasField("place")
