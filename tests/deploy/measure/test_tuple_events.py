from pathlib import Path

import pytest
from eyewall_deploy.measure.tuple_events import TupleArrival, collect, parse_lines, read_events

EMITTED = '{"event":"emitted","id":"a","at":1.0}\n'


def test_a_torn_last_line_is_left_out() -> None:
    assert parse_lines(EMITTED + '{"event":"acked","id":"a","a') == [
        {"event": "emitted", "id": "a", "at": 1.0}
    ]


def test_a_last_line_that_looks_whole_but_has_no_end_is_left_out_too() -> None:
    # {"at": 1.5 could be the beginning of 1.57: without its line end nobody knows.
    assert parse_lines(EMITTED + '{"event":"acked","id":"a","at":1.5}') == parse_lines(EMITTED)


def test_an_empty_file_has_no_events() -> None:
    assert parse_lines("") == []


@pytest.mark.parametrize("line", ["{", "7", '{"event":"lost","id":"a"}', '{"event":"acked"}'])
def test_a_broken_line_in_the_middle_is_an_error_that_names_it(line: str) -> None:
    with pytest.raises(ValueError, match=r"line 2: .* is not an event"):
        parse_lines(EMITTED + line + "\n" + EMITTED)


def test_files_of_all_processes_are_read_together(tmp_path: Path) -> None:
    (tmp_path / "t-1.source.9.1.jsonl").write_text(EMITTED)
    (tmp_path / "t-1.source.9.2.jsonl").write_text('{"event":"acked","id":"a","at":2.5}\n')
    (tmp_path / "t-1.consumer.2.1.jsonl").write_text(
        '{"event":"seen","id":"a","emitted_at":1.0,"at":1.25}\n'
    )
    (tmp_path / "t-2.source.9.1.jsonl").write_text('{"event":"emitted","id":"b","at":9.0}\n')
    events = read_events(tmp_path, "t-1")
    assert (events.emitted, events.acked) == ({"a": 1.0}, {"a": 2.5})
    assert events.arrivals == (TupleArrival("a", 1.0, 1.25),)
    assert read_events(tmp_path).emitted == {"a": 1.0, "b": 9.0}


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "t-1.source.9.1.jsonl").write_text("no json\n")
    with pytest.raises(ValueError, match=r"t-1\.source\.9\.1\.jsonl: line 1"):
        read_events(tmp_path)


def test_failures_and_arrivals_come_in_order_of_time() -> None:
    events = collect(
        [
            {"event": "failed", "id": "b", "at": 5.0},
            {"event": "failed", "id": "a", "at": 4.0},
            {"event": "seen", "id": "b", "emitted_at": 1.0, "at": 7.0},
            {"event": "seen", "id": "a", "emitted_at": 1.0, "at": 6.0},
        ]
    )
    assert events.failed == (("a", 4.0), ("b", 5.0))
    assert [arrival.id for arrival in events.arrivals] == ["a", "b"]
