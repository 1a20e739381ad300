"""`eyewall provision --topology`, against a real server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_sidecar.cli.app import app
from free_ports import free_port
from real_stores import HERE
from typer.testing import CliRunner, Result

NAME = TOPOLOGY.name
METHOD = ("--method", "subtree-bottom-up")
CLOUD = ("--catalogue", "made-up-cloud", "--tuple-bytes", "100")


@pytest.fixture
def address() -> Iterator[str]:
    """source at the edge and sink in the cloud by their pins, two tags anywhere; 0.1 cores each."""
    with served(running(three_sites())) as it:
        yield it


def provision(*arguments: str, sidecar: str) -> Result:
    return CliRunner().invoke(app, ["provision", *arguments, *METHOD, "--sidecar", sidecar])


def answer(*arguments: str, sidecar: str) -> Any:
    result = provision("--topology", NAME, *arguments, "--json", sidecar=sidecar)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_without_a_catalogue_the_answer_is_the_supervisors_that_are_enough(address: str) -> None:
    found = answer(sidecar=address)
    assert {it["id"] for it in found["machines"]} == {"edge-1", "cloud-1"}
    assert (found["price"], found["currency"]) == (2, "nodes")
    assert "CPU is what each component declares; it was not measured" in found["reasons"]


def test_throughput_is_in_multiples_of_what_the_topology_carries_now(address: str) -> None:
    found = answer(*CLOUD, "--throughput", "6", sidecar=address)
    (cpu,) = [it for it in found["utilisation"] if it["constraint"] == "cpu"]
    # 6 · 4 · 0.1 = 2.4 cores: more than the smallest machine's 2, so one of 4 for €132.
    assert cpu["load"] == pytest.approx(2.4)
    assert (found["price"], found["currency"]) == (132, "€")
    said = provision("--topology", NAME, *CLOUD, "--throughput", "6", sidecar=address).stdout
    assert "€132 for 6 × what it carries now" in said
    assert "results/s" not in said


def test_to_buy_the_sizes_of_tuples_have_to_be_given(address: str) -> None:
    refused = provision("--topology", NAME, "--catalogue", "made-up-cloud", sidecar=address)
    assert refused.exit_code == 2
    assert "tuple_bytes is not given" in refused.stderr


def test_a_catalogue_that_counts_clock_rates_cannot_be_held_against_cores(address: str) -> None:
    refused = provision("--topology", NAME, "--catalogue", "dell-2008", sidecar=address)
    assert refused.exit_code == 2
    assert refused.stderr == (
        "eyewall provision: --catalogue dell-2008: unit is GHz; it must be cores, which is what is "
        f"known of {NAME}\n"
    )


@pytest.mark.parametrize("arguments", [(), ("file.json", "--topology", NAME)])
def test_a_file_or_a_topology_has_to_be_given_and_not_both(arguments: tuple[str, ...]) -> None:
    refused = provision(*arguments, sidecar=f"{HERE}:{free_port()}")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "eyewall provision: give a problem file or --topology, and not both\n"
    )


def test_an_unknown_topology_is_bad_input_and_a_sidecar_that_is_away_is_not(address: str) -> None:
    unknown = provision("--topology", "words-1-17", sidecar=address)
    assert unknown.exit_code == 2
    assert "no topology words-1-17" in unknown.stderr
    away = provision("--topology", NAME, sidecar=f"{HERE}:{free_port()}")
    assert away.exit_code == 1
    assert "no sidecar answers" in away.stderr
