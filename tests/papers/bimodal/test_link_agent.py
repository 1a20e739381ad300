"""The agent between its files: what it reads, what it writes, and what it says of bad input."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from eyewall_papers.bimodal.link_agent import LinkAgent, LinkFiles, LinkFilesError, Timing, run
from eyewall_sidecar.cli import app as cli
from typer.testing import CliRunner

TIMING = Timing(interval=2.0, window=10.0)
ENDS = {"source": "plant", "target": "centre", "port": 6700}
LINE = {"between": ["plant", "centre"], "delay": 0.01, "bandwidth": 500_000, "price": 1e-6}
LINKS = {
    "version": 1,
    "hosts": ["plant", "centre"],
    "uplink": [250_000, None],
    "downlink": [None, 750_000],
    "dedicated": [LINE],
}
URGENT = {"topology": "urgent", **ENDS, "promised": 337_500, "budget": 5e-5}


def put(folder: Path, name: str, content: object) -> None:
    (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def arrived(folder: Path, as_of: float, **by_kind: int) -> None:
    rows = [{**ENDS, "kind": kind, "bytes": count, "lost": 0} for kind, count in by_kind.items()]
    put(folder, "traffic", {"version": 1, "as_of": as_of, "connections": rows})


def marks(folder: Path) -> list[dict[str, Any]]:
    content = json.loads((folder / "marks.json").read_text())
    assert content["version"] == 1
    rows: list[dict[str, Any]] = content["connections"]
    return rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path, "links", LINKS)
    put(tmp_path, "connections", {"version": 1, "connections": [URGENT]})
    arrived(tmp_path, 10.0)
    return tmp_path


def agent(folder: Path) -> LinkAgent:
    return LinkAgent(LinkFiles.in_folder(folder), TIMING)


def test_the_mark_file_has_kind_route_and_reason(folder: Path) -> None:
    agent(folder).decide()
    assert marks(folder) == [
        {
            "topology": "urgent",
            **ENDS,
            "kind": "dedicated",
            "route": ["plant", "centre"],
            "reason": "its priority is among the highest on the direct link",
            "promised": 337_500.0,
            "rate": None,
        }
    ]


def test_the_rate_is_what_arrived_by_both_kinds_between_two_decisions(folder: Path) -> None:
    decided = agent(folder)
    decided.decide()
    arrived(folder, 12.0, public=100_000, dedicated=500_000)
    decided.decide()
    # 600,000 bytes in 2 s.
    assert marks(folder)[0]["rate"] == 300_000


def test_a_line_that_carries_less_than_was_promised_is_left_alone(folder: Path) -> None:
    decided = agent(folder)
    decided.decide()
    put(folder, "links", {**LINKS, "dedicated": [{**LINE, "bandwidth": 300_000}]})
    decided.decide()
    assert marks(folder)[0]["kind"] == "public"


def test_without_a_budget_whatever_it_takes_may_be_paid(folder: Path) -> None:
    free = {**URGENT, "budget": None}
    put(folder, "connections", {"version": 1, "connections": [free]})
    agent(folder).decide()
    assert marks(folder)[0]["kind"] == "dedicated"


def test_a_change_is_logged_once(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    decided = agent(folder)
    with caplog.at_level(logging.INFO):
        decided.decide()
        decided.decide()
    (record,) = caplog.records
    assert record.getMessage() == (
        "urgent plant → centre:6700: dedicated plant → centre, promised 2.70 Mbit/s: "
        "its priority is among the highest on the direct link"
    )


def test_the_rate_of_an_observed_connection_is_logged_in_mbit(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # 600,000 bytes in 2 s, of a promise of 2.7 Mbit/s, when its line becomes too narrow.
    decided = agent(folder)
    decided.decide()
    arrived(folder, 12.0, dedicated=600_000)
    put(folder, "links", {**LINKS, "dedicated": [{**LINE, "bandwidth": 300_000}]})
    with caplog.at_level(logging.INFO):
        decided.decide()
    (record,) = caplog.records
    assert "had 2.40 of 2.70 Mbit/s" in record.getMessage()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("links", {**LINKS, "version": 2}, "links.json: version 2; this program reads 1"),
        ("links", {"version": 1}, "links.json: hosts: Field required"),
        (
            "traffic",
            {
                "version": 1,
                "as_of": 1.0,
                "connections": [{**ENDS, "kind": "privat", "bytes": 1}],
            },
            "traffic.json: connections.0.kind: Input should be 'dedicated' or 'public'",
        ),
        ("links", {**LINKS, "uplink": [1.0]}, "uplink has 1 entries; it must have one for each of"),
        ("connections", [], "connections.json: content: Input should be"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_the_marks_stay(
    folder: Path, name: str, content: object, says: str
) -> None:
    decided = agent(folder)
    decided.decide()
    before = (folder / "marks.json").read_text()
    put(folder, name, content)
    with pytest.raises(LinkFilesError) as caught:
        decided.decide()
    assert says in str(caught.value)
    assert (folder / "marks.json").read_text() == before


def test_a_file_that_is_no_text_is_named(folder: Path) -> None:
    (folder / "links.json").write_bytes(b"\xff")
    with pytest.raises(LinkFilesError, match=r"links.json: 'utf-8' codec can't decode"):
        agent(folder).decide()


class StopAfter:
    """Ends after so many waits; each wait runs the next of these actions first."""

    def __init__(self, *actions: Any) -> None:
        self._actions = iter(actions)

    def wait(self, timeout: float) -> bool:
        assert timeout == TIMING.interval
        action = next(self._actions, None)
        if action is None:
            return True
        action()
        return False


def test_a_fault_is_logged_once_while_it_lasts_and_again_when_it_returns(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = {"version": 7}
    ready: list[str] = []
    stop = StopAfter(
        lambda: put(folder, "links", broken),
        lambda: None,
        lambda: put(folder, "links", LINKS),
        lambda: put(folder, "links", broken),
    )
    with caplog.at_level(logging.ERROR):
        run(agent(folder), TIMING.interval, stop, lambda: ready.append("ready"))
    assert ready == ["ready"]
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert messages[0] == messages[1]
    assert messages[0].endswith("all marks stay as they were")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.app, ["links", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert result.stderr == f"eyewall links: {tmp_path / 'none'}: no such folder\n"
