"""Follow a delay file: each new table once, a file that cannot be used named once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.wan.delay_file import DelayTable

LOOK_EVERY: Final = 0.1
"""Seconds between two looks at the file."""

_log = logging.getLogger(__name__)


class DelayWatch:
    """The table that a delay file holds; DelayError if it cannot be read at the start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._version()
        self.table: DelayTable = delay_file.read(path)

    def look(self) -> bool:
        """Look at the file; say whether `table` is a new one. A bad file leaves it as it was."""
        version = self._version()
        if version == self._seen:
            return False
        self._seen = version
        try:
            table = delay_file.read(self._path)
            if table.hosts != self.table.hosts:
                raise delay_file.DelayError(
                    f"delay file {self._path}: hosts {', '.join(table.hosts)}; "
                    f"this network was made for {', '.join(self.table.hosts)}"
                )
        except delay_file.DelayError as error:
            _log.error("%s; the delays stay as they were", error)
            return False
        self.table = table
        _log.info("new delays, as of %.3f", table.as_of)
        return True

    def _version(self) -> tuple[int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return (0, 0)
        return (status.st_ino, status.st_mtime_ns)
