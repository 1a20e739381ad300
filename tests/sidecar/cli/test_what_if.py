"""`eyewall what-if`, against a real server."""

import json
from collections.abc import Iterator

import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_sidecar.cli.app import app
from typer.testing import CliRunner, Result


@pytest.fixture
def address() -> Iterator[str]:
    with served(running(three_sites())) as it:
        yield it


def what_if(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["what-if", *arguments])


def test_now_and_then_are_shown_side_by_side(address: str) -> None:
    result = what_if(TOPOLOGY.name, "--rate", "2x", "--host", "fog-1=off", "--sidecar", address)
    assert result.exit_code == 0
    assert "now, and at 2x of the present rate" in result.stdout
    assert "CPU of fog-1" in result.stdout
    assert "off" in result.stdout


def test_as_json_every_value_has_its_interval(address: str) -> None:
    result = what_if(TOPOLOGY.name, "--rate", "0.5", "--json", "--sidecar", address)
    found = json.loads(result.stdout)
    assert found["topology"] == TOPOLOGY.name
    assert set(found["then"]["response_time"]) == {"value", "least", "greatest"}
    now = {it["name"]: it["share"]["value"] for it in found["now"]["hosts"]}
    then = {it["name"]: it["share"]["value"] for it in found["then"]["hosts"]}
    assert all(then[it] <= now[it] for it in now)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--rate", "much"), "--rate much: it must be a multiple such as 2x or 0.5x"),
        (("--rate", "0x"), "rate 0x: it must be a multiple > 0"),
        (("--host", "fog-1"), "--host fog-1: it must be HOST=off"),
        (("--host", "fog-1=less"), "--host fog-1=less: it must be a multiple"),
        (("--host=fog-1=off", "--host=fog-1=0.5"), "--host fog-1=0.5: fog-1 is given twice"),
        (("--host", "fog-7=off"), "no host fog-7; hosts are cloud-1, edge-1, fog-1"),
    ],
)
def test_bad_input_is_named_with_what_is_allowed(
    arguments: tuple[str, str], named: str, address: str
) -> None:
    result = what_if(TOPOLOGY.name, *arguments, "--sidecar", address)
    assert result.exit_code == 2
    assert named in result.stderr
