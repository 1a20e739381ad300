"""Which cluster a command means, when it does not say."""

from __future__ import annotations

from pathlib import Path

from eyewall_deploy.failure import Failure
from eyewall_deploy.run_dir import RunDir, default_run_dir

DEFAULT_CLUSTER = "three-sites"


def find_run(cluster: str | None, run_dir: Path | None) -> RunDir | Failure:
    """Take the run dir that is meant: the one named, else that of the only running cluster."""
    if run_dir is not None:
        return RunDir(run_dir.absolute())
    if cluster is not None:
        return RunDir(default_run_dir(Path(cluster).stem))
    running = [run for run in _known() if run.keeper() is not None]
    if len(running) > 1:
        names = ", ".join(run.path.name for run in running)
        return Failure(f"several clusters are up: {names}; say which with --cluster NAME")
    return running[0] if running else RunDir(default_run_dir(DEFAULT_CLUSTER))


def _known() -> list[RunDir]:
    folder = default_run_dir(DEFAULT_CLUSTER).parent
    return [RunDir(path) for path in sorted(folder.iterdir())] if folder.is_dir() else []
