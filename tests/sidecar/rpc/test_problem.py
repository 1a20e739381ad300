"""GetProblem, from a real server."""

from pathlib import Path

import grpc
import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_sidecar.cli.client import OperationsClient, OperationsError
from eyewall_sidecar.problem_file import parse_problem


def test_the_problem_of_a_topology_is_read_back_as_the_one_the_sidecar_solves() -> None:
    nimbus = running(three_sites())
    with served(nimbus) as address, OperationsClient(address) as client:
        reply = client.problem(TOPOLOGY.name)
    own = nimbus.context.running_problem(TOPOLOGY.name)
    assert parse_problem(reply.json, Path()).problem == own.problem.problem
    assert (reply.topology_id, reply.topology) == (TOPOLOGY.id, TOPOLOGY.name)
    assert list(reply.measured) == [str(it) for it in own.measured]
    assert list(reply.assumptions) == [str(it) for it in own.assumptions]


def test_an_unknown_topology_is_not_found_with_the_nearest() -> None:
    with (
        served(running(three_sites())) as address,
        OperationsClient(address) as client,
        pytest.raises(OperationsError) as refused,
    ):
        client.problem("words-1-17")
    assert refused.value.code is grpc.StatusCode.NOT_FOUND
    assert refused.value.nearest == (TOPOLOGY.name,)
