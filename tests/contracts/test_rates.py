from __future__ import annotations

import json
from dataclasses import replace

import pytest
from eyewall_contracts import rates as rate_document
from eyewall_contracts.rates import decode, encode
from eyewall_contracts.znodes import NewerVersionError, ZnodeError
from rate_documents import FULL_RATES, an_estimate


def test_what_is_written_is_read() -> None:
    assert decode(encode(FULL_RATES)) == FULL_RATES


def test_six_digits_are_kept_and_times_to_the_millisecond() -> None:
    odd = an_estimate(1234.56789, until=1_700_000_060.123456)
    rates = replace(FULL_RATES, streams=(FULL_RATES.streams[0]._replace(rate=odd),))
    found = decode(encode(rates)).streams[0].rate
    assert (found.value, found.until) == (1234.57, 1_700_000_060.123)


@pytest.mark.parametrize(
    ("key", "wrong", "complaint"),
    [
        ("topology", 3, "rates: topology is 3; it must be text"),
        ("batch", -1, "rates: batch is -1; it must be a whole number ≥ 0"),
        ("streams", [["a", "b"]], r"rates: streams\[0\]: 2 values; it must be 7"),
        ("costs", "x", "rates: costs is 'x'; it must be a list"),
    ],
)
def test_what_is_no_such_document_is_refused(key: str, wrong: object, complaint: str) -> None:
    content = json.loads(encode(FULL_RATES)) | {key: wrong}
    with pytest.raises(ZnodeError, match=complaint):
        decode(json.dumps(content).encode())


def test_a_confidence_above_one_and_a_negative_rate_are_refused() -> None:
    text = encode(FULL_RATES).decode()
    with pytest.raises(ZnodeError, match="it must be a number from 0 to 1"):
        decode(text.replace("0.875", "1.5").encode())
    with pytest.raises(ZnodeError, match="must be a finite number"):
        decode(text.replace("[2000,", "[-1,").encode())


def test_a_later_version_is_told_from_a_wrong_one() -> None:
    later = json.loads(encode(FULL_RATES)) | {"version": rate_document.VERSION + 1}
    with pytest.raises(NewerVersionError, match="version 2; this reader knows 1"):
        decode(json.dumps(later).encode())


def test_what_a_later_writer_adds_is_passed_over() -> None:
    more = json.loads(encode(FULL_RATES)) | {"something": 1}
    assert decode(json.dumps(more).encode()) == FULL_RATES
