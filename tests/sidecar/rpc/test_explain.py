"""Explain, from a real server."""

from collections.abc import Iterator

import grpc
import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_sidecar.cli.client import OperationsClient, OperationsError
from eyewall_sidecar.objective import Term
from obedient_nimbus import Nimbus


@pytest.fixture
def nimbus() -> Nimbus:
    return running(three_sites())


@pytest.fixture
def client(nimbus: Nimbus) -> Iterator[OperationsClient]:
    with served(nimbus) as address, OperationsClient(address) as asking:
        yield asking


def test_an_explanation_has_the_answer_and_the_figures_behind_it(
    client: OperationsClient,
) -> None:
    found = client.explain(TOPOLOGY.id, "source")
    assert found.answer == "source[1-1] runs on edge-1: source is pinned to edge-1"
    assert (found.topology_id, found.executor, found.host) == (
        TOPOLOGY.id,
        "source[1-1]",
        "edge-1",
    )
    assert {it.name: it.before for it in found.metrics}["R"] == pytest.approx(0.041)
    # 20 tuples/s, 10 to each tag.
    assert [(it.executor, it.rate, it.upstream) for it in found.neighbours] == [
        ("tag[2-2]", 10.0, False),
        ("tag[3-3]", 10.0, False),
    ]
    here, fog, cloud = found.alternatives
    assert (here.host, here.current, here.constraint) == ("edge-1", True, "")
    assert (fog.host, fog.constraint) == ("fog-1", "pin")
    # The tags are on edge-1 or cloud-1; from the cloud and back it is 40 ms twice, at most.
    assert cloud.HasField("response_time_added")
    assert {it.name for it in cloud.metrics} == {"objective", *Term}
    assert list(found.assumptions) == ["selectivity 1 assumed for tag"]
    assert found.on_slowest_path


def test_a_host_that_cannot_be_modelled_has_a_reason_and_no_figures(
    client: OperationsClient, nimbus: Nimbus
) -> None:
    for pair in (("edge-1", "fog-1"), ("fog-1", "cloud-1")):
        del nimbus.delays.milliseconds[pair]
    nimbus.running[TOPOLOGY.id] = tuple(
        it for it in nimbus.running[TOPOLOGY.id] if it.slot.supervisor != "sup-fog-1"
    )
    nimbus.rounds(TOPOLOGY, 3)
    fog = client.explain(TOPOLOGY.id, "source", "fog-1").alternatives[-1]
    assert (fog.host, fog.constraint) == ("fog-1", "delay unknown")
    assert not fog.metrics
    assert not fog.HasField("rate_between_hosts_added")
    assert not fog.HasField("response_time_added")


@pytest.mark.parametrize(
    ("topology", "executor", "host", "nearest"),
    [
        ("words-1-170000000", "source", "", "words-1-1700000000"),
        ("words-1-1700000000", "sorce", "", "source"),
        ("words-1-1700000000", "source", "edge-11", "edge-1"),
    ],
)
def test_an_unknown_name_is_not_found_and_the_nearest_is_offered(
    client: OperationsClient, topology: str, executor: str, host: str, nearest: str
) -> None:
    with pytest.raises(OperationsError) as refused:
        client.explain(topology, executor, host)
    assert refused.value.code is grpc.StatusCode.NOT_FOUND
    assert refused.value.exit_code == 2
    assert refused.value.nearest[0] == nearest
    assert f"did you mean {nearest}" in str(refused.value)


def test_before_the_first_round_there_is_nothing_to_explain() -> None:
    with (
        served(three_sites()) as address,
        OperationsClient(address) as client,
        pytest.raises(OperationsError) as no,
    ):
        client.explain("words", "source")
    assert no.value.code is grpc.StatusCode.FAILED_PRECONDITION
    assert no.value.exit_code == 1
    assert str(no.value) == "no Nimbus has been heard yet: it asks in its first scheduling round"


def test_a_sidecar_that_is_away_is_told_by_its_address() -> None:
    with served(three_sites()) as address:
        pass
    with OperationsClient(address) as client, pytest.raises(OperationsError) as away:
        client.status()
    assert str(away.value) == (
        f"no sidecar answers at {address}; is `eyewall serve` running there?"
    )
    assert away.value.exit_code == 1
