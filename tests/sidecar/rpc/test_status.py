"""GetStatus and ListPolicies, from a real server."""

from collections.abc import Iterator

import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_sidecar.cli.client import OperationsClient
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.rpc import decode
from obedient_nimbus import Nimbus


@pytest.fixture
def nimbus() -> Nimbus:
    return running(three_sites(cool_down_seconds=30.0))


@pytest.fixture
def client(nimbus: Nimbus) -> Iterator[OperationsClient]:
    with served(nimbus) as address, OperationsClient(address) as asking:
        yield asking


def test_a_sidecar_that_heard_no_nimbus_says_so_by_having_no_round() -> None:
    with served(three_sites()) as address, OperationsClient(address) as client:
        status = client.status()
    assert not status.HasField("round_age")
    assert not status.delays.HasField("age")  # unknown is not zero
    assert (status.contract_version, status.run) == (1, "5f1c1a0e")
    assert status.rules.minimum_gain == 0.1
    assert not status.topologies


def test_the_status_has_what_nimbus_sent_and_what_is_known_of_it(client: OperationsClient) -> None:
    status = client.status()
    assert [it.host for it in status.supervisors] == ["edge-1", "fog-1", "cloud-1"]
    (topology,) = status.topologies
    assert decode.topology(topology.definition) == TOPOLOGY
    tasks = {ex.first_task for it in topology.state.workers for ex in it.executors}
    assert tasks == {1, 2, 3, 4}
    metrics = {it.name: it for it in topology.metrics}
    assert metrics["R"].before == pytest.approx(0.041)
    assert metrics["objective"].before == metrics["R"].before
    assert not metrics["R"].HasField("after")
    assert (topology.mode, topology.policy, topology.objective) == ("auto", "odp", "R=1")
    assert [it.executor for it in topology.executors] == [
        "source[1-1]",
        "tag[2-2]",
        "tag[3-3]",
        "sink[4-4]",
    ]
    assert list(topology.executors[0].pins) == ["edge-1"]
    assert topology.streams[0].rate == pytest.approx(20)
    assert sum(it.delay + it.work for it in topology.slowest_path) == pytest.approx(0.041)
    assert not topology.HasField("rates_age")
    assert (status.delays.source, status.delays.all_pairs) == ("file", True)
    assert len(status.delays.links) == 6


def test_ages_go_on_between_rounds(client: OperationsClient, nimbus: Nimbus) -> None:
    before = client.status()
    nimbus.clock.now += 5
    after = client.status()
    assert after.round_age == pytest.approx(before.round_age + 5)
    assert after.delays.age == pytest.approx(before.delays.age + 5)
    assert after.topologies[0].cooling == pytest.approx(before.topologies[0].cooling - 5)
    assert after.revision == before.revision


def test_who_knows_the_revision_is_told_of_ages_alone(
    client: OperationsClient, nimbus: Nimbus
) -> None:
    known = client.status().revision
    nimbus.clock.now += 2
    again = client.status(known)
    assert (again.unchanged, again.revision, again.round_age) == (True, known, 2.0)
    assert not again.supervisors
    assert again.topologies[0].cooling > 0
    assert [field.name for field, _ in again.topologies[0].ListFields()] == [
        "topology_id",
        "cooling",
    ]
    nimbus.delays.milliseconds["edge-1", "fog-1"] = 99.0
    nimbus.round(TOPOLOGY)
    changed = client.status(known)
    assert not changed.unchanged
    assert changed.revision > known
    assert changed.supervisors


def test_what_is_unknown_is_absent_and_not_zero(client: OperationsClient, nimbus: Nimbus) -> None:
    del nimbus.delays.milliseconds["edge-1", "fog-1"]
    nimbus.round(TOPOLOGY)
    links = {(it.source, it.target): it for it in client.status().delays.links}
    assert not links["edge-1", "fog-1"].HasField("delay")
    assert links["edge-1", "cloud-1"].delay == pytest.approx(0.04)
    assert links["edge-1", "fog-1"].confidence == 0.0


def test_policies_are_those_of_the_catalogue(client: OperationsClient) -> None:
    policies = client.policies().policies
    assert [it.name for it in policies] == list(policy_catalogue())
    odp = policies[0]
    assert odp == pb.Policy(
        name="odp",
        title=policy_catalogue()["odp"].title,
        source=policy_catalogue()["odp"].source,
        method=policy_catalogue()["odp"].method,
        optimises=list(policy_catalogue()["odp"].optimises),
        mixes=True,
        ecker=False,
        take_it=policy_catalogue()["odp"].take_it,
    )
