"""What is refused is refused as a ContractError that names the offender, whatever the bytes are."""

from __future__ import annotations

import contextlib
import json
import math
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from contract_records import CONTRACT_RECORDS, ContractRecord
from eyewall_contracts import sample
from eyewall_contracts.errors import ContractError
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from reports import COUNT_WORKER, FULL

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
CONTENT = {it.golden: json.loads((HERE / it.golden).read_bytes()) for it in CONTRACT_RECORDS}

FEW = settings(max_examples=30)
"""For each of many records, some of them long."""

each_record = pytest.mark.parametrize("record", CONTRACT_RECORDS, ids=str)


def report(**changes: Any) -> bytes:
    return json.dumps(CONTENT["sample.json"] | changes).encode()


def with_task(task: Any) -> bytes:
    """A report whose first worker has one task."""
    worker = [*CONTENT["sample.json"]["workers"][0]]
    worker[10] = [task]
    return report(workers=[worker])


@pytest.mark.parametrize(
    ("data", "place", "value"),
    [
        (report(host="a/b"), "host", "'a/b'"),
        (report(time="now"), "time", "'now'"),
        (report(time=1e12), "time", "1000000000000.0"),
        (report(time=10**400), "time", ""),
        (report(sequence=-1), "sequence", "-1"),
        (report(sequence=2**53 + 1), "sequence", "9007199254740993"),
        (report(sequence=True), "sequence", "True"),
        (report(sequence=1.5), "sequence", "1.5"),
        (report(workers={}), "workers", "{}"),
        (report(workers=[[]]), "workers[0]", "[]"),
        (report(machine=[1]), "machine", "[1]"),
        (report(counters={"fine": 1, "bad": 1.5}), "counters['bad']", "1.5"),
        (report(counters={"": 1}), "counters", "{'': 1}"),
        (report(run="a\nb"), "run", r"'a\nb'"),
        (report(run="bell\u0007"), "run", r"'bell\x07'"),
        (report(run="\u200b"), "run", r"'\u200b'"),
        (report(run="x" * 513), "run", "'xxx"),
        (report(counters={"a\u0000": 1}), "counters", r"{'a\x00': 1}"),
        (with_task([1, "a\x7f"]), "workers[0].tasks[0].component", r"'a\x7f'"),
        (with_task([1, "a", [["s", "d", -3]]]), "workers[0].tasks[0].inputs[0].executed", "-3"),
        (with_task([1, "a", [], [], [0, -1]]), "workers[0].tasks[0].queue.capacity", "-1"),
    ],
)
def test_the_offender_and_its_value_are_named(data: bytes, place: str, value: str) -> None:
    with pytest.raises(ContractError) as refused:
        sample.decode_sample(data)
    said = str(refused.value)
    assert said.startswith(f"report: {place} is {value}")
    assert "; it must be " in said or "; expected " in said


@each_record
@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\xff\x00", b"[]", b"null", b'{"version":1,"v":1', b"[" * 100_000),
        *(b'{"a":' * 50_000, b" " * 600_000, b"NaN", b'{"v":1,"version":1}'),
        b'{"version":1,"v":1,"x":"\\ud800"}',
    ],
)
def test_what_is_no_record_is_refused(record: ContractRecord, data: bytes) -> None:
    # None is turned, observed or learned.
    empty = ("switches.json", "wait_fit.json", "crossing_costs.json", "worker_starts.json")
    if record.golden in empty and data == b'{"v":1,"version":1}':
        assert record.codec.decode(data) == type(record.example)()
        return
    with pytest.raises(ContractError, match=rf"^{record.codec.name}: "):
        record.codec.decode(data)


