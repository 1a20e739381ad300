"""`eyewall status`, `why` and `why-not`, asking a real server."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from desk_cluster import TOPOLOGY, running, served, three_sites
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_sidecar.cli import app as cli
from eyewall_sidecar.cli.client import OperationsClient
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor
from typer.testing import CliRunner, Result

EYEWALL = Path(sys.executable).with_name("eyewall")


@pytest.fixture
def nimbus() -> Nimbus:
    return running(three_sites(cool_down_seconds=30.0))


@pytest.fixture
def address(nimbus: Nimbus) -> Iterator[str]:
    with served(nimbus) as there:
        yield there


def eyewall(*arguments: str, columns: int = 160) -> Result:
    return CliRunner().invoke(cli.app, [*arguments], env={"COLUMNS": str(columns)})


def test_status_has_a_line_for_the_cluster_and_one_for_each_topology(
    address: str, nimbus: Nimbus
) -> None:
    nimbus.clock.now += 2
    result = eyewall("status", "--sidecar", address)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Nimbus's last round 2 s ago, took 0 ms; 3 hosts"
    assert "moves gain 10 % at least; cool-down 30 s" in result.stdout
    assert lines[-1].split()[:7] == [TOPOLOGY.name, "auto", "odp", "41", "ms", "4/4", "2"]
    assert "eyewall: odp, optimal" in lines[-1]


def test_status_shows_hosts_with_what_is_on_them(address: str, nimbus: Nimbus) -> None:
    nimbus.hosts[1] = supervisor("fog-1", slots=0)
    nimbus.rounds(TOPOLOGY, 1)
    lines = eyewall("status", "--hosts", "--sidecar", address).stdout.splitlines()
    cloud, edge, fog = lines[-3:]
    # sink on cloud-1, 0.1 cores; the other three on edge-1; fog-1 has no slots any more.
    assert cloud.split() == ["cloud-1", "1/2", "1", "0.1", "of", "8", TOPOLOGY.name]
    assert edge.split()[:6] == ["edge-1", "1/2", "3", "0.3", "of", "8"]
    assert fog.split()[:5] == ["fog-1", "no", "slot", "offered", "0"]


def test_status_of_one_topology_is_all_of_it(address: str) -> None:
    result = eyewall("status", TOPOLOGY.name, "--sidecar", address)
    for said in (
        "by the model: R 41 ms, A 100 %, T 20 tuples/s",
        "cools down for another",
        "edge-1:6700",
        "source → tag (default)",
        "not measured",
        "assumed: selectivity 1 assumed for tag",
    ):
        assert said in result.stdout
    path = [line for line in result.stdout.splitlines() if line.rstrip().endswith("41 ms")]
    assert [line.split()[0] for line in path] == ["sink[4-4]"]


def test_a_topology_that_is_not_judged_says_why(address: str, nimbus: Nimbus) -> None:
    nimbus.round(TOPOLOGY, chain(("a", 1), name="left-2-17", settings={"mode": "off"}))
    shown = eyewall("status", "left-2-17", "--sidecar", address).stdout
    assert "not evaluated: eyewall.mode is off" in shown
    assert "no slot" in shown


def test_why_answers_first_and_then_shows_the_figures(address: str) -> None:
    result = eyewall("why", "source", "--topology", TOPOLOGY.name, "--sidecar", address)
    lines = result.stdout.splitlines()
    assert lines[0] == "source[1-1] runs on edge-1: source is pinned to edge-1"
    fog = next(line for line in lines if line.startswith("fog-1"))
    # source on the fog: 15 ms to the tags on edge-1, and both streams of 10 tuples/s cross.
    assert fog.split()[:6] == ["fog-1", "56", "ms", "(+15", "ms)", "+20"]
    assert fog.rstrip().endswith("source is pinned to edge-1")


def test_why_not_answers_for_that_host_alone(address: str) -> None:
    asked = ("--topology", TOPOLOGY.name, "--sidecar", address)
    result = eyewall("why-not", "sink", "fog-1", *asked)
    assert result.exit_code == 0
    assert result.stdout.startswith("sink[4-4] cannot go to fog-1: sink is pinned to cloud-1\n")
    assert [it for it in result.stdout.splitlines() if it.startswith("edge-1 ")] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["status", "words-1-170000000"], "no topology words-1-170000000; topologies are words-1"),
        (["why", "sorce"], "no executor sorce in words-1-1700000000; its components are source,"),
        (["why", "tag"], "tag has 2 executors: tag[2-2], tag[3-3]"),
        (["why", "9"], "no task 9 in words-1-1700000000; tasks are 1 to 4"),
        (["why-not", "source", "fog-11"], "no host fog-11; hosts are cloud-1, edge-1, fog-1"),
    ],
)
def test_an_unknown_name_is_one_line_and_exit_code_2(
    address: str, arguments: list[str], said: str
) -> None:
    topology = ["--topology", TOPOLOGY.name] if arguments[0] != "status" else []
    result = eyewall(*arguments, *topology, "--sidecar", address)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"eyewall {arguments[0]}: {said}")
    meant = {"words-1-170000000": TOPOLOGY.name, "sorce": "source", "fog-11": "fog-1"}
    if near := meant.get(arguments[-1]):
        assert f"did you mean {near}" in line


def test_a_sidecar_that_is_away_is_one_line_and_exit_code_1() -> None:
    with served(three_sites()) as address:
        pass
    for command in (["status"], ["why", "a", "--topology", "b"]):
        result = eyewall(*command, "--sidecar", address)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == (
            f"eyewall {command[0]}: no sidecar answers at {address}; "
            "is `eyewall serve` running there?\n"
        )


def test_a_server_that_is_no_sidecar_is_said_to_be_none_or_an_older_one() -> None:
    server = grpc.server(ThreadPoolExecutor(1))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    result = eyewall("status", "--sidecar", address)
    server.stop(None)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"eyewall status: what answers at {address} is no sidecar, or an older one that does not "
        "know this yet: give --sidecar HOST:PORT, or update it\n"
    )


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        (["status", "--hosts"], "delays from file"),
        (["status", "--json"], '"source": "file"'),
        (["status", "words"], ""),
        (["why", "a", "--topology", "b"], ""),
    ],
)
def test_a_sidecar_that_heard_no_nimbus_says_so_beside_the_little_that_it_knows(
    asked: list[str], known: str
) -> None:
    with served(three_sites()) as address:
        said = eyewall(*asked, "--sidecar", address)
    assert said.exit_code == 1
    assert said.stderr.startswith(f"eyewall {asked[0]}: no Nimbus has been heard yet")
    assert known in said.stdout
    assert bool(known) == bool(said.stdout)
    assert "nothing is measured" not in said.stdout  # nobody has looked yet


def test_a_sidecar_that_does_not_say_where_its_delays_are_from_is_shown_so(
    address: str, nimbus: Nimbus, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [it.rstrip() for it in eyewall("status", "--sidecar", address).stdout.splitlines()]
    assert "delays from file, the oldest 0 ms old" in said
    whole = OperationsClient.status

    def without(client: OperationsClient) -> pb.Status:
        status = whole(client)
        status.delays.ClearField("source")
        return status

    monkeypatch.setattr(OperationsClient, "status", without)
    said = [it.rstrip() for it in eyewall("status", "--sidecar", address).stdout.splitlines()]
    assert "where delays are from is unknown, the oldest 0 ms old" in said


@pytest.mark.parametrize("bad", ["nowhere", "127.0.0.1:0", "host:99999", "::1:7077"])
def test_an_address_that_is_none_is_refused(bad: str) -> None:
    result = eyewall("status", "--sidecar", bad)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"eyewall status: --sidecar {bad}: it must be HOST:PORT")


def test_the_sidecars_configuration_says_where_it_listens(address: str, tmp_path: Path) -> None:
    file = tmp_path / "sidecar.toml"
    file.write_text(f'listen = "{address}"')
    assert eyewall("status", "--config", str(file)).exit_code == 0
    everywhere = f"0.0.0.0:{address.rpartition(':')[2]}"
    file.write_text(f'listen = "{everywhere}"')
    assert eyewall("status", "--config", str(file)).exit_code == 0
    file.write_text("listen = 7")
    refused = eyewall("status", "--config", str(file))
    assert refused.exit_code == 2
    assert "listen" in refused.stderr


def test_json_has_the_contracts_names_and_leaves_out_what_is_unknown(address: str) -> None:
    status = json.loads(eyewall("status", "--json", "--sidecar", address).stdout)
    (topology,) = status["topologies"]
    assert topology["topology_id"] == TOPOLOGY.id
    assert "rates_age" not in topology
    assert topology["frozen"] is False
    one = json.loads(eyewall("status", TOPOLOGY.name, "--json", "--sidecar", address).stdout)
    assert one["executors"] == topology["executors"]
    asked = ("--topology", TOPOLOGY.name, "--json", "--sidecar", address)
    found = json.loads(eyewall("why-not", "source", "fog-1", *asked).stdout)
    assert found["answer"] == "source[1-1] cannot go to fog-1: source is pinned to edge-1"
    assert [it["constraint"] for it in found["alternatives"]] == ["", "pin", "pin"]


def test_nothing_that_a_sidecar_sends_commands_the_terminal(nimbus: Nimbus) -> None:
    evil = chain(("a\x1b[2J", 1), name="evil-1-17")
    nimbus.rounds(evil, 2)
    with served(nimbus) as address:
        shown = eyewall("status", "evil-1-17", "--sidecar", address).stdout
        why = eyewall("why", "1", "--topology", "evil-1-17", "--sidecar", address).stdout
    assert "\x1b" not in shown + why
    assert "\ufffd[2J" in shown
    assert "\ufffd[2J" in why


def completed(words: str) -> list[str]:
    """What bash is offered for the last word of a command line."""
    asked = {
        "_EYEWALL_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = CliRunner().invoke(cli.app, env=asked, prog_name="eyewall")
    assert done.stderr == ""
    return done.stdout.split()


def completed_by_tabs(words: str) -> list[str]:
    """What bash is offered at last: a sidecar on a busy machine may not answer the first Tab."""
    return next((found for _ in range(10) if (found := completed(words))), [])


def test_the_shell_completes_names_that_the_sidecar_knows(address: str) -> None:
    sidecar = f"--sidecar {address}"
    assert completed_by_tabs(f"eyewall status {sidecar} wor") == [TOPOLOGY.name]
    assert completed_by_tabs(f"eyewall why {sidecar} --topology {TOPOLOGY.name} ta") == [
        "tag[2-2]",
        "tag[3-3]",
    ]
    assert completed_by_tabs(f"eyewall why-not {sidecar} --topology {TOPOLOGY.name} source ed") == [
        "edge-1"
    ]
    assert "why-not" in completed("eyewall why")


def test_the_shell_is_offered_nothing_where_no_sidecar_answers() -> None:
    with served(three_sites()) as address:
        pass
    assert completed(f"eyewall status --sidecar {address} wor") == []


def test_completion_can_be_shown_and_installed(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    for option in ("--show-completion", "--install-completion"):
        done = subprocess.run(
            [EYEWALL, option, "bash"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("eyewall*"))
