"""Follow a delay file, whose hosts stay those that the network was made for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_deploy.wan import delay_file
from eyewall_deploy.wan.delay_file import DelayError, DelayTable
from eyewall_deploy.wan.file_watch import FileWatch

if TYPE_CHECKING:
    from pathlib import Path


class DelayWatch(FileWatch[DelayTable]):
    """The table that a delay file holds; DelayError if it cannot be read at the start."""

    def __init__(self, path: Path) -> None:
        self._hosts: tuple[str, ...] | None = None
        super().__init__(path, self._read_table)
        self._hosts = self.content.hosts

    @property
    def table(self) -> DelayTable:
        """The delays in force."""
        return self.content

    def _read_table(self, path: Path) -> DelayTable:
        table = delay_file.read(path)
        if self._hosts is not None and table.hosts != self._hosts:
            raise DelayError(
                f"delay file {path}: hosts {', '.join(table.hosts)}; "
                f"this network was made for {', '.join(self._hosts)}"
            )
        return table
