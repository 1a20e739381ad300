"""A cluster on this machine: what it consists of, and which one a command means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy import cluster_file, state_file
from eyewall_deploy.cluster_file import DEFAULT_CLUSTER, NAME, Cluster, ClusterFileError
from eyewall_deploy.endpoint import (
    DASHBOARD_PORT,
    LOCALHOST,
    NIMBUS_PORT,
    REDIS_PORT,
    SIDECAR_PORT,
    UI_PORT,
    ZOOKEEPER_PORT,
    Endpoint,
)
from eyewall_deploy.failure import Failure
from eyewall_deploy.host.cgroups import ControlGroups
from eyewall_deploy.run_dir import RunDir, default_run_dir
from eyewall_deploy.state import ClusterMode, RunState
from eyewall_deploy.storm.home import StormHome, open_storm_home
from eyewall_deploy.wan.addresses import CONTROL, CONTROL_ADDRESS, OUTER, addresses

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class InnerEndpoints:
    """Where the cluster's own programs reach its servers, which users reach elsewhere."""

    zookeeper: Endpoint
    redis: Endpoint
    nimbus: Endpoint
    ui: Endpoint
    sidecar: Endpoint
    dashboard: Endpoint


@dataclass(frozen=True, slots=True)
class Deployment:
    """Everything that the programs of a cluster depend on."""

    run: RunDir
    cluster: Cluster
    state: RunState
    home: StormHome
    groups: ControlGroups

    @property
    def on_loopback(self) -> bool:
        """Whether all hosts share this machine's loopback."""
        return self.state.mode is ClusterMode.LOOPBACK

    @property
    def has_two_kinds(self) -> bool:
        """Whether two kinds of links are emulated."""
        return not self.on_loopback and self.cluster.has_two_kinds

    @property
    def address_of(self) -> dict[str, str]:
        """Addresses of control and hosts, as the cluster's programs use them."""
        address_of = addresses(self.cluster.host_names)
        return dict.fromkeys(address_of, LOCALHOST) if self.on_loopback else address_of

    @property
    def inner(self) -> InnerEndpoints:
        """Where the cluster's own programs reach its servers."""
        state = self.state
        if self.on_loopback:
            return InnerEndpoints(
                zookeeper=state.zookeeper,
                redis=state.redis,
                nimbus=state.nimbus,
                ui=state.ui or Endpoint(LOCALHOST, UI_PORT),
                sidecar=state.sidecar or Endpoint(LOCALHOST, SIDECAR_PORT),
                dashboard=state.dashboard or Endpoint(LOCALHOST, DASHBOARD_PORT),
            )
        return InnerEndpoints(
            zookeeper=Endpoint(CONTROL_ADDRESS, ZOOKEEPER_PORT),
            redis=Endpoint(CONTROL_ADDRESS, REDIS_PORT),
            nimbus=Endpoint(CONTROL_ADDRESS, NIMBUS_PORT),
            ui=Endpoint(CONTROL_ADDRESS, UI_PORT),
            sidecar=Endpoint(CONTROL_ADDRESS, SIDECAR_PORT),
            dashboard=Endpoint(CONTROL_ADDRESS, DASHBOARD_PORT),
        )

    @property
    def storm_root(self) -> str:
        """Storm's node in ZooKeeper; the user's own ZooKeeper may hold other clusters."""
        return "/storm" if self.state.own_zookeeper else f"/eyewall-deploy/{self.state.cluster}"

    @property
    def eyewall_root(self) -> str:
        """Eyewall's node in ZooKeeper."""
        return "/eyewall" if self.state.own_zookeeper else f"{self.storm_root}/eyewall"

    @property
    def redis_prefix(self) -> str:
        """What Eyewall's keys in Redis begin with."""
        own = self.state.redis_server is not None
        return "eyewall" if own else f"eyewall-deploy:{self.state.cluster}"

    def forwards(self) -> Iterator[str]:
        """Yield what leads in from the user's network, and out to servers of the user's own."""
        state, inner = self.state, self.inner
        for own, outside, inside in (
            (True, state.nimbus, inner.nimbus),
            (True, state.ui, inner.ui),
            (True, state.sidecar, inner.sidecar),
            (True, state.dashboard, inner.dashboard),
            (state.own_zookeeper, state.zookeeper, inner.zookeeper),
            (state.redis_server is not None, state.redis, inner.redis),
        ):
            if outside is not None:
                ends = (f"{OUTER}:{outside}", f"{CONTROL}:{inside}")
                yield "=".join(ends if own else ends[::-1])


def read_deployment(run: RunDir) -> Deployment | Failure:
    """Read the cluster that was last started in this run dir."""
    if not run.state.exists():
        return _nothing_runs(run)
    try:
        state = state_file.read(run.state, RunState, "state of the cluster")
        cluster = cluster_file.load(run.cluster_file)
        groups = ControlGroups()
        if run.control_groups.exists():  # not on loopback
            groups = state_file.read(run.control_groups, ControlGroups, "control groups")
    except (state_file.StateFileError, ClusterFileError) as error:
        return Failure(str(error))
    home = open_storm_home(Path(state.storm_home))
    if isinstance(home, Failure):
        return home
    return Deployment(run, cluster, state, home, groups)


def find_deployment(cluster: str | None, run_dir: Path | None) -> Deployment | Failure:
    """Read the running cluster that a command means."""
    run = find_run(cluster, run_dir)
    if isinstance(run, Failure):
        return run
    return read_deployment(run) if run.keeper() is not None else _nothing_runs(run)


def find_run(cluster: str | None, run_dir: Path | None) -> RunDir | Failure:
    """Return the run dir that a command names, else that of the only running cluster."""
    if run_dir is not None:
        return RunDir(run_dir.resolve())
    if cluster is not None:
        return _run_of(cluster)
    default = default_run_dir(DEFAULT_CLUSTER)
    folder = default.path.parent
    known = [RunDir(path.resolve()) for path in sorted(folder.iterdir())] if folder.is_dir() else []
    running = [run for run in known if run.keeper() is not None]
    if len(running) > 1:
        names = ", ".join(run.path.name for run in running)
        return Failure(f"several clusters are up: {names}; choose with --cluster NAME")
    return running[0] if running else default


def _run_of(cluster: str) -> RunDir | Failure:
    """Return the run dir for a cluster file, or for the name of a cluster that has no file here."""
    try:
        return default_run_dir(cluster_file.load(cluster).name)
    except ClusterFileError as error:
        if re.fullmatch(NAME, cluster) and not Path(cluster).is_file():
            return default_run_dir(cluster)
        return Failure(str(error))


def _nothing_runs(run: RunDir) -> Failure:
    return Failure(f"no cluster runs in {run.path}; `eyewall-deploy up` starts one")
