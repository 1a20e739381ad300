"""The example of docs/user/own-policy.md, installed and run as the page says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import zipfile
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.proto.scheduler_pb2_grpc import SchedulerStub
from nimbus_messages import request, state_of, tag_and_count
from python_environment import REPOSITORY, PythonEnvironment
from running_sidecar import write_delays

if TYPE_CHECKING:
    from pathlib import Path

PAGE = REPOSITORY / "docs" / "user" / "own-policy.md"
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
BASIC = REPOSITORY / "sidecar" / "examples" / "basic.json"
PATIENCE = 300.0
MOST_LINES = 30


def example() -> dict[str, str]:
    """Return file → text: the page's code blocks, each named in the line before it."""
    blocks = re.findall(
        r"`([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    return dict(blocks)


def test_the_example_is_short() -> None:
    lines = [line for text in example().values() for line in text.splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> PythonEnvironment:
    """Build the example's wheel, install it, and leave its sources behind."""
    folder = tmp_path_factory.mktemp("own-policy")
    (source := folder / "source").mkdir()
    for name, text in example().items():
        (source / name).write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-c", BUILD, folder], cwd=source, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "installed")
    return PythonEnvironment.without((), folder / "packages", folder / "installed")


def test_it_is_listed(environment: PythonEnvironment) -> None:
    entries = json.loads(environment.eyewall("policies", "--json").stdout)
    optimises = {it["policy"]: it["optimises"] for it in entries}
    assert optimises["random_draws"] == ["N"]
    assert "odp" in optimises


def test_it_solves_a_problem_file(environment: PythonEnvironment) -> None:
    def solved(policy: str) -> dict[str, Any]:
        command = ("solve", str(BASIC), "--json", "--objective", "N=1", "--policy", policy)
        found: dict[str, Any] = json.loads(environment.eyewall(*command).stdout)
        return found

    found = solved("random_draws")
    assert (found["policy"], found["status"]) == ("random_draws", "heuristic")
    # 1,000 draws of a few dozen placements meet the best one.
    assert found["objective"] == solved("odp")["objective"]
    other = ("--policy", "random_draws", "--objective", "R=1")
    assert environment.eyewall("solve", str(BASIC), *other).returncode == 2


def test_a_topology_chooses_it(environment: PythonEnvironment, tmp_path: Path) -> None:
    config = tmp_path / "sidecar.toml"
    config.write_text('listen = "127.0.0.1:0"\n[delays]\nfile = "delays.json"\n')
    write_delays(tmp_path / "delays.json")
    serve = environment.command("-m", "eyewall_sidecar.cli.app", "serve", "--config", str(config))
    topology = tag_and_count(policy="random_draws", objective="N=1")
    ends_at = time.monotonic() + PATIENCE
    with subprocess.Popen(
        serve, env=environment.variables, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[4]
        with grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel:
            stub = SchedulerStub(channel)  # type: ignore[no-untyped-call]
            decision = pb.Decision()
            while not decision.HasField("place") and time.monotonic() < ends_at:
                reply = stub.Schedule(request(state_of(topology), topology), timeout=PATIENCE)
                (decision,) = reply.decisions
        process.terminate()
    assert decision.HasField("place"), decision
    assert "random_draws" in decision.status
