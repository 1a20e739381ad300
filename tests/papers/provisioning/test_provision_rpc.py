"""ListCatalogues and Provision, from a real sidecar server with eyewall-papers installed."""

from collections.abc import Iterator

import grpc
import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_contracts.proto import provisioning_pb2 as pb
from eyewall_contracts.proto.provisioning_pb2_grpc import ProvisioningStub

CLOUD = pb.ProvisionRequest(
    topology=TOPOLOGY.name, catalogue="made-up-cloud", tuple_bytes=100, method="subtree-bottom-up"
)


class Client:
    """Asks over a real channel."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._stub = ProvisioningStub(channel)  # type: ignore[no-untyped-call]

    def catalogues(self) -> pb.Catalogues:
        found: pb.Catalogues = self._stub.ListCatalogues(pb.ListCataloguesRequest(), timeout=120)
        return found

    def provision(self, request: pb.ProvisionRequest) -> pb.ProvisionAnswer:
        found: pb.ProvisionAnswer = self._stub.Provision(request, timeout=60)
        return found


@pytest.fixture
def client() -> Iterator[Client]:
    with (
        served(running(three_sites())) as address,
        grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel,
    ):
        yield Client(channel)


def test_an_unknown_topology_is_not_found_with_the_nearest(client: Client) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.provision(pb.ProvisionRequest(topology="words-1-17"))
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
    assert dict(refused.value.trailing_metadata())["eyewall-nearest"] == TOPOLOGY.name


def test_catalogues_are_listed_with_their_currency_and_unit(
    client: Client,
) -> None:
    found = {it.name: it for it in client.catalogues().catalogues}
    assert found["dell-2008"] == pb.Catalogue(name="dell-2008", currency="$", unit="GHz", types=25)
    assert found["made-up-cloud"].unit == "cores"


def test_the_answer_has_shopping_list_utilisation_and_assumptions(
    client: Client,
) -> None:
    found = client.provision(CLOUD)
    assert (found.topology, found.catalogue, found.currency) == (
        TOPOLOGY.name,
        "made-up-cloud",
        "€",
    )
    assert (found.throughput, found.price) == (1, 68)  # 4 · 0.1 cores on one of 2
    assert list(found.shopping_list) == [pb.ShoppingItem(type="small", count=1, price=68)]
    (machine,) = found.machines
    assert set(machine.operators) == {"source[1-1]", "tag[2-2]", "tag[3-3]", "sink[4-4]"}
    (cpu,) = [it for it in found.uses if it.constraint == "cpu"]
    assert (cpu.name, cpu.limit) == (machine.id, 2)
    assert cpu.load == pytest.approx(0.4)
    assert found.breaks_at == pytest.approx(1.2)
    assert list(found.breaks) == []  # 0.48 of 2 cores
    assert "CPU is what each component declares; it was not measured" in found.assumptions


def test_what_has_no_limit_has_none_in_the_message(client: Client) -> None:
    found = client.provision(pb.ProvisionRequest(topology=TOPOLOGY.name, tuple_bytes=100))
    links = [it for it in found.uses if it.constraint == "link"]
    assert links
    assert not any(it.HasField("limit") for it in links)
    assert list(found.not_needed) == ["fog-1"]


def test_each_machine_is_listed_with_its_operators(client: Client) -> None:
    found = client.provision(pb.ProvisionRequest(topology=TOPOLOGY.name, method="comp-greedy"))
    runs = {it.id: set(it.operators) for it in found.machines}
    assert "source[1-1]" in runs["edge-1"]  # where they are pinned
    assert "sink[4-4]" in runs["cloud-1"]
    assert sum(map(len, runs.values())) == 4  # each executor once


def test_a_bad_value_is_an_invalid_argument(client: Client) -> None:
    bad = pb.ProvisionRequest()
    bad.CopyFrom(CLOUD)
    bad.throughput = -2
    with pytest.raises(grpc.RpcError) as refused:
        client.provision(bad)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert refused.value.details().startswith("throughput is -2; it must be a number > 0")
