"""Each record can grow: the next version is read today, and today's by the next version."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from contract_records import CONTRACT_RECORDS, ContractRecord
from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.errors import ContractError, IncompatibleVersionError
from msgspec import NODEFAULT, Struct, structs
from next_version import NEW, OLD, coloured, next_codec

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
each_record = pytest.mark.parametrize("record", CONTRACT_RECORDS, ids=str)


def today(record: ContractRecord) -> RecordCodec[Any]:
    """A codec that has reported nothing yet."""
    now = record.codec
    return RecordCodec(now.name, now.kind, version_key=now.version_key, printable=False)


def reported(caplog: pytest.LogCaptureFixture) -> list[set[str]]:
    """The fields that each line of the log names."""
    arguments: list[Any] = [it.args for it in caplog.records]
    return [set(names.split(", ")) for _, names in arguments]


def golden(record: ContractRecord) -> bytes:
    return (HERE / record.golden).read_bytes()


def without(record: ContractRecord, key: str) -> bytes:
    content = json.loads(golden(record))
    del content[key]
    return json.dumps(content).encode()


@each_record
def test_the_bytes_of_the_first_version_are_read_whole(record: ContractRecord) -> None:
    assert record.codec.decode(golden(record)) == record.example


@each_record
def test_the_first_version_can_read_what_is_written(record: ContractRecord) -> None:
    # It read JSON objects, whatever the order of their keys.
    assert json.loads(record.codec.encode(record.example)) == json.loads(golden(record))


@each_record
def test_a_field_that_the_next_version_adds_to_a_record_and_its_rows_is_ignored(
    record: ContractRecord,
) -> None:
    data = next_codec(record).encode(coloured(record.example))
    assert data.count(NEW.encode()) >= 1
    assert today(record).decode(data) == record.example


@each_record
def test_the_next_version_reads_todays_records_with_its_defaults(record: ContractRecord) -> None:
    read = next_codec(record).decode(golden(record))
    assert read.colour == OLD
    assert plain(read) == plain(record.example)


def plain(value: Any) -> Any:
    """What today's fields hold."""
    if isinstance(value, Struct):
        names = [it for it in value.__struct_fields__ if it != "colour"]
        return {name: plain(getattr(value, name)) for name in names}
    return [plain(it) for it in value] if isinstance(value, tuple) else value


@each_record
def test_a_missing_field_has_its_default_and_is_logged_once(
    record: ContractRecord, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "eyewall.contracts")
    optional = [it for it in structs.fields(record.codec.kind) if not it.required]
    for field in optional:
        caplog.clear()
        codec = today(record)
        read = codec.decode(without(record, field.encode_name))
        expected = field.default if field.default is not NODEFAULT else field.default_factory()
        assert getattr(read, field.name) == expected
        kept = {it.name for it in structs.fields(record.codec.kind)} - {field.name}
        assert all(getattr(read, it) == getattr(record.example, it) for it in kept)
        codec.decode(without(record, field.encode_name))
        assert reported(caplog) == [{field.encode_name}]


@each_record
def test_a_field_that_rows_lack_is_logged_once_by_its_place(
    record: ContractRecord, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "eyewall.contracts")
    codec = next_codec(record)
    codec.decode(golden(record))
    codec.decode(golden(record))
    assert reported(caplog) == [{"colour", *colours_of_rows(record.example)}]


def colours_of_rows(record: Struct) -> Iterator[str]:
    """Places of the new field in the first of each field's rows, such as workers.tasks.colour."""
    for name in record.__struct_fields__:
        value = getattr(record, name)
        row = value[0] if isinstance(value, tuple) and value else value
        if isinstance(row, Struct):
            yield f"{name}.colour"
            yield from (f"{name}.{it}" for it in colours_of_rows(row))


@each_record
def test_a_record_without_what_identifies_it_is_refused(record: ContractRecord) -> None:
    for field in structs.fields(record.codec.kind):
        if field.required:
            with pytest.raises(ContractError, match=f"{record.codec.name}: .*{field.encode_name}"):
                record.codec.decode(without(record, field.encode_name))


@each_record
def test_only_a_version_that_is_declared_incompatible_is_refused(record: ContractRecord) -> None:
    content = json.loads(golden(record))
    key = record.codec.version_key
    for version, error in (
        (2, IncompatibleVersionError),
        (0, ContractError),
        (-1, ContractError),
        (True, ContractError),
        ("1", ContractError),
        (1.5, ContractError),
        (None, ContractError),
        (10**12, ContractError),  # nine digits are enough for any version
    ):
        with pytest.raises(error) as refused:
            record.codec.decode(json.dumps(content | {key: version}).encode())
        assert type(refused.value) is error
        assert f"{json.dumps(version)}" in str(refused.value)
        assert "1" in str(refused.value)
    with pytest.raises(ContractError, match=f"{key} is missing"):
        record.codec.decode(without(record, key))
