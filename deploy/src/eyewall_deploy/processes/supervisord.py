"""The programs of a cluster, and supervisord's configuration, which keeps them running."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from eyewall_deploy.run_dir import RunDir

_STOP_SECONDS = 4
_HEAD = """\
[supervisord]
nodaemon=true
silent=true
logfile={logs}/supervisord.log
logfile_maxbytes=10MB
logfile_backups=1
pidfile={run}/supervisord.pid
childlogdir={logs}
identifier=eyewall

[unix_http_server]
file={socket}
chmod=0700

[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
"""
_PROGRAM = """
[program:{name}]
command={command}
directory={directory}
environment={environment}
autostart=false
autorestart=true
startsecs=1
startretries=5
stopsignal=TERM
stopwaitsecs={stop_seconds}
killasgroup=true
redirect_stderr=true
stdout_logfile={output}
stdout_logfile_maxbytes=10MB
stdout_logfile_backups=1
"""


@dataclass(frozen=True, slots=True)
class Program:
    """One program of a cluster; it runs in the run dir.

    Parameters
    ----------
    name
        By which it is started, stopped and shown.
    command
        Program and arguments.
    log
        A file that says more than its standard output.
    environment
        Added to what it inherits.
    """

    name: str
    command: tuple[str, ...]
    log: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


def configuration(programs: Iterable[Program], run: RunDir) -> str:
    """Return the text of supervisord's configuration; no program starts by itself."""
    head = _HEAD.format(
        run=_escape(str(run.path)),
        logs=_escape(str(run.logs())),
        socket=_escape(str(run.socket)),
    )
    return head + "".join(
        _PROGRAM.format(
            name=program.name,
            command=_escape(shlex.join(program.command)),
            directory=_escape(str(run.path)),
            environment=",".join(
                f'{name}="{_escape(value)}"' for name, value in sorted(program.environment.items())
            ),
            output=_escape(str(run.output(program.name))),
            stop_seconds=_STOP_SECONDS,
        )
        for program in programs
    )


def read_end(log: Path, program: str) -> str:
    """Return what supervisord logged when the program last ended, such as `exit status 13`."""
    text = log.read_text(encoding="utf-8", errors="replace")
    ends = re.findall(rf"exited: {re.escape(program)} \(([^;)]+)|spawnerr: (.+)", text)
    return "".join(ends[-1]) if ends else f"see {log}"


def _escape(text: str) -> str:
    return text.replace("%", "%%")
