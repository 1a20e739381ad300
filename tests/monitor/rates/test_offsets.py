from __future__ import annotations

import json

from eyewall_contracts.metric_history import EntryId
from eyewall_monitor.rates.offsets import BEGIN, START, Offset, StreamPosition, common_end, spans


def ids(*milliseconds: int) -> list[EntryId]:
    return [EntryId(it, 0) for it in milliseconds]


def test_a_batch_ends_for_all_hosts_at_the_moment_at_which_the_first_breaks_off() -> None:
    # At most 3 of each: a has 3 and may have more after 30; b's 40 waits, c has nothing before it.
    pending = {"a": ids(10, 20, 30), "b": ids(25, 40), "c": ids(35)}
    assert common_end(pending, 3) == {"a": EntryId(30, 0), "b": EntryId(25, 0)}


def test_what_is_less_than_a_batch_is_read_whole() -> None:
    assert common_end({"a": ids(10), "b": ids(99)}, 3) == {"a": EntryId(10, 0), "b": EntryId(99, 0)}


def test_only_hosts_with_something_new_are_read() -> None:
    old = StreamPosition(EntryId(1, 0), "r", 4)
    new = StreamPosition(EntryId(2, 0), "r", 5)
    found = spans(Offset({"a": old, "b": old}, 1.0), Offset({"a": old, "b": new, "c": new}, 2.0))
    assert [(it.host, it.start) for it in found] == [("b", old), ("c", BEGIN)]
    assert not any(it.begins_again for it in found)


def test_a_history_that_begins_again_is_read_from_its_beginning() -> None:
    (span,) = spans(
        Offset({"a": StreamPosition(EntryId(9, 0), "r", 4)}, 1.0),
        Offset({"a": StreamPosition(EntryId(3, 0), "s", 0)}, 2.0),
    )
    assert span.begins_again
    assert span.after == START


def test_missing_reports_are_those_whose_numbers_are() -> None:
    last = StreamPosition(EntryId(9, 0), "one", 4)
    assert last.missing_before("one", 5) == 0
    assert last.missing_before("one", 8) == 3
    # Another life of the agent begins at 0: two of its reports are not there.
    assert last.missing_before("two", 0) == 0
    assert last.missing_before("two", 2) == 2
    # Where reading begins, nothing is known to have been before.
    assert BEGIN.missing_before("one", 77) == 0


def test_an_offset_is_the_same_after_spark_kept_it() -> None:
    offset = Offset({"b": StreamPosition(EntryId(9, 1), "r", 4), "a": BEGIN}, 12.5)
    assert Offset.from_json(json.loads(json.dumps(offset.to_json()))) == offset
