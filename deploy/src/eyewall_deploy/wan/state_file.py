"""JSON files that say how things stand: written in one step, changed under a lock.

A reader sees the old file or the new one, never half of one.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


class StateFileError(ValueError):
    """A file that cannot be read or a state that cannot be set; says which and why."""


def put(path: Path, content: Mapping[str, Any]) -> None:
    """Put the content in place of the file, in one step."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(content) + "\n", encoding="utf-8")
    beside.replace(path)


def take(
    path: Path,
    what: str,
    version: int,
    keys: Sequence[str],
    error_type: type[StateFileError] = StateFileError,
) -> dict[str, Any]:
    """Read a file that must be of this version and have these keys; `what` names it in errors.

    Raises
    ------
    StateFileError
        Of `error_type`, with the file's name and what is wrong with it.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise error_type(f"{what} {path}: {error}") from None
    found = content.get("version") if isinstance(content, dict) else None
    if found != version:
        raise error_type(f"{what} {path}: version {found!r}; this program reads {version}")
    missing = [key for key in keys if key not in content]
    if missing:
        raise error_type(f"{what} {path}: without {', '.join(missing)}")
    taken: dict[str, Any] = content
    return taken


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep two changes apart; the lock is on the folder, so it leaves no file behind."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
