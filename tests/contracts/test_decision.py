from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from decision_records import FULL_DECISION, decision
from eyewall_contracts import decision as decision_record
from eyewall_contracts.decision import Move, day_of, record_id, time_of
from eyewall_contracts.znodes import NewerVersionError, ZnodeError


def test_ids_tell_the_time_and_sort_by_it() -> None:
    early, late = record_id(999.5, "ff", 12), record_id(1_700_000_061.5, "aa", 1)
    assert (early, late) == ("0000000999500-ff-000012", "1700000061500-aa-000001")
    assert early < late
    assert (time_of(early), time_of(late)) == (999.5, 1_700_000_061.5)


def test_a_day_is_one_of_utc() -> None:
    # 1 700 000 000 s are 2023-11-14 22:13:20; 6,400 s to midnight.
    assert day_of(1_700_000_000.0 + 6_399) == "2023-11-14"
    assert day_of(1_700_000_000.0 + 6_400) == "2023-11-15"


@pytest.mark.parametrize("text", ["", "12", "1700000061500-5f1c1a0e", "../../x", "x" * 200])
def test_what_is_no_id_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ZnodeError, match="it must be MILLISECONDS-RUN-NUMBER, such as 17"):
        time_of(text)


def changed(**fields: Any) -> bytes:
    content = json.loads(decision_record.encode(FULL_DECISION))
    return json.dumps({**content, **fields}).encode()


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"verdict": "maybe"}, "verdict is 'maybe'; it must be placed, moved, kept, declined"),
        ({"id": "1"}, "it must be MILLISECONDS-RUN-NUMBER"),
        ({"gap": -1}, "gap is -1; it must be a finite number ≥ 0"),
        ({"moves": [["a", "b"]]}, "moves[0]: 2 values; it must be 3"),
        ({"metrics": [["R", "x", 1]]}, "metrics[0][1] is 'x'; it must be a finite number"),
        ({"said": "x" * 5000}, "it must be text"),
        ({"said": "half a \ud800"}, "it must be text"),
        ({"version": 0}, "version 0; this reader knows 1"),
    ],
)
def test_what_is_no_decision_is_named(fields: dict[str, object], complaint: str) -> None:
    with pytest.raises(ZnodeError) as refused:
        decision_record.decode(changed(**fields))
    assert complaint in str(refused.value)


def test_a_decision_of_a_later_version_is_told_from_a_wrong_one() -> None:
    with pytest.raises(NewerVersionError, match="version 2; this reader knows 1"):
        decision_record.decode(changed(version=2))


def test_a_field_that_a_later_writer_added_harms_nobody() -> None:
    assert decision_record.decode(changed(mood="good")) == FULL_DECISION


def test_of_moves_with_long_names_as_many_are_named_as_a_znode_holds() -> None:
    # 2,000 moves of 300 characters, each written in six bytes: 3.6 MB; a znode holds 512 KB.
    moves = tuple(Move("ж" * 300 + str(n), "a", "b") for n in range(2_000))
    read = decision_record.decode(decision_record.encode(replace(decision(100.0), moves=moves)))
    assert len(read.moves) == 250
    assert read.moves_left_out == 1_750


def test_what_nobody_could_read_is_not_written() -> None:
    with pytest.raises(ZnodeError, match="gap is -1"):
        decision_record.encode(replace(FULL_DECISION, gap=-1.0))


def test_names_that_cannot_be_printed_are_names_all_the_same() -> None:
    moved = replace(decision(100.0), moves=(Move("a\u00a0b[1-1]", "", "c"),))
    assert decision_record.decode(decision_record.encode(moved)) == moved


def test_of_very_many_moves_some_are_named_and_the_rest_counted() -> None:
    moves = tuple(Move(f"count[{n}-{n}]", "a", "b") for n in range(5_000))
    read = decision_record.decode(
        decision_record.encode(replace(decision(100.0), moves=moves, said="y" * 5_000))
    )
    assert (read.moves, read.moves_left_out) == (moves[:2_000], 3_000)
    assert (len(read.said), read.said[-2:]) == (4_000, "y…")
