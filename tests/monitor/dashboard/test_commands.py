"""Commands of the JSON API: plan, apply and freeze, also while a source hangs."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
import httpx
import pytest
from eyewall_monitor.dashboard.errors import Reason, RequestError
from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperReader
from eyewall_sidecar.service.planner import MOST_AT_ONCE
from scripted_operations import Refusal
from sidecar_answers import a_plan, a_status

if TYPE_CHECKING:
    from dashboard_stores import Stores
    from real_stores import Server
    from running_dashboard import RunningDashboard
    from scripted_operations import SidecarServer

WORD_COUNT = "word_count-1-1700000000"


def test_a_plan_is_made_read_and_applied(alone: RunningDashboard, sidecar: SidecarServer) -> None:
    asked = {"topology": "word_count", "policy": "odp", "objective": "R=1", "time_limit": 2.5}
    made = alone.post("plans", asked | {"seed": 3})
    assert made.status_code == 201
    sent = sidecar.operations.asked[0]
    assert (sent.topology, sent.policy, sent.time_limit, sent.seed) == ("word_count", "odp", 2.5, 3)
    plan = made.json()
    assert (plan["state"], plan["gain"], plan["workers_started"]) == ("proposed", 0.49, 1)
    assert plan["moves"][0]["source_port"] == 6700
    assert [it["kind"] for it in plan["workers"]] == ["started", "stopped"]
    assert plan["rates_age"] is None
    assert alone.get(f"plans/{plan['id']}").json()["id"] == plan["id"]
    applied = alone.post(f"plans/{plan['id']}/apply")
    assert (applied.status_code, applied.json()["state"]) == (200, "queued")
    alone.post("plans", {"topology": "word_count"})
    listed = alone.get("plans").json()
    assert [(it["id"], it["executors_moved"]) for it in listed] == [("plan-2", 1), ("plan-1", 1)]
    assert not {"moves", "workers", "slowest_path"} & listed[0].keys()  # as long as it is large
    assert not sidecar.operations.asked[-1].HasField("seed")


def test_the_sidecar_decides_on_the_longest_time_limit(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    # gRPC cannot wait for so long, and would say that the sidecar does not answer.
    made = alone.post("plans", {"topology": "word_count", "time_limit": 1e18})
    assert made.status_code == 201
    assert sidecar.operations.asked[0].time_limit == 1e18


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (grpc.StatusCode.NOT_FOUND, 404),
        (grpc.StatusCode.INVALID_ARGUMENT, 422),
        (grpc.StatusCode.FAILED_PRECONDITION, 409),
        (grpc.StatusCode.INTERNAL, 502),
    ],
)
def test_a_refusal_of_the_sidecar_keeps_its_message_and_names(
    alone: RunningDashboard, sidecar: SidecarServer, code: grpc.StatusCode, status: int
) -> None:
    refusal = Refusal(code, "no policy opd", "odp, ods")
    sidecar.operations.refusals = dict.fromkeys(("MakePlan", "ApplyPlan", "Explain"), refusal)
    for answer in (
        alone.post("plans", {"topology": "word_count", "policy": "opd"}),
        alone.post("plans/plan-1/apply"),
        alone.get("topologies/word_count/explain?executor=x"),
    ):
        assert answer.status_code == status
        body = answer.json()
        assert body["detail"].endswith("no policy opd")
        assert body["nearest"] == ["odp", "ods"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"topology": "\\ud800"}', "it must be text that UTF-8 can encode"),
        ('{"topology": "t", "seed": -1}', "seed is -1: input should be greater than or equal to 0"),
        (
            '{"topology": "t", "seed": 2147483648}',
            "input should be less than or equal to 2147483647",
        ),
        (
            '{"topology": "t", "time_limit": NaN}',
            "time_limit is nan: input should be a finite number",
        ),
        ('{"topology": "t", "time_limit": 0}', "time_limit is 0: input should be greater than 0"),
        ('{"topology": "t", "polciy": "odp"}', "polciy: unknown key"),
        ('{"policy": "odp"}', "topology: it is required"),
        ("[", "the body is not JSON"),
        ("", "body: it is required"),
    ],
)
def test_an_invalid_request_is_not_sent_to_the_sidecar(
    alone: RunningDashboard, sidecar: SidecarServer, body: str, said: str
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = alone.http.post("/api/v1/plans", content=body, headers=headers)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert sidecar.operations.asked == []


def test_a_switch_is_written_to_zookeeper_and_in_force_once_the_sidecar_has_it(
    running: RunningDashboard, stores: Stores, sidecar: SidecarServer
) -> None:
    running.until("cluster", lambda it: it["supervisors"] and it["switches"]["available"])
    answer = running.put("topologies/word_count/frozen", {"frozen": True})
    assert answer.status_code == 200, answer.text
    assert answer.json()["frozen_topologies"] == [WORD_COUNT]
    assert not answer.json()["in_force"]
    held = a_status(revision=2)
    held.switches.frozen_topologies.append(WORD_COUNT)
    sidecar.operations.status = held
    seen = running.until(
        "cluster", lambda it: it["switches"]["in_force"] and it["switches"]["frozen_topologies"]
    )
    assert seen["switches"]["frozen_topologies"] == [WORD_COUNT]
    assert running.put("frozen", {"frozen": True}).json()["frozen"]
    assert stores.client.get(stores.paths.switches)[0] == (
        b'{"version":1,"frozen":true,"frozen_topologies":["word_count-1-1700000000"],'
        b'"drained_hosts":[]}'
    )
    again = running.put("topologies/word_count/frozen", {"frozen": False}).json()
    assert (again["frozen"], again["frozen_topologies"]) == (True, [])


def test_freezing_drops_ended_topologies_only_if_nimbus_has_just_reported(
    running: RunningDashboard, stores: Stores, sidecar: SidecarServer
) -> None:
    gone = b'{"version":1,"frozen":false,"frozen_topologies":["gone-1-1"]}'
    stores.client.create(stores.paths.switches, gone, makepath=True)
    # A sidecar that has just been started knows of no topology because Nimbus has not called yet.
    ignorant = a_status(revision=2)
    ignorant.ClearField("round_age")
    sidecar.operations.status = ignorant
    running.until("cluster", lambda it: it["nimbus"]["state"] == "missing" and it["supervisors"])
    kept = running.put("frozen", {"frozen": True}).json()
    assert kept["frozen_topologies"] == ["gone-1-1"]
    sidecar.operations.status = a_status(revision=3)
    running.until("cluster", lambda it: it["nimbus"]["state"] == "fresh")
    assert running.put("frozen", {"frozen": False}).json()["frozen_topologies"] == []


@pytest.mark.parametrize("frozen", ["yes", 1, None])
def test_a_switch_accepts_only_booleans(alone: RunningDashboard, frozen: object) -> None:
    answer = alone.put("frozen", {"frozen": frozen})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(f"frozen is {frozen!r}: ")


def test_a_time_limit_accepts_only_numbers(alone: RunningDashboard, sidecar: SidecarServer) -> None:
    answer = alone.post("plans", {"topology": "word_count", "time_limit": True})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("time_limit is True: ")
    assert sidecar.operations.asked == []
    assert alone.post("plans", {"topology": "word_count", "time_limit": 3}).status_code == 201


def test_plans_of_other_clients_are_listed(alone: RunningDashboard, sidecar: SidecarServer) -> None:
    sidecar.operations.plans["cli-1"] = a_plan("cli-1")
    assert alone.get("plans").json()[0]["id"] == "cli-1"
    assert alone.get("plans/none").json()["nearest"] == ["plan-1"]


def planned(running: RunningDashboard) -> httpx.Response:
    asked = {"topology": "word_count"}
    return httpx.post(f"{running.url}/api/v1/plans", json=asked, timeout=120)


def test_the_sidecar_limits_concurrent_plans(
    alone: RunningDashboard, sidecar: SidecarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, made = threading.Semaphore(MOST_AT_ONCE), threading.Event()
    begun = threading.Semaphore(0)

    def busy(name: str, context: Any) -> None:
        if name == "MakePlan":
            if not places.acquire(blocking=False):
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, "3 plans are being made already")
            begun.release()
            made.wait(120)

    monkeypatch.setattr(sidecar.operations, "_refuse", busy)
    with ThreadPoolExecutor(MOST_AT_ONCE) as others:
        first = [others.submit(planned, alone) for _ in range(MOST_AT_ONCE)]
        try:
            assert all(begun.acquire(timeout=120) for _ in first)
            one_more = planned(alone)
            assert (one_more.status_code, made.is_set()) == (409, False)
            assert one_more.json()["detail"] == "3 plans are being made already"
        finally:
            made.set()
        assert [it.result().status_code for it in first] == [201] * MOST_AT_ONCE


def test_pages_and_metrics_are_served_while_plans_hang(
    alone: RunningDashboard, sidecar: SidecarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = threading.Event()
    monkeypatch.setattr(
        sidecar.operations, "_refuse", lambda name, _: name == "MakePlan" and made.wait(120)
    )
    with ThreadPoolExecutor(50) as crowd:  # more than the threads that answer requests
        try:
            plans = [crowd.submit(planned, alone) for _ in range(50)]
            time.sleep(1.0)  # until they occupy what they can
            for path in ("/", "/metrics", "/api/v1/health", f"/api/v1/topologies/{WORD_COUNT}"):
                assert alone.http.get(path).status_code == 200
            assert not any(it.done() for it in plans)
        finally:
            made.set()


def test_pages_and_metrics_are_served_while_zookeeper_hangs(
    running: RunningDashboard, zookeeper: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.until("cluster", lambda it: it["switches"]["available"])

    thawed = threading.Event()

    def hang(*_: object) -> None:
        """Longer than its client waits, so that no page is done while the others are asked for."""
        thawed.wait(120)
        raise RequestError(Reason.AWAY, "no answer")

    monkeypatch.setattr(ZookeeperReader, "page", hang)

    def history(count: int) -> int:
        answer = httpx.get(f"{running.url}/api/v1/decisions?count={count}", timeout=60)
        return answer.status_code

    with ThreadPoolExecutor(50) as crowd:  # more than the threads that answer requests
        zookeeper.freeze()
        try:
            pages = [crowd.submit(history, count) for count in range(1, 51)]
            time.sleep(1.0)  # until they occupy what they can
            for path in ("/", "/metrics", "/api/v1/health"):
                assert running.http.get(path).status_code == 200
            assert not any(it.done() for it in pages)
        finally:
            zookeeper.thaw()
            thawed.set()
