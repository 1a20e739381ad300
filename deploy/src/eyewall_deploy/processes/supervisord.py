"""The configuration of supervisord, which keeps the programs alive."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from eyewall_deploy.processes.program import Program

LONGEST_SOCKET_PATH = 107
"""Bytes that Linux has room for in the address of a unix socket."""

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


def how_it_ended(log: Path, program: str) -> str:
    """What supervisord wrote when the program last ended, such as `exit status 13`."""
    text = log.read_text(encoding="utf-8", errors="replace")
    ends = re.findall(rf"exited: {re.escape(program)} \(([^;)]+)|spawnerr: (.+)", text)
    return "".join(ends[-1]) if ends else f"see {log}"


def output_file(logs: Path, program: str) -> Path:
    """Where a program's standard output and error go."""
    return logs / f"{program}.out"


def configuration(programs: Iterable[Program], run: Path, logs: Path, socket: Path) -> str:
    """Text of supervisord's configuration; no program starts by itself."""
    head = _HEAD.format(
        run=_literal(str(run)),
        logs=_literal(str(logs)),
        socket=_literal(str(socket)),
    )
    return head + "".join(
        _PROGRAM.format(
            name=program.name,
            command=_literal(shlex.join(program.command)),
            directory=_literal(str(program.directory)),
            environment=_environment(dict(program.environment)),
            output=_literal(str(output_file(logs, program.name))),
            stop_seconds=_STOP_SECONDS,
        )
        for program in programs
    )


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def _environment(variables: dict[str, str]) -> str:
    return ",".join(f'{name}="{_literal(value)}"' for name, value in sorted(variables.items()))
