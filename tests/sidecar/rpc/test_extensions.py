"""gRPC services of other distributions in the sidecar's server."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import grpc
import pytest
from desk_cluster import served, three_sites
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto.operations_pb2_grpc import OperationsStub
from eyewall_sidecar.rpc.extensions import GROUP, add_services
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from installed_plugins import install_plugin

if TYPE_CHECKING:
    from pathlib import Path


ADD = """
given = []

def add(context, server):
    given.append(context)
    return "sample.Service"
"""


def test_a_service_is_given_the_sidecar_and_named_for_reflection(plugins: Path) -> None:
    install_plugin(plugins, "sample", {GROUP: {"sample": "sample_module:add"}}, ADD)
    context = three_sites().context
    names, faults = add_services(context, grpc.server(ThreadPoolExecutor(1)))
    assert "sample.Service" in names
    assert sys.modules["sample_module"].given == [context]
    assert not faults


@pytest.mark.parametrize(
    "code", ["import no_such_module", "add = 3", "def add(context, server): 1 / 0"]
)
def test_a_service_that_fails_is_left_out_and_the_sidecar_answers(
    plugins: Path, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    install_plugin(plugins, "sample", {GROUP: {"sample": "sample_module:add"}}, code)
    with served(three_sites()) as address, grpc.insecure_channel(address) as channel:
        stub = OperationsStub(channel)  # type: ignore[no-untyped-call]
        assert stub.ListPolicies(pb.ListPoliciesRequest(), timeout=120).policies
    assert [it for it in caplog.messages if "sample 1.0" in it]


def test_reflection_lists_the_services_of_papers() -> None:
    with served(three_sites()) as address, grpc.insecure_channel(address) as channel:
        names = ProtoReflectionDescriptorDatabase(channel).get_services()
    assert "eyewall.scheduler.v1.Provisioning" in names
