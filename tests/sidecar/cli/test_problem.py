"""`eyewall problem`, against a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_sidecar.cli.app import app
from eyewall_sidecar.problem_file import parse_problem
from typer.testing import CliRunner, Result

DECLARED = f"{TOPOLOGY.name}: CPU is what each component declares; it was not measured"


@pytest.fixture
def address() -> Iterator[str]:
    with served(running(three_sites())) as it:
        yield it


def eyewall(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(app, arguments, input=text)


def test_the_problem_is_a_file_on_standard_output_that_solve_takes(address: str) -> None:
    result = eyewall("problem", TOPOLOGY.name, "--sidecar", address)
    assert result.exit_code == 0
    assert DECLARED in result.stderr.splitlines()
    problem = parse_problem(result.stdout, Path()).problem
    assert {it.id for it in problem.nodes} == {"edge-1", "fog-1", "cloud-1"}
    solved = eyewall("solve", "-", text=result.stdout)
    assert solved.exit_code == 0
    assert "R=1 is 0.041" in solved.stdout  # edge → cloud 40 ms, and 1 ms of work


def test_with_output_it_is_written_there(address: str, tmp_path: Path) -> None:
    output = tmp_path / "words.json"
    result = eyewall("problem", TOPOLOGY.name, "--output", str(output), "--sidecar", address)
    assert (result.exit_code, result.stdout) == (0, "")
    assert len(parse_problem(output.read_text(), Path()).problem.operators) == 4


def test_an_output_that_cannot_be_written_is_bad_input(address: str, tmp_path: Path) -> None:
    there = str(tmp_path)
    result = eyewall("problem", TOPOLOGY.name, "--output", there, "--sidecar", address)
    assert result.exit_code == 2
    assert f"eyewall problem: --output {there}: Is a directory" in result.stderr


def test_an_unknown_topology_is_bad_input_and_the_nearest_is_named(address: str) -> None:
    result = eyewall("problem", "words-1-17000", "--sidecar", address)
    assert result.exit_code == 2
    assert result.stderr.startswith("eyewall problem: no topology words-1-17000; topologies are ")
    assert f"did you mean {TOPOLOGY.name}" in result.stderr
