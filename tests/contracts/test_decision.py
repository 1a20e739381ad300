from __future__ import annotations

import pytest
from decision_records import FULL_DECISION, decision
from eyewall_contracts.decision import (
    ExecutorMove,
    day_of,
    decode_decision,
    encode_decision,
    record_id,
    time_of,
)
from eyewall_contracts.errors import ContractError
from msgspec.structs import replace


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
    with pytest.raises(ContractError, match="it must be MILLISECONDS-RUN-NUMBER, such as 17"):
        time_of(text)


def test_of_moves_with_long_names_as_many_are_named_as_a_znode_holds() -> None:
    # 2,000 moves of 300 characters, each written in two bytes: 1.2 MB; a znode holds 512 KB.
    moves = tuple(ExecutorMove("ж" * 300 + str(n), "a", "b") for n in range(2_000))
    read = decode_decision(encode_decision(replace(decision(100.0), moves=moves)))
    assert len(read.moves) == 500
    assert read.moves_left_out == 1_500


def test_a_record_that_could_not_be_read_is_not_written() -> None:
    for bad in ({"gap": -1.0}, {"id": "1"}, {"said": "half a \ud800"}):
        with pytest.raises(ContractError):
            encode_decision(replace(FULL_DECISION, **bad))


def test_names_that_cannot_be_printed_are_names_all_the_same() -> None:
    moved = replace(decision(100.0), moves=(ExecutorMove("a\u00a0b[1-1]", "", "c"),))
    assert decode_decision(encode_decision(moved)) == moved


def test_of_very_many_moves_some_are_named_and_the_rest_counted() -> None:
    moves = tuple(ExecutorMove(f"count[{n}-{n}]", "a", "b") for n in range(5_000))
    read = decode_decision(encode_decision(replace(decision(100.0), moves=moves, said="y" * 5_000)))
    assert (read.moves, read.moves_left_out) == (moves[:2_000], 3_000)
    assert (len(read.said), read.said[-2:]) == (4_000, "y…")
