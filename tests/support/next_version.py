"""The next version of each record: one more field in it, and in all its rows."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import msgspec
from eyewall_contracts.codec import RecordCodec
from msgspec import NODEFAULT, Struct, structs

if TYPE_CHECKING:
    from contract_records import ContractRecord

NEW, OLD = "blue", "grey"
NEXT: dict[type[Struct], type[Struct]] = {}
"""Each type's next version, made once."""


def grown(kind: type[Struct]) -> type[Struct]:
    """The next version of a record or row: one more field at its end, and so in all its rows."""
    if kind in NEXT:
        return NEXT[kind]
    kept = [
        (it.name, grown_type(it.type), msgspec.field(**default_of(it)))
        for it in structs.fields(kind)
    ]
    NEXT[kind] = msgspec.defstruct(
        f"Next{kind.__name__}",
        [*kept, ("colour", str, msgspec.field(default=OLD))],
        frozen=True,
        array_like=kind.__struct_config__.array_like,
        rename=dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)),
    )
    return NEXT[kind]


def default_of(field: structs.FieldInfo) -> dict[str, Any]:
    if field.default_factory is not NODEFAULT:
        return {"default_factory": field.default_factory}
    return {} if field.default is NODEFAULT else {"default": field.default}


def grown_type(hint: Any) -> Any:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return grown(hint)
    inner = tuple(map(grown_type, get_args(hint)))
    if get_origin(hint) is Annotated:
        return Annotated[inner[0], *hint.__metadata__]
    if get_origin(hint) in (Union, UnionType):
        return Union[inner]  # noqa: UP007 - of a tuple
    if get_origin(hint) is tuple:
        return tuple.__class_getitem__((inner[0], ...))
    return hint


def coloured(value: Any) -> Any:
    """The same value as the next version has it, with the new field set everywhere."""
    if isinstance(value, Struct):
        kind: Any = grown(type(value))
        return kind(*(coloured(getattr(value, it)) for it in value.__struct_fields__), NEW)
    return tuple(map(coloured, value)) if isinstance(value, tuple) else value


def next_codec(record: ContractRecord) -> RecordCodec[Any]:
    now = record.codec
    return RecordCodec("next", grown(now.kind), version_key=now.version_key, printable=False)
