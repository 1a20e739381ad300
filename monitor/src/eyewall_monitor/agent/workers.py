"""Storm's workers on this host, found by their command lines.

A supervisor starts a log writer, which starts the worker; both carry the properties read here, so
the worker is recognised by its main class, the last words of its command line: class, topology,
supervisor, supervisor's port (since Storm 2), port, worker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyewall_monitor.agent.procfs import Proc, Stat

_MAIN: Final = "org.apache.storm.daemon.worker.Worker"
_LOG_WRITER: Final = "org.apache.storm.LogWriter"
_OVERLAP: Final = "eyewall-agent"
"""ServingMark of storm-scheduler/overlap writes it: CONTRACT VERSION."""
_UNKNOWN_STORM: Final = "eyewall-unknown-storm"
"""It writes this where the agent does not know Storm's code: RELEASE."""
_RELEASE: Final = re.compile(r"([ -~]{1,99})\n")
_AGENT: Final = re.compile(r"([0-9]{1,9}) ([!-~]{1,99})\n")
_LONGEST_AGENT: Final = 200


class AgentMark(NamedTuple):
    """What the agent that lets a worker serve on while its successor starts says of itself.

    Parameters
    ----------
    contract, version
        `OVERLAP_CONTRACT` and the version of its jar; 0 and empty: it does not say.
    """

    contract: int
    version: str


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """One worker.

    Parameters
    ----------
    id
        Storm's; a restart makes a new one.
    artifacts
        Folder of its log.
    """

    pid: int
    topology: str
    port: int
    id: str
    local_dir: str
    artifacts: str

    @property
    def log(self) -> Path:
        """The worker's log."""
        return Path(self.artifacts, self.topology, str(self.port), "worker.log")

    def overlap_agent(self) -> AgentMark | None:
        """Return its agent of moves without a gap, which leaves a file in its folder, if any."""
        if (text := self._said(_OVERLAP)) is None:
            return None
        found = _AGENT.fullmatch(text)
        return AgentMark(int(found[1]), found[2]) if found else AgentMark(0, "")

    def unknown_storm(self) -> str:
        """Return Storm's release if that agent does not know its code; else an empty text."""
        found = _RELEASE.fullmatch(self._said(_UNKNOWN_STORM) or "")
        return found[1] if found else ""

    def _said(self, name: str) -> str | None:
        """Return what the agent wrote into a file of the worker's folder, if it is there."""
        try:
            with Path(self.local_dir, "workers", self.id, name).open("rb") as file:
                return file.read(_LONGEST_AGENT).decode(errors="replace")
        except OSError:
            return None


def read_command(pid: int, command: Sequence[str]) -> WorkerProcess | None:
    """Read a command line; None if it is not a worker's."""
    properties = dict(_property(word) for word in command if word.startswith("-D"))
    if _MAIN not in command or _LOG_WRITER in command:
        return None
    arguments = command[command.index(_MAIN) + 1 :]
    if len(arguments) < 4 or not arguments[-2].isascii() or not arguments[-2].isdigit():
        return None
    return WorkerProcess(
        pid=pid,
        topology=arguments[0],
        port=int(arguments[-2]),
        id=arguments[-1],
        local_dir=properties.get("storm.local.dir", ""),
        artifacts=properties.get("workers.artifacts", ""),
    )


class WorkerSearch:
    """Finds this host's workers again and again, reading each command line once.

    Parameters
    ----------
    local_dir
        The supervisor's `storm.local.dir`, where several supervisors share one machine and one
        network. Workers of other networks are never this host's.
    """

    def __init__(self, proc: Proc, own_pid: int, local_dir: str | None) -> None:
        self._proc = proc
        self._network = proc.network(own_pid)
        self._local_dir = local_dir
        self._seen: dict[tuple[int, int], WorkerProcess | None] = {}

    def workers(self, processes: Mapping[int, Stat]) -> list[WorkerProcess]:
        """Return the workers among these processes, the youngest last."""
        seen = {}
        for stat in processes.values():
            key = (stat.number, stat.started)
            if self._seen.get(key) is not None or (key in self._seen and stat.name != "java"):
                seen[key] = self._seen[key]
            else:
                # A process that is about to become a worker still has its parent's command line.
                seen[key] = self._look(stat.number) if stat.name == "java" else None
        self._seen = seen
        by_age = sorted(seen, key=lambda key: (key[1], key[0]))
        return [worker for key in by_age if (worker := seen[key]) is not None]

    def _look(self, pid: int) -> WorkerProcess | None:
        worker = read_command(pid, self._proc.command(pid))
        if worker is None or self._proc.network(pid) not in (None, self._network):
            return None
        if self._local_dir is not None and worker.local_dir != self._local_dir:
            return None
        return worker


def _property(word: str) -> tuple[str, str]:
    name, _, value = word[2:].partition("=")
    return name, value
