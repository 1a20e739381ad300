"""JSON files that say what is true now: replaced in one step, changed under a lock, followed.

A reader sees the old content or the new content, never half of one.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOOK_EVERY: Final = 0.1
"""Seconds between two looks at a file that is followed."""

_Content = TypeVar("_Content")

_log = logging.getLogger(__name__)


class StateFileError(ValueError):
    """A file that cannot be used or a value that cannot be set; says which and why."""


class _Version(msgspec.Struct):
    version: int | None = None


def write(path: Path, content: object) -> None:
    """Put the content (a dataclass) in place of the file, in one step."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(msgspec.json.encode(content) + b"\n")
    temporary.replace(path)


def read(path: Path, kind: type[_Content], name: str) -> _Content:
    """Read a file into a dataclass that has a field `version`; other keys are ignored.

    Parameters
    ----------
    kind
        The dataclass. The default of its `version` is the version that this program reads.
    name
        What errors call the file.

    Raises
    ------
    StateFileError
        If there is no such file, it has another version, or its content is not of this kind.
    """
    fields: dict[str, Any] = getattr(kind, "__dataclass_fields__", {})
    expected = fields["version"].default
    try:
        raw = path.read_bytes()
        found = msgspec.json.decode(raw, type=_Version).version
        if found != expected:
            raise StateFileError(f"{name} {path}: version {found}; this program reads {expected}")
        return msgspec.json.decode(raw, type=kind)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise StateFileError(f"{name} {path}: {error}") from None


class FileWatch(Generic[_Content]):
    """Applies the content of a file, now and whenever `look` finds another content.

    Parameters
    ----------
    read
        Reads the file; may raise StateFileError.
    apply
        Puts a content into force.
    """

    def __init__(
        self, path: Path, read: Callable[[Path], _Content], apply: Callable[[_Content], None]
    ) -> None:
        self._path = path
        self._read = read
        self._apply = apply
        self._file = self._stat()
        self._content = read(path)
        apply(self._content)

    def look(self) -> None:
        """Apply the content if it has changed. A bad file is logged once and changes nothing."""
        file = self._stat()
        if file == self._file:
            return
        self._file = file
        try:
            content = self._read(self._path)
        except StateFileError as error:
            _log.error("%s; everything stays as it was", error)
            return
        if content != self._content:
            self._content = content
            self._apply(content)
            _log.info("%s has changed", self._path.name)

    def _stat(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return (status.st_ino, status.st_mtime_ns)
