"""Event files: what happened to each tuple, one JSON line an event, one file a process.

A line is written whole and at once, so a process that is killed loses at most the line it was
writing. The source's own files are its journal too: what it emitted before it was killed and has
no ack yet is emitted again after its restart.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

from workload.settings import MEASURE_DIR


class EventLog(Protocol):
    """Where a component says what happened to a tuple. Times are seconds since the epoch."""

    def emitted(self, message_id: str, at: float) -> None: ...
    def acked(self, message_id: str, at: float) -> None: ...
    def failed(self, message_id: str, at: float) -> None: ...
    def dropped(self, message_id: str, at: float) -> None: ...
    def seen(self, message_id: str, emitted_at: float, at: float) -> None: ...


class NoLog:
    """Nothing is measured."""

    def emitted(self, message_id: str, at: float) -> None: ...
    def acked(self, message_id: str, at: float) -> None: ...
    def failed(self, message_id: str, at: float) -> None: ...
    def dropped(self, message_id: str, at: float) -> None: ...
    def seen(self, message_id: str, emitted_at: float, at: float) -> None: ...


class FileLog:
    """Appends each event to a file of this process's own; every line goes to the kernel at once."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", buffering=1, encoding="ascii")

    def emitted(self, message_id: str, at: float) -> None:
        self._file.write(f'{{"event":"emitted","id":"{message_id}","at":{at!r}}}\n')

    def acked(self, message_id: str, at: float) -> None:
        self._file.write(f'{{"event":"acked","id":"{message_id}","at":{at!r}}}\n')

    def failed(self, message_id: str, at: float) -> None:
        self._file.write(f'{{"event":"failed","id":"{message_id}","at":{at!r}}}\n')

    def dropped(self, message_id: str, at: float) -> None:
        self._file.write(f'{{"event":"dropped","id":"{message_id}","at":{at!r}}}\n')

    def seen(self, message_id: str, emitted_at: float, at: float) -> None:
        self._file.write(
            f'{{"event":"seen","id":"{message_id}","emitted_at":{emitted_at!r},"at":{at!r}}}\n'
        )


@dataclass(frozen=True, slots=True)
class Process:
    """A component's process: which topology, component and task, and when it was started."""

    topology_id: str
    component: str
    task: int
    started_ms: int

    @classmethod
    def of(cls, conf: Mapping[str, Any], context: Mapping[str, Any], now: float) -> Process:
        """Read it from Storm's handshake."""
        topology_id = conf.get("storm.id") or conf["topology.name"]
        return cls(str(topology_id), context["componentid"], context["taskid"], int(now * 1000))

    @property
    def file_name(self) -> str:
        return f"{self.topology_id}.{self.component}.{self.task}.{self.started_ms}.jsonl"

    def earlier_files(self, folder: Path) -> list[Path]:
        """Files that earlier processes of the same task left."""
        pattern = f"{self.topology_id}.{self.component}.{self.task}.*.jsonl"
        return sorted(path for path in folder.glob(pattern) if path.name != self.file_name)


def event_log(conf: Mapping[str, Any], process: Process) -> EventLog:
    """Open the log that `measure.dir` asks for."""
    folder = conf.get(MEASURE_DIR)
    return FileLog(Path(folder) / process.file_name) if folder else NoLog()


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
