"""The logs of a cluster's programs and workers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure, name_choices
from eyewall_deploy.lifecycle.programs import programs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_deploy.deployment import Deployment

_POLL_SECONDS = 0.3


def log_files(deployment: Deployment) -> dict[str, Path]:
    """Return the log of each program, of the keeper, and of each worker that has run."""
    run = deployment.run
    logs = {
        it.name: it.log if it.log is not None and it.log.exists() else run.output(it.name)
        for it in programs(deployment)
    }
    logs["keeper"] = run.keeper_log
    for log in sorted(run.logs().glob("supervisor-*/workers/*/*/worker.log")):
        port, topology, host = log.parts[-2], log.parts[-3], log.parts[-5]
        logs[f"{topology}@{host.removeprefix('supervisor-')}:{port}"] = log
    return logs


def find_log(deployment: Deployment, name: str) -> Path | Failure:
    """Return one program's log."""
    logs = log_files(deployment)
    if name not in logs:
        return Failure(f"logs: no program {name}; {name_choices('programs', list(logs), name)}")
    return logs[name] if logs[name].exists() else Failure(f"logs: {name} has not run yet")


def follow_log(log: Path) -> Iterator[str]:
    """Yield what is added to a log from now on, without an end."""
    with log.open(encoding="utf-8", errors="replace") as file:
        file.seek(0, 2)
        while True:
            text = file.read()
            if text:
                yield text
            else:
                time.sleep(_POLL_SECONDS)
