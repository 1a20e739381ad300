"""Which cluster a command means, when it does not say."""

from __future__ import annotations

import re
from pathlib import Path

from eyewall_deploy import cluster_file
from eyewall_deploy.cluster_schema import NAME
from eyewall_deploy.failure import Failure
from eyewall_deploy.run_dir import RunDir, default_run_dir

DEFAULT_CLUSTER = "three-sites"


def find_run(cluster: str | None, run_dir: Path | None) -> RunDir | Failure:
    """Take the run dir that is meant: the one named, else that of the only running cluster."""
    if run_dir is not None:
        return RunDir(run_dir.resolve())
    if cluster is not None:
        name = _name(cluster)
        return name if isinstance(name, Failure) else _run_of(name)
    running = [run for run in _known() if run.keeper() is not None]
    if len(running) > 1:
        names = ", ".join(run.path.name for run in running)
        return Failure(f"several clusters are up: {names}; say which with --cluster NAME")
    return running[0] if running else _run_of(DEFAULT_CLUSTER)


def _name(cluster: str) -> str | Failure:
    """Take the name in a cluster file; a name that is no file is a cluster's own."""
    try:
        return cluster_file.load(cluster).name
    except cluster_file.ClusterFileError as error:
        is_name = re.fullmatch(NAME, cluster) and not Path(cluster).is_file()
        return cluster if is_name else Failure(str(error))


def _run_of(name: str) -> RunDir:
    return RunDir(default_run_dir(name).resolve())


def _known() -> list[RunDir]:
    folder = default_run_dir(DEFAULT_CLUSTER).parent
    return [RunDir(path.resolve()) for path in sorted(folder.iterdir())] if folder.is_dir() else []
