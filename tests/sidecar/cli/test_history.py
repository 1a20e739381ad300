"""`eyewall history` on a real ZooKeeper."""

import json
from pathlib import Path

import pytest
from decision_records import FULL_DECISION, decision
from eyewall_contracts.decision import DecisionRecord, Verdict, day_of, encode_decision, record_id
from eyewall_contracts.znodes import Znodes
from eyewall_sidecar.cli import app as cli
from eyewall_sidecar.config import read_config
from free_ports import free_port
from kazoo.client import KazooClient
from msgspec.structs import replace
from real_stores import Server
from typer.testing import CliRunner, Result

NOW = 1_700_000_100.0


@pytest.fixture
def config(zookeeper: Server, tmp_path: Path) -> Path:
    """A sidecar's configuration whose znode has three decisions."""
    root = f"/{tmp_path.name}"
    file = tmp_path / "sidecar.toml"
    file.write_text(f'zookeeper = {{servers = "{zookeeper.address}", root = "{root}"}}')
    write(file, FULL_DECISION, decision(NOW, 1), decision(NOW + 1, 2))
    return file


def write(config: Path, *records: DecisionRecord) -> None:
    known = read_config(config).zookeeper
    assert known.servers is not None
    client = KazooClient(known.servers)
    client.start(timeout=120)
    for it in records:
        path = f"{Znodes(known.root).decisions_of(day_of(it.time))}/{it.id}"
        client.create(path, encode_decision(it), makepath=True)
    client.stop()
    client.close()


def history(config: Path, *arguments: str) -> Result:
    return CliRunner().invoke(
        cli.app, ["history", "--config", str(config), *arguments], env={"COLUMNS": "200"}
    )


def test_the_newest_decision_stands_first(config: Path) -> None:
    lines = history(config).stdout.splitlines()
    assert [line.split()[-1] for line in lines[1:]] == [
        decision(NOW + 1, 2).id,
        decision(NOW, 1).id,
        FULL_DECISION.id,
    ]
    assert lines[1].split()[:6] == ["2023-11-14", "22:15:01", "line", "kept", "decision", "2"]


def test_a_topology_is_known_by_name_and_by_id(config: Path) -> None:
    for name in ("word_count", "word_count-1-1700000000"):
        lines = history(config, "--topology", name).stdout.splitlines()
        assert len(lines) == 2
        assert FULL_DECISION.id in lines[1]


def test_an_unknown_topology_is_refused_with_the_nearest(config: Path) -> None:
    result = history(config, "--topology", "wordcount")
    assert result.exit_code == 2
    assert "no decision on a topology wordcount; did you mean word_count" in result.stderr


def test_only_decisions_of_one_kind(config: Path) -> None:
    assert len(history(config, "--verdict", "moved").stdout.splitlines()) == 2
    assert history(config, "--verdict", "placed").stdout == "no decisions\n"


def test_it_goes_on_where_a_page_ends(config: Path) -> None:
    page = history(config, "--count", "2").stdout.splitlines()
    assert page[-1] == f"older ones: --before {decision(NOW, 1).id}"
    rest = history(config, "--count", "2", "--before", decision(NOW, 1).id).stdout.splitlines()
    assert [line.split()[-1] for line in rest[1:]] == [FULL_DECISION.id]


def test_one_decision_is_shown_whole(config: Path) -> None:
    shown = history(config, FULL_DECISION.id).stdout
    for part in (
        "odp, R=1, seed 7",
        "closed form: optimal, gap 0.00%; 0.25 s, 64 placements looked at",
        "61 ms → 41 ms",
        "~ count[3-3]: edge-1 → cloud-1",
        "+ count[4-4]: nowhere → cloud-1",
        "and 1 more moves",
        "5 possible; forbidden by slots 3",
        "1.5 s old, confidence 0.88 at least",
        "rates are equal: none is measured",
    ):
        assert part in shown


def test_moves_that_were_found_and_not_done_are_told_from_those_that_were(config: Path) -> None:
    assert "(not done)" not in history(config, FULL_DECISION.id).stdout
    kept = replace(FULL_DECISION, id=record_id(NOW + 2, "ff", 1), verdict=Verdict.KEPT)
    write(config, kept)
    assert "~ count[3-3]: edge-1 → cloud-1  (not done)" in history(config, kept.id).stdout


def test_an_id_can_be_read_however_narrow_the_terminal(config: Path) -> None:
    narrow = CliRunner().invoke(
        cli.app, ["history", "--config", str(config)], env={"COLUMNS": "60"}
    )
    assert FULL_DECISION.id in narrow.stdout


def test_nothing_in_a_record_commands_the_terminal(config: Path) -> None:
    evil = replace(decision(NOW + 2, 3), said="\x1b[2Jgone")
    write(config, evil)
    for arguments in ((), (evil.id,)):
        shown = history(config, *arguments).stdout
        assert "\x1b" not in shown
        assert "\ufffd[2Jgone" in shown


def test_scripts_hear_of_what_is_left_out_on_standard_error(config: Path) -> None:
    result = history(config, "--json", "--count", "1")
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == f"older ones: --before {decision(NOW + 1, 2).id}\n"


def test_scripts_read_a_line_of_json_for_each(config: Path) -> None:
    lines = [json.loads(it) for it in history(config, "--json").stdout.splitlines()]
    assert [it["verdict"] for it in lines] == ["kept", "kept", "moved"]
    assert lines[-1]["at"] == "2023-11-14T22:14:21.500000+00:00"
    assert lines[-1]["moves"][0] == {
        "executor": "count[3-3]",
        "source": "edge-1",
        "target": "cloud-1",
    }


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("first",), "decision 'first': it must be MILLISECONDS-RUN-NUMBER"),
        (
            ("1700000000000-ff-000001",),
            "decision 1700000000000-ff-000001 is not there, or not any more",
        ),
        (("--zookeeper", "nonsense:port"), "--zookeeper nonsense:port: it must be HOST:PORT, or"),
        (("--before", "yesterday"), "--before: decision 'yesterday': it must be MILLISECONDS"),
    ],
)
def test_what_cannot_be_found_is_named(
    config: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    result = history(config, *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_a_zookeeper_that_does_not_answer_is_named(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyewall_sidecar.zookeeper.PATIENCE", 1.0)
    nowhere = f"127.0.0.1:{free_port()}"
    result = history(config, "--zookeeper", nowhere)
    assert result.exit_code == 1
    assert f"eyewall history: ZooKeeper at {nowhere} does not answer" in result.stderr
