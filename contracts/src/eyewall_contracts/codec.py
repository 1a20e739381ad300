"""Encodes records as versioned JSON objects and decodes them: one version rule, one kind of error.

- A reader takes the fields that it knows and ignores the others, so that a writer may add fields
  without raising the version. A field that is missing has its default, which is logged once.
- The version counts incompatible changes alone. A reader refuses a later version, and says so.
- Records that come by the hundred inside another one are rows (`array_like`): arrays of the values
  in the order of the fields. A row grows at its end; an old reader ignores what follows.

A report of 1,000 executors has 244 KB with rows and 610 KB with objects, the rates of 1,000
executors 413 and 875 KB; a record has at most 512 KB (`benchmarks/contracts/codecs.py`).
"""

from __future__ import annotations

import logging
import re
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Generic,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import msgspec
from msgspec import Meta, Raw, Struct, structs

from eyewall_contracts.errors import ContractError, IncompatibleVersionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_BYTES: Final = 512 * 1024
"""Of one encoded record: half of what a znode holds unless its ZooKeeper is set otherwise."""
LOG: Final = logging.getLogger("eyewall.contracts")

Record = TypeVar("Record", bound=Struct)

_UNDECODABLE: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)
_VERSION: Final = re.compile(rb"[1-9][0-9]{0,8}")
_PLACE: Final = re.compile(r"(?P<problem>.*?) - at `(?:key` in `)?\$(?P<path>[^`]*)`", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


class RecordCodec(Generic[Record]):
    """Encodes and decodes one kind of record.

    Parameters
    ----------
    name
        What messages call the record.
    kind
        Its type. Every field that does not identify a record has a default.
    version
        Number of its incompatible versions so far, 1 or more.
    most_bytes
        Size of the largest record that is written or read.
    version_key
        The JSON object's key of the version.
    printable
        Whether all text in it must be printable, as names must.
    check
        Raises ContractError for what the types of the fields allow and the contract does not.
    """

    def __init__(
        self,
        name: str,
        kind: type[Record],
        *,
        version: int = 1,
        most_bytes: int = MOST_BYTES,
        version_key: str = "version",
        printable: bool = True,
        check: Callable[[Record], None] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.version = version
        self.version_key = version_key
        self._most_bytes = most_bytes
        self._printable = printable
        self._check = check
        self._encoder = msgspec.json.Encoder(order="deterministic")
        self._outline = msgspec.json.Decoder(dict[str, Raw])
        self._decoder = msgspec.json.Decoder(kind)
        self._reported: set[str] = set()

    def encode(self, record: Record) -> bytes:
        """Return a record as JSON; ContractError if it could not be read again as it is."""
        try:
            fields = self._encoder.encode(record)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ContractError(f"{self.name}: {error}") from None
        data = b'{"%s":%d,%s' % (self.version_key.encode(), self.version, fields[1:])
        known = self.decode(data)
        if known != record:  # such as NaN, which JSON has no word for
            changed = ", ".join(
                f"{name} is {getattr(record, name)!r:.80}"
                for name in self.kind.__struct_fields__
                if getattr(record, name) != getattr(known, name)
            )
            raise ContractError(f"{self.name}: {changed}: it would be read as another value")
        return data

    def decode(self, data: bytes) -> Record:
        """Read a record; ContractError, or IncompatibleVersionError, says what is wrong."""
        if len(data) > self._most_bytes:
            raise ContractError(f"{self.name}: {len(data)} bytes; at most {self._most_bytes}")
        try:
            outline = self._outline.decode(data)
        except _UNDECODABLE as error:
            raise ContractError(f"{self.name}: no JSON object: {error}") from None
        self._require_version(outline.get(self.version_key))
        try:
            record = self._decoder.decode(data)
        except _UNDECODABLE as error:
            raise ContractError(f"{self.name}: {_describe(error, data, self.kind)}") from None
        if self._printable and not _is_plain(data):
            self._require_printable(record)
        if self._check is not None:
            self._check(record)
        self._report(set(_missing(outline, self.kind)))
        return record

    def _require_version(self, written: Raw | None) -> None:
        found = b"" if written is None else bytes(written)
        if _VERSION.fullmatch(found) is None:
            shown = found[:40].decode(errors="replace") or "missing"
            raise ContractError(
                f"{self.name}: {self.version_key} is {shown}; "
                f"it must be a whole number from 1 to {self.version}"
            )
        if int(found) > self.version:
            raise IncompatibleVersionError(
                f"{self.name}: version {int(found)} is incompatible with this reader, which knows "
                f"{self.version}; update Eyewall here"
            )

    def _require_printable(self, record: Record) -> None:
        content = msgspec.to_builtins(record)
        for path in _unprintable(content, ""):
            where, _, value = _offender(path, content, self.kind)
            raise ContractError(f"{self.name}: {where} is {value!r:.80}; it must be printable text")

    def _report(self, missing: set[str]) -> None:
        new = missing - self._reported
        if new:
            self._reported |= new
            LOG.info(
                "%s: no %s, as an older part writes it; the default counts",
                self.name,
                ", ".join(sorted(new)),
            )


def _missing(outline: dict[str, Raw], kind: type[Struct]) -> Iterator[str]:
    """Yield the known fields that an object lacks, and those that its rows lack."""
    for name, rows in zip(kind.__struct_encode_fields__, _rows_of(kind), strict=True):
        if name not in outline:
            yield name
        elif rows is not None:
            yield from (f"{name}.{it}" for it in _missing_of_row(outline[name], rows))


def _missing_of_row(value: Raw, rows: _Rows) -> Iterator[str]:
    """Yield the known fields that a row lacks; of several rows, by one writer, the first counts."""
    values = None if bytes(value) == b"null" else _values(value)
    if rows.several:
        values = _values(values[0]) if values else None
    if values is None:
        return
    yield from rows.kind.__struct_fields__[len(values) :]
    for name, within, inner in zip(
        rows.kind.__struct_fields__, values, _rows_of(rows.kind), strict=False
    ):
        if inner is not None:
            yield from (f"{name}.{it}" for it in _missing_of_row(within, inner))


class _Rows(NamedTuple):
    """A field that holds a row, or several rows of the same kind."""

    kind: type[Struct]
    several: bool


@cache
def _rows_of(kind: type[Struct]) -> tuple[_Rows | None, ...]:
    """For each field of a record: what rows it holds; None if it holds something else."""
    found = []
    for hint in _hints(kind).values():
        bare = _bare(hint)
        inner = _bare(get_args(bare)[0]) if get_origin(bare) in _LISTS else bare
        is_row = isinstance(inner, type) and issubclass(inner, Struct)
        found.append(_Rows(inner, several=inner is not bare) if is_row else None)
    return tuple(found)


def _is_plain(data: bytes) -> bool:
    """Whether JSON has no text but printable ASCII: all else that is allowed would be escaped."""
    return data.isascii() and b"\\" not in data and b"\x7f" not in data


def _unprintable(value: Any, path: str) -> Iterator[str]:
    """Yield msgspec's paths of text that is not printable."""
    if isinstance(value, str) and not value.isprintable():
        yield path
    elif isinstance(value, list | tuple):
        for index, it in enumerate(value):
            yield from _unprintable(it, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, it in value.items():
            yield from _unprintable(it, f"{path}.{key}") if key.isprintable() else (path,)


def _describe(error: Exception, data: bytes, kind: type[Struct]) -> str:
    """Name the offender, its value and what is allowed; msgspec's words if it is not found."""
    found = _PLACE.fullmatch(str(error))
    if found is None:
        return str(error)
    path, problem = found["path"], found["problem"]
    plain = f"{path.removeprefix('.')}: {problem}"
    # Another value may be damaged, too. Of a key that occurs twice, content has the last value,
    # which may have any shape or be fine.
    try:
        content = msgspec.json.decode(data)
        where, hint, value = _offender(path, content, kind)
        if _fits(value, hint):
            return plain
    except Exception:  # noqa: BLE001 - whatever the bytes are, their reader gets a ContractError
        return plain
    if problem.startswith("Object missing"):
        return f"{where}: {problem}".lower()
    allowed = _description(hint)
    needed = f"it must be {allowed}" if allowed else problem[:1].lower() + problem[1:]
    return f"{where} is {value!r:.80}; {needed}"


def _offender(path: str, value: Any, hint: Any) -> tuple[str, Any, Any]:
    """Follow msgspec's path; return the place with fields' names, its type, and what is there."""
    where = ""
    for name, index in _STEP.findall(path):
        bare = _bare(hint)
        if index == "...":  # msgspec does not say which key of a mapping
            hint = get_args(bare)[1]
            key, value = next(it for it in value.items() if not _fits(it[1], hint))
            where = f"{where}[{key!r:.60}]"
        elif get_origin(bare) in _LISTS:
            hint, value, where = get_args(bare)[0], value[int(index)], f"{where}[{index}]"
        elif bare.__struct_config__.array_like:
            field = bare.__struct_fields__[int(index)]
            hint, value, where = _hints(bare)[field], value[int(index)], f"{where}.{field}"
        else:
            field = bare.__struct_fields__[bare.__struct_encode_fields__.index(name)]
            hint, value, where = _hints(bare)[field], value[name], f"{where}.{name}"
    return where.removeprefix("."), hint, value


def _fits(value: Any, hint: Any) -> bool:
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return False
    return True


def _description(hint: Any) -> str | None:
    """Return what the annotation says is allowed; None if it says nothing."""
    said = [it.description for it in getattr(hint, "__metadata__", ()) if isinstance(it, Meta)]
    said += [_description(it) for it in get_args(hint) if get_origin(hint) in _UNIONS]
    if isinstance(hint, type) and issubclass(hint, Enum):
        said.append(" or ".join(str(it.value) for it in hint))
    first = next(filter(None, said), None)
    return f"{first} or null" if first and NoneType in get_args(hint) else first


_LISTS: Final = (tuple, frozenset)
_UNIONS: Final = (Union, UnionType)
_values: Final = msgspec.json.Decoder(list[Raw]).decode


@cache
def _hints(kind: type[Struct]) -> dict[str, Any]:
    return {it.name: it.type for it in structs.fields(kind)}


def _bare(hint: Any) -> Any:
    """Strip constraints, and the None of an optional type."""
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    if get_origin(hint) in _UNIONS:
        return _bare(next(it for it in get_args(hint) if it is not NoneType))
    return hint
