"""What the JSON API answers of what to buy, and how it asks the sidecar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest
from scripted_operations import Refusal

if TYPE_CHECKING:
    from running_dashboard import RunningDashboard
    from scripted_operations import SidecarServer

ASK = "topologies/word_count/provision"
CLOUD = {"catalogue": "made-up-cloud", "throughput": 2, "tuple_bytes": 100, "time_limit": 2.5}


def test_catalogues_have_their_unit_of_cpu(alone: RunningDashboard) -> None:
    assert alone.get("catalogues").json() == [
        {"name": "made-up-cloud", "currency": "€", "unit": "cores", "types": 10}
    ]


def test_without_papers_501_names_the_missing_distribution(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    sidecar.stop()
    sidecar.operations.papers = False
    sidecar.start()
    for answer in (alone.get("catalogues"), alone.post(ASK, CLOUD)):
        assert answer.status_code == 501
        assert "eyewall-papers is not installed" in answer.json()["detail"]
        assert sidecar.address in answer.json()["detail"]


def test_a_provision_request_and_its_answer_are_complete(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    answer = alone.post(ASK, CLOUD | {"seed": 3})
    assert answer.status_code == 200
    (sent,) = sidecar.operations.asked
    assert (sent.topology, sent.catalogue, sent.throughput) == ("word_count", "made-up-cloud", 2)
    assert (sent.tuple_bytes, sent.time_limit, sent.seed) == (100, 2.5, 3)
    body = answer.json()
    assert (body["price"], body["currency"], body["gap"]) == (136, "€", 0.25)
    assert body["shopping_list"] == [{"type": "small", "count": 2, "price": 68, "sum": 136}]
    assert body["machines"][1]["operators"] == ["count.words[2-3]"]
    assert [it["limit"] for it in body["uses"]] == [2, None]  # no limit is none, not zero
    assert body["cheaper"]["throughput"] == 0.5
    assert (body["breaks"], body["not_needed"], body["sustained"]) == ([], [], 4)


def test_omitted_fields_are_left_to_the_sidecar(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    assert alone.post(ASK, {}).status_code == 200
    (sent,) = sidecar.operations.asked
    assert (sent.catalogue, sent.throughput, sent.method, sent.time_limit) == ("", 1, "", 0)
    assert not sent.HasField("tuple_bytes")
    assert not sent.HasField("seed")


def test_a_tuple_size_of_zero_is_not_unknown(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    assert alone.post(ASK, CLOUD | {"tuple_bytes": 0}).status_code == 200
    (sent,) = sidecar.operations.asked
    assert sent.HasField("tuple_bytes")
    assert sent.tuple_bytes == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"throughput": 0}', "throughput is 0: input should be greater than 0"),
        ('{"throughput": NaN}', "throughput is nan: input should be a finite number"),
        ('{"tuple_bytes": -1}', "tuple_bytes is -1: input should be greater than or equal to 0"),
        ('{"time_limit": 0}', "time_limit is 0: input should be greater than 0"),
        ('{"seed": -1}', "seed is -1: input should be greater than or equal to 0"),
        ('{"catalogue": "\\ud800"}', "it must be text that UTF-8 can encode"),
        ('{"catalog": "x"}', "catalog: unknown key"),
        ('{"throughput": "2"}', "throughput is '2'"),
    ],
)
def test_an_invalid_request_is_not_sent_to_the_sidecar(
    alone: RunningDashboard, sidecar: SidecarServer, body: str, said: str
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = alone.http.post(f"/api/v1/{ASK}", content=body, headers=headers)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert sidecar.operations.asked == []


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (grpc.StatusCode.NOT_FOUND, 404),
        (grpc.StatusCode.INVALID_ARGUMENT, 422),
        (grpc.StatusCode.FAILED_PRECONDITION, 409),
    ],
)
def test_a_refusal_of_the_sidecar_keeps_similar_names(
    alone: RunningDashboard, sidecar: SidecarServer, code: grpc.StatusCode, status: int
) -> None:
    refusal = Refusal(code, "no catalogue made-up-clouds", "made-up-cloud")
    sidecar.operations.refusals = {"Provision": refusal}
    answer = alone.post(ASK, CLOUD)
    assert answer.status_code == status
    assert answer.json()["nearest"] == ["made-up-cloud"]
