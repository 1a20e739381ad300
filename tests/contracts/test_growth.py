"""Each record can grow: the next version is read today, and today's by the next version."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import msgspec
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
    """The example, as the first version wrote it."""
    return (HERE / record.golden).read_bytes()


def written(record: ContractRecord) -> bytes:
    """The example, as it is written today."""
    return record.codec.encode(record.example)


def without(record: ContractRecord, key: str) -> bytes:
    content = json.loads(written(record))
    del content[key]
    return json.dumps(content).encode()


def of_first_version(hint: Any, now: Any, first: Any) -> Any:
    """What is written now, without the fields that records and rows have got since."""
    inner = get_args(hint)
    if get_origin(hint) in (Annotated, Union, UnionType):
        return of_first_version(inner[0], now, first)
    if isinstance(hint, type) and issubclass(hint, Struct) and now is not None:
        fields = {it.encode_name: it.type for it in structs.fields(hint)}
        if hint.__struct_config__.array_like:
            return [of_first_version(*it) for it in zip(fields.values(), now, first, strict=False)]
        return {key: of_first_version(fields.get(key), now[key], it) for key, it in first.items()}
    if get_origin(hint) is tuple and len(now) == len(first):
        return [of_first_version(inner[0], *it) for it in zip(now, first, strict=True)]
    return now


def filled(value: Any) -> Any:
    """The same record with a value in each field that has its default, in all its rows too."""
    if isinstance(value, tuple):
        return tuple(map(filled, value))
    if not isinstance(value, Struct):
        return value
    return structs.replace(value, **{it.name: a_value(value, it) for it in structs.fields(value)})


def a_value(record: Struct, field: structs.FieldInfo) -> Any:
    present = filled(getattr(record, field.name))
    if field.required or present != default_of(field):
        return present
    for candidate in (True, 1, 0.5, "some text", ["some text"], {"some text": 1}):
        try:
            found = msgspec.convert(candidate, field.type)
        except msgspec.ValidationError:
            continue
        if found != present:
            return found
    return present  # rows: the example has some


def default_of(field: structs.FieldInfo) -> Any:
    return field.default if field.default is not NODEFAULT else field.default_factory()


@each_record
def test_the_bytes_of_the_first_version_are_read_whole(record: ContractRecord) -> None:
    first = json.loads(golden(record))
    again = json.loads(record.codec.encode(record.codec.decode(golden(record))))
    assert of_first_version(record.codec.kind, again, first) == first


@each_record
def test_the_first_version_can_read_what_is_written(record: ContractRecord) -> None:
    # It reads JSON objects, whatever the order of their keys, and ignores keys and ends of rows
    # that it does not know.
    first, now = json.loads(golden(record)), json.loads(written(record))
    assert of_first_version(record.codec.kind, now, first) == first


@each_record
def test_every_field_is_read_as_it_was_written(record: ContractRecord) -> None:
    full = filled(record.example)
    top = [it for it in structs.fields(full) if not it.required]
    assert all(getattr(full, it.name) != default_of(it) for it in top)
    assert record.codec.decode(record.codec.encode(full)) == full


@each_record
def test_a_field_that_the_next_version_adds_to_a_record_and_its_rows_is_ignored(
    record: ContractRecord,
) -> None:
    data = next_codec(record).encode(coloured(record.example))
    assert data.count(NEW.encode()) >= 1
    assert today(record).decode(data) == record.example


@each_record
def test_the_next_version_reads_todays_records_with_its_defaults(record: ContractRecord) -> None:
    read = next_codec(record).decode(written(record))
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
        assert getattr(read, field.name) == default_of(field)
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
    codec.decode(written(record))
    codec.decode(written(record))
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
    content = json.loads(written(record))
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
