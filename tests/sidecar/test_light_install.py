"""The sidecar without eyewall-papers: it lists its own policies, solves and serves."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import grpc
import pytest
from eyewall_contracts.proto import operations_pb2 as operations
from eyewall_contracts.proto import provisioning_pb2 as provisioning
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.proto.operations_pb2_grpc import OperationsStub
from eyewall_contracts.proto.provisioning_pb2_grpc import ProvisioningStub
from eyewall_contracts.proto.scheduler_pb2_grpc import SchedulerStub
from eyewall_sidecar.policies.catalogue import OWN
from nimbus_messages import request, state_of, tag_and_count
from python_environment import REPOSITORY, PythonEnvironment
from running_sidecar import write_delays

if TYPE_CHECKING:
    from pathlib import Path

BASIC = REPOSITORY / "sidecar" / "examples" / "basic.json"


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> PythonEnvironment:
    folder = tmp_path_factory.mktemp("light") / "packages"
    environment = PythonEnvironment.without(["eyewall-papers"], folder)
    assert environment.run("-c", "import eyewall_papers").returncode == 1
    return environment


def test_it_lists_its_own_policies_and_nothing_is_wrong(light: PythonEnvironment) -> None:
    listed = light.eyewall("policies", "--json")
    assert [it["policy"] for it in json.loads(listed.stdout)] == list(OWN)
    assert listed.stderr == ""


def test_it_solves_a_problem_file(light: PythonEnvironment) -> None:
    solved = light.eyewall("solve", str(BASIC), "--json")
    assert json.loads(solved.stdout)["status"] == "optimal"


@pytest.mark.parametrize("command", ["map", "provision", "links"])
def test_a_command_of_papers_says_that_papers_is_not_installed(
    light: PythonEnvironment, command: str
) -> None:
    refused = light.eyewall(command, "problem.json", "--seed", "1")
    assert refused.returncode == 1
    assert "eyewall-papers, which is not installed" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert command not in light.eyewall("--help").stdout.split()


def test_it_serves_rounds_and_answers_what_to_buy_with_unimplemented(
    light: PythonEnvironment, tmp_path: Path
) -> None:
    config = tmp_path / "sidecar.toml"
    config.write_text('listen = "127.0.0.1:0"\n[delays]\nfile = "delays.json"\n')
    write_delays(tmp_path / "delays.json")
    serve = light.command("-m", "eyewall_sidecar.cli.app", "serve", "--config", str(config))
    with subprocess.Popen(
        serve, env=light.variables, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[4]
        with grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel:
            topology = tag_and_count()
            stub = SchedulerStub(channel)  # type: ignore[no-untyped-call]
            reply: pb.ScheduleReply = stub.Schedule(
                request(state_of(topology), topology), timeout=60
            )
            people = OperationsStub(channel)  # type: ignore[no-untyped-call]
            policies = people.ListPolicies(operations.ListPoliciesRequest(), timeout=120)
            buyers = ProvisioningStub(channel)  # type: ignore[no-untyped-call]
            with pytest.raises(grpc.RpcError) as refused:
                buyers.ListCatalogues(provisioning.ListCataloguesRequest(), timeout=120)
        process.terminate()
    assert [it.HasField("place") for it in reply.decisions] == [True]
    assert [it.name for it in policies.policies] == list(OWN)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert process.returncode == 0