@pytest.mark.parametrize(
    "bad",
    [
        replace(FULL, seconds=math.nan),
        replace(FULL, seconds=math.inf),
        replace(FULL, time=-math.inf),
        replace(FULL, host="a b"),
        replace(FULL, run="half a \ud800"),
        replace(FULL, sequence=2**70),
        replace(FULL, workers=(replace(COUNT_WORKER, cpu=math.nan),)),
        replace(FULL, counters={f"{it:060}": it for it in range(10_000)}),  # more than 512 KiB
        replace(FULL, counters={"a": object()}),
    ],
    ids=range(9),
)
def test_what_could_not_be_read_again_is_not_written(bad: Any) -> None:
    with pytest.raises(ContractError, match=r"^report: "):
        sample.encode_sample(bad)


def test_a_number_that_json_has_no_word_for_is_named_where_null_would_be_allowed() -> None:
    worker = replace(COUNT_WORKER, cpu=math.nan)
    with pytest.raises(ContractError, match=r"workers is .*it would be read as another value"):
        sample.encode_sample(replace(FULL, workers=(worker,)))


def test_text_beyond_ascii_is_text() -> None:
    known = replace(FULL, counters={"größe ж": 1})
    assert sample.decode_sample(sample.encode_sample(known)) == known


HOSTILE: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(2**53, 2**53 + 1, -(2**53), 10**400, 1e308, -0.0, 1e12, 0.5, True, None, "", "\x00"),
        *("\ud800", "\udfff", "../..", "é" * 600, "x" * 5000, [], {}, [[]], [None], {"": 0}),
        *({"\ud800": 1}, [1] * 20, "9" * 400),
    ]
)
JSON = st.recursive(
    HOSTILE | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container with one of its keys or indices."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@each_record
@FEW
@given(data=st.data())
def test_no_value_in_any_place_raises_anything_else(
    record: ContractRecord, data: st.DataObject
) -> None:
    content = json.loads(json.dumps(CONTENT[record.golden]))
    container, key = data.draw(st.sampled_from(list(places(content))))
    container[key] = data.draw(JSON)
    with contextlib.suppress(ContractError):
        record.codec.decode(json.dumps(content).encode())


@each_record
@FEW
@given(data=st.data())
def test_no_bytes_raise_anything_else(record: ContractRecord, data: st.DataObject) -> None:
    good = (HERE / record.golden).read_bytes()
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, len(good)))
    damaged = good[:start] + data.draw(st.binary(max_size=20)) + good[end:]
    with contextlib.suppress(ContractError):
        record.codec.decode(damaged)


DAMAGED: list[Any] = [None, True, -1, 2**64, "", "a\x7f", [], [[]], [None], {}, {"a": "x"}, {"": 1}]


def duplicates(content: dict[str, Any]) -> Iterator[bytes]:
    """A record that holds each of its keys twice: damaged, and then something else or what was."""
    for key, good in content.items():
        copy = json.loads(json.dumps(content))
        damaged = []
        for container, place in places(copy[key]) if isinstance(good, dict | list) else ():
            kept, container[place] = container[place], []
            damaged.append(json.loads(json.dumps(copy[key])))
            container[place] = kept
        rest = json.dumps(content)[1:-1]
        for first, last in (*product(DAMAGED, (*DAMAGED, 5, good)), *product(damaged, (5, good))):
            yield f'{{"{key}":{json.dumps(first)},{rest},"{key}":{json.dumps(last)}}}'.encode()


@each_record
def test_no_key_that_occurs_twice_raises_anything_else(record: ContractRecord) -> None:
    for data in duplicates(CONTENT[record.golden]):
        with contextlib.suppress(ContractError):
            record.codec.decode(data)


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        # What comes last is fine, or of another shape: the offender's value is not known.
        (b'"time":"now","time":1', "time"),
        (b'"time":1,"counters":{"a":"x","a":1}', "counters[...]"),
        (b'"time":1,"workers":[[]],"workers":5', "workers[0]"),
    ],
)
def test_of_a_key_that_occurs_twice_the_place_is_named_and_no_other_value_is_blamed(
    fields: bytes, place: str
) -> None:
    data = b'{"version":1,"host":"h","run":"r","sequence":0,%s}' % fields
    with pytest.raises(ContractError) as refused:
        sample.decode_sample(data)
    assert str(refused.value).startswith(f"report: {place}: Expected ")
