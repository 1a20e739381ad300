import json
from pathlib import Path
from typing import Any

import pytest
from workload.events import Process, event_log, unfinished

BEFORE = Process("tc-1-17", "source", 9, 1000)
AFTER = Process("tc-1-17", "source", 9, 2000)


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_event_is_in_the_file_at_once(tmp_path: Path) -> None:
    log = event_log({"measure.dir": str(tmp_path / "new")}, AFTER)
    log.emitted("a", 1.5)
    assert lines_of(tmp_path / "new" / AFTER.file_name) == [
        {"event": "emitted", "id": "a", "at": 1.5}
    ]
    log.seen("a", 1.5, 1.75)
    assert lines_of(tmp_path / "new" / AFTER.file_name)[1] == {
        "event": "seen", "id": "a", "emitted_at": 1.5, "at": 1.75,
    }  # fmt: skip


def test_nothing_is_measured_unless_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    event_log({}, AFTER).emitted("a", 1.5)
    assert list(tmp_path.iterdir()) == []
    assert unfinished({}, AFTER) == {}


def test_a_restarted_source_knows_what_has_no_ack_yet(tmp_path: Path) -> None:
    conf = {"measure.dir": str(tmp_path)}
    log = event_log(conf, BEFORE)
    for message, at in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        log.emitted(message, at)
    log.acked("b", 2.5)
    log.failed("c", 3.5)
    assert unfinished(conf, AFTER) == {"a": 1.0, "c": 3.0}


def test_what_an_earlier_restart_finished_is_finished(tmp_path: Path) -> None:
    conf = {"measure.dir": str(tmp_path)}
    event_log(conf, BEFORE).emitted("a", 1.0)
    event_log(conf, AFTER).acked("a", 2.0)
    assert unfinished(conf, Process("tc-1-17", "source", 9, 3000)) == {}


def test_a_line_torn_by_a_kill_is_left_out(tmp_path: Path) -> None:
    whole = '{"event":"emitted","id":"a","at":1.0}\n'
    (tmp_path / BEFORE.file_name).write_text(whole + '{"event":"emitted","id":"b","a')
    assert unfinished({"measure.dir": str(tmp_path)}, AFTER) == {"a": 1.0}


def test_other_tasks_and_other_runs_of_the_topology_are_left_alone(tmp_path: Path) -> None:
    conf = {"measure.dir": str(tmp_path)}
    event_log(conf, Process("tc-1-17", "source", 8, 1000)).emitted("other task", 1.0)
    event_log(conf, Process("tc-2-18", "source", 9, 1000)).emitted("other run", 1.0)
    assert unfinished(conf, AFTER) == {}


def test_a_process_is_read_from_storms_handshake() -> None:
    conf = {"storm.id": "tc-1-17", "topology.name": "tc"}
    context = {"componentid": "source", "taskid": 9}
    assert Process.of(conf, context, now=2.0).file_name == "tc-1-17.source.9.2000000.jsonl"
