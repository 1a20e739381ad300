"""Finding a program's log and following it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy.choices import choices
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import programs
from eyewall_deploy.processes.supervisord import output_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_deploy.lifecycle.programs import Plan

_POLL_SECONDS = 0.3


def log_files(plan: Plan) -> dict[str, Path]:
    """The most telling log of each program, the keeper, and each worker that has been there."""
    logs = plan.run.logs()
    found = {}
    for program in programs(plan):
        own = [log for log in program.logs if log.exists()]
        found[program.name] = own[0] if own else output_file(logs, program.name)
    found["keeper"] = plan.run.keeper_log
    for log in sorted(logs.glob("supervisor-*/workers/*/*/worker.log")):
        port, topology, host = log.parts[-2], log.parts[-3], log.parts[-5]
        found[f"{topology}@{host.removeprefix('supervisor-')}:{port}"] = log
    return found


def log_file(plan: Plan, name: str) -> Path | Failure:
    """One program's log."""
    known = log_files(plan)
    if name not in known:
        return Failure(f"logs: no program {name}; {choices('programs', list(known), name)}")
    return known[name] if known[name].exists() else Failure(f"logs: {name} has not run yet")


def follow(log: Path) -> Iterator[str]:
    """What is added to a log from now on, for as long as one asks."""
    with log.open(encoding="utf-8", errors="replace") as file:
        file.seek(0, 2)
        while True:
            text = file.read()
            if text:
                yield text
            else:
                time.sleep(_POLL_SECONDS)
