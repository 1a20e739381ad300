"""What a run dir says of its cluster, put together again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy import cluster_file
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.found import find_run
from eyewall_deploy.lifecycle.programs import Plan
from eyewall_deploy.lifecycle.shares import read_shares
from eyewall_deploy.state import read_state
from eyewall_deploy.storm_home import open_storm_home

if TYPE_CHECKING:
    from eyewall_deploy.run_dir import RunDir


def read_plan(run: RunDir) -> Plan | Failure:
    """Read the plan of the cluster that was last started in this run dir."""
    state = read_state(run.state)
    if state is None:
        return Failure(f"no cluster runs in {run.path}; `eyewall-deploy up` starts one")
    home = open_storm_home(Path(state.storm_home))
    if isinstance(home, Failure):
        return home
    cluster = cluster_file.load(run.cluster_file)
    return Plan(run, cluster, state, home, read_shares(run).groups)


def find_plan(cluster: str | None, run_dir: Path | None) -> Plan | Failure:
    """Read the plan of the running cluster that a command means."""
    run = find_run(cluster, run_dir)
    if isinstance(run, Failure):
        return run
    if run.keeper() is None:
        return Failure(f"no cluster runs in {run.path}; `eyewall-deploy up` starts one")
    return read_plan(run)
