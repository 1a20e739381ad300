"""A folder that looks like /proc."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass
class FakeProc:
    root: Path

    def process(
        self,
        number: int,
        name: str,
        *,
        parent: int = 1,
        cpu_ticks: int = 0,
        started: int = 100,
        command: Sequence[str] = (),
        network: str | None = None,
    ) -> None:
        folder = self.root / str(number)
        (folder / "ns").mkdir(parents=True, exist_ok=True)
        (folder / "stat").write_text(_stat(number, name, parent, cpu_ticks, started))
        (folder / "cmdline").write_text("".join(f"{word}\0" for word in command))
        if network is not None:
            (folder / "ns" / "net").unlink(missing_ok=True)
            (folder / "ns" / "net").symlink_to(network)

    def thread(
        self,
        process: int,
        number: int,
        name: str,
        *,
        cpu_ticks: int = 0,
        started: int = 100,
        children: Sequence[int] = (),
    ) -> None:
        folder = self.root / str(process) / "task" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "stat").write_text(_stat(number, name, 1, cpu_ticks, started))
        (folder / "children").write_text(" ".join(map(str, children)))

    def file(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)


def _stat(number: int, name: str, parent: int, cpu_ticks: int, started: int) -> str:
    # Fields 3 to 24 of proc(5): state, parent, … utime (14) and stime (15), … starttime (22), …
    # rss (24) of one page.
    user = cpu_ticks // 2
    head = f"{number} ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 {user} {cpu_ticks - user}"
    return f"{head} 0 0 20 0 1 0 {started} 1000 1 0\n"
