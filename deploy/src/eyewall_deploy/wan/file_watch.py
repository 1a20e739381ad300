"""Follow a state file: each new content once, a file that cannot be used named once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_Content = TypeVar("_Content")

LOOK_EVERY: Final = 0.1
"""Seconds between two looks at the file."""

_log = logging.getLogger(__name__)


class FileWatch(Generic[_Content]):
    """What a file holds; StateFileError if it cannot be read at the start."""

    def __init__(self, path: Path, read: Callable[[Path], _Content]) -> None:
        self._path = path
        self._read = read
        self._seen = self._version()
        self.content: _Content = read(path)

    def look(self) -> bool:
        """Say whether the file has another content now. A bad file leaves `content` as it was."""
        version = self._version()
        if version == self._seen:
            return False
        self._seen = version
        try:
            content = self._read(self._path)
        except StateFileError as error:
            _log.error("%s; all stays as it was", error)
            return False
        if content == self.content:
            return False
        self.content = content
        _log.info("%s is new", self._path.name)
        return True

    def _version(self) -> tuple[int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return (0, 0)
        return (status.st_ino, status.st_mtime_ns)
