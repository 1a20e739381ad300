"""What every value of the JSON API is: frozen, without undeclared fields, made from one source."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Self, get_args

from google.protobuf.message import Message
from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

if TYPE_CHECKING:
    from collections.abc import Callable


def _require_encodable(text: str) -> str:
    """Refuse half of a surrogate pair, which JSON can express and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PydanticCustomError("text", "it must be text that UTF-8 can encode") from None
    return text


Text = Annotated[str, AfterValidator(_require_encodable)]


class View(BaseModel):
    """A frozen value of the JSON API. Fields' docstrings are their descriptions in OpenAPI."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def of(cls, source: Any, /, **values: Any) -> Self:
        """Make the view from a protobuf message or a record whose fields have the same names.

        A field that the source lacks, or that is computed from it, is one of `values`. An absent
        optional field of a message is None. The value of an enum is its name in lower case; one
        that the view does not know, from a later contract, is the first that it knows.
        """
        kind: Any = type(source)
        for name, read in _readers(cls, kind):
            if name not in values:
                values[name] = read(source)
        return cls(**values)


@cache
def _readers(view: type[View], source: type[Any]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Return how to read each field of a view that a source has."""
    if issubclass(source, Message):
        descriptors = source.DESCRIPTOR.fields_by_name
        return tuple(
            (name, _of_message(descriptors[name], field.annotation))
            for name, field in view.model_fields.items()
            if name in descriptors
        )
    return tuple(
        (name, _of_record(name, _inner(field.annotation)))
        for name, field in view.model_fields.items()
        if hasattr(source, name)
    )


def _of_message(field: Any, annotation: Any) -> Callable[[Any], Any]:
    name, value, inner = field.name, attrgetter(field.name), _inner(annotation)
    if field.is_repeated:
        return lambda it: tuple(value(it) if inner is None else map(inner.of, value(it)))
    if inner is not None:
        return lambda it: inner.of(value(it)) if it.HasField(name) else None
    if field.enum_type is not None:
        known = get_args(annotation)
        names = {it.number: it.name.lower() for it in field.enum_type.values}
        names = {number: it for number, it in names.items() if it in known}
        return lambda it: names.get(value(it), known[0])
    if field.has_presence:
        return lambda it: value(it) if it.HasField(name) else None
    return value


def _of_record(name: str, inner: type[View] | None) -> Callable[[Any], Any]:
    value = attrgetter(name)
    if inner is None:
        return value
    return lambda it: tuple(map(inner.of, value(it)))


def _inner(annotation: Any) -> type[View] | None:
    """Return the view within an annotation such as `tuple[MoveView, ...]`; None if it has none."""
    if isinstance(annotation, type) and issubclass(annotation, View):
        return annotation
    found = (_inner(it) for it in get_args(annotation))
    return next((it for it in found if it is not None), None)
