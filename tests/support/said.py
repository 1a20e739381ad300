"""Codes and values of messages, however they contain each other."""

from collections.abc import Iterator
from typing import Any

from eyewall_sidecar.messages import Code, Message


def parts(said: Message | str | None) -> Iterator[Message]:
    """The message and all those in it."""
    if not isinstance(said, Message):
        return
    yield said
    for value in said.values.values():
        for it in value if isinstance(value, list | tuple) else (value,):
            yield from parts(it)


def codes(said: Message | str | None) -> list[Code]:
    """Their codes, the outermost first."""
    return [it.code for it in parts(said)]


def values(said: Message | str | None, code: Code) -> dict[str, Any]:
    """The values of the part with this code."""
    (found,) = [it for it in parts(said) if it.code is code]
    return dict(found.values)
