"""Event files: what happened to each tuple, one JSON line an event, one file a process.

A line is written whole and at once, so a process that is killed loses at most the line it was
writing. The source's own files are its journal too: what it emitted before it was killed and has
no ack yet is emitted again after its restart.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

from workload.settings import MEASURE_DIR


class EventLog:
    """Says what happened to a tuple, a line at a time. Times are seconds since the epoch."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write

    def emitted(self, message_id: str, at: float) -> None:
        self._happened("emitted", message_id, at)

    def acked(self, message_id: str, at: float) -> None:
        self._happened("acked", message_id, at)

    def failed(self, message_id: str, at: float) -> None:
        self._happened("failed", message_id, at)

    def dropped(self, message_id: str, at: float) -> None:
        self._happened("dropped", message_id, at)

    def seen(self, message_id: str, emitted_at: float, at: float) -> None:
        line = f'{{"event":"seen","id":"{message_id}","emitted_at":{emitted_at!r},"at":{at!r}}}\n'
        self._write(line.encode())

    def _happened(self, event: str, message_id: str, at: float) -> None:
        self._write(f'{{"event":"{event}","id":"{message_id}","at":{at!r}}}\n'.encode())


@dataclass(frozen=True, slots=True)
class Process:
    """A component's process: which topology, component and task, and when it was started."""

    topology_id: str
    component: str
    task: int
    started_us: int

    @classmethod
    def of(cls, conf: Mapping[str, Any], context: Mapping[str, Any], now: float) -> Process:
        """Read it from Storm's handshake."""
        topology_id = conf.get("storm.id") or conf["topology.name"]
        return cls(
            str(topology_id), context["componentid"], context["taskid"], int(now * 1_000_000)
        )

    @property
    def file_name(self) -> str:
        return f"{self.topology_id}.{self.component}.{self.task}.{self.started_us}.jsonl"

    def earlier_files(self, folder: Path) -> list[Path]:
        """Files that earlier processes of the same task left."""
        pattern = f"{self.topology_id}.{self.component}.{self.task}.*.jsonl"
        return sorted(path for path in folder.glob(pattern) if path.name != self.file_name)


def event_log(conf: Mapping[str, Any], process: Process) -> EventLog:
    """Open this process's file in the folder `measure.dir`; without that, nothing is written."""
    folder = conf.get(MEASURE_DIR)
    if not folder:
        return EventLog(lambda _line: None)
    Path(folder).mkdir(parents=True, exist_ok=True)
    file = os.open(Path(folder) / process.file_name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    return EventLog(partial(os.write, file))


def unfinished(conf: Mapping[str, Any], process: Process) -> dict[str, float]:
    """Messages that earlier processes of this task emitted and that have no ack: id → time."""
    folder = conf.get(MEASURE_DIR)
    if not folder:
        return {}
    pending: dict[str, float] = {}
    for path in process.earlier_files(Path(folder)):
        _replay(path.read_text(encoding="ascii", errors="replace").splitlines(), pending)
    return pending


def _replay(lines: Iterable[str], pending: dict[str, float]) -> None:
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # torn by a kill
        if event["event"] == "emitted":
            pending[event["id"]] = event["at"]
        elif event["event"] == "acked":
            pending.pop(event["id"], None)
