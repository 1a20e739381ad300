"""GetProblem, ListCatalogues and Provision, from a real server."""

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_sidecar.cli.client import Desk, DeskError
from eyewall_sidecar.problem_file import parse_problem
from eyewall_sidecar.service.running_problem import running_problem
from obedient_nimbus import Nimbus

CLOUD = pb.ProvisionRequest(
    topology=TOPOLOGY.name, catalogue="made-up-cloud", tuple_bytes=100, method="subtree-bottom-up"
)


@pytest.fixture
def desk() -> Iterator[tuple[Nimbus, Desk]]:
    nimbus = running(three_sites())
    with served(nimbus) as address, Desk(address) as it:
        yield nimbus, it


def test_the_problem_of_a_topology_is_read_back_as_the_one_that_is_gone_by(
    desk: tuple[Nimbus, Desk],
) -> None:
    nimbus, asking = desk
    told = asking.problem(TOPOLOGY.name)
    gone_by = running_problem(nimbus.service, TOPOLOGY.name)
    assert parse_problem(told.json, Path()).problem == gone_by.bridged.problem
    assert (told.topology_id, told.topology) == (TOPOLOGY.id, TOPOLOGY.name)
    assert tuple(told.measured) == gone_by.measured
    assert tuple(told.assumptions) == gone_by.assumptions


def test_an_unknown_topology_is_not_found_with_the_nearest(desk: tuple[Nimbus, Desk]) -> None:
    for ask in (
        lambda: desk[1].problem("words-1-17"),
        lambda: desk[1].provision(pb.ProvisionRequest(topology="words-1-17")),
    ):
        with pytest.raises(DeskError) as refused:
            ask()
        assert refused.value.code is grpc.StatusCode.NOT_FOUND
        assert refused.value.nearest == (TOPOLOGY.name,)


def test_catalogues_are_told_with_their_currency_and_what_they_count(
    desk: tuple[Nimbus, Desk],
) -> None:
    found = {it.name: it for it in desk[1].catalogues().catalogues}
    assert found["dell-2008"] == pb.Catalogue(name="dell-2008", currency="$", unit="GHz", types=25)
    assert found["made-up-cloud"].unit == "cores"


def test_what_to_buy_is_told_with_its_list_its_use_and_what_it_goes_by(
    desk: tuple[Nimbus, Desk],
) -> None:
    found = desk[1].provision(CLOUD)
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


def test_what_has_no_limit_has_none_in_the_message(desk: tuple[Nimbus, Desk]) -> None:
    found = desk[1].provision(pb.ProvisionRequest(topology=TOPOLOGY.name, tuple_bytes=100))
    links = [it for it in found.uses if it.constraint == "link"]
    assert links
    assert not any(it.HasField("limit") for it in links)
    assert list(found.not_needed) == ["fog-1"]


def test_each_machine_is_told_with_what_it_would_run(desk: tuple[Nimbus, Desk]) -> None:
    found = desk[1].provision(pb.ProvisionRequest(topology=TOPOLOGY.name, method="comp-greedy"))
    runs = {it.id: set(it.operators) for it in found.machines}
    assert "source[1-1]" in runs["edge-1"]  # where they are pinned
    assert "sink[4-4]" in runs["cloud-1"]
    assert sum(map(len, runs.values())) == 4  # each executor once


def test_a_bad_value_is_an_invalid_argument(desk: tuple[Nimbus, Desk]) -> None:
    bad = pb.ProvisionRequest()
    bad.CopyFrom(CLOUD)
    bad.throughput = -2
    with pytest.raises(DeskError) as refused:
        desk[1].provision(bad)
    assert refused.value.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refused.value.sentence.startswith("throughput is -2; it must be a number > 0")
