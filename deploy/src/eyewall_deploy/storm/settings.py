"""The storm.yaml of each daemon of a cluster."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import yaml
from eyewall_contracts.setting_keys import ADDRESSES, PUSH

from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.storm.jvm import WORKER_JARS, archive_options
from eyewall_deploy.wan.addresses import CONTROL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.cluster_file import ClusterHost
    from eyewall_deploy.deployment import Deployment

SLOT_PORT = 6700
SUPERVISOR_PORT = 6628
AGENT_PORT = 2003

SCHEDULER_CLASSES = {
    SchedulerChoice.EYEWALL: "io.eyewall.storm.EyewallScheduler",
    SchedulerChoice.RAS: "org.apache.storm.scheduler.resource.ResourceAwareScheduler",
    SchedulerChoice.DEFAULT: "org.apache.storm.scheduler.DefaultScheduler",
}

TIMING = (
    "task.refresh.poll.secs",
    "supervisor.monitor.frequency.secs",
    "supervisor.worker.shutdown.sleep.secs",
    "storm.messaging.netty.min_wait_ms",
    "storm.messaging.netty.max_wait_ms",
)
"""Recommended settings that shorten a move; without them Storm's own values hold."""

# Workers as Storm starts them (but for the heap, so that a small machine holds them), and no push.
_STOCK_TIMING = {
    "worker.childopts": "-Xmx%HEAP-MEM%m",
    "topology.worker.logwriter.childopts": "-Xmx16m",
    PUSH.name: False,
}
# After each tuple an idle executor spins through a thousand shortest parks before it sleeps for a
# millisecond: some 50 ms of CPU, which a host of its own has and a dozen hosts on two cores lack.
_ONE_MACHINE = {
    "topology.bolt.wait.progressive.level2.count": 0,
    "topology.backpressure.wait.progressive.level2.count": 0,
}
_REPORTERS = "topology.metrics.reporters"
_CSV_REPORTER = "org.apache.storm.daemon.metrics.reporters.CsvPreparableReporter"
_LOG_WRITER = "topology.worker.logwriter.childopts"
_MEGABYTE = 1024 * 1024
OVERLAP_JAR: Final = "eyewall-storm-overlap.jar"
"""With it workers that Eyewall moves serve on until their successors carry tuples."""
ISOLATION: Final = "storm.resource.isolation.plugin"
OVERLAP_ISOLATION: Final = "io.eyewall.storm.overlap.OverlapIsolation"
_OVERLAP = {f"{ISOLATION}.enable": True, ISOLATION: OVERLAP_ISOLATION}


def recommended_settings() -> dict[str, Any]:
    """Return the settings of the shipped storm.yaml, so that there is only one list of them."""
    text = resources.files(__package__).joinpath("storm.yaml").read_text(encoding="utf-8")
    settings: dict[str, Any] = yaml.safe_load(text)
    return settings


def nimbus_settings(deployment: Deployment) -> dict[str, Any]:
    """Return the settings of Nimbus and Storm UI."""
    run, scheduler = deployment.run, deployment.state.scheduler
    settings = _common_settings(deployment, "nimbus") | {
        "storm.local.hostname": CONTROL,
        "storm.scheduler": SCHEDULER_CLASSES[scheduler],
        "storm.metricstore.rocksdb.location": str(run.data("nimbus") / "metrics"),
        "ui.port": deployment.inner.ui.port,
        "storm.daemon.metrics.reporter.plugins": [_CSV_REPORTER],
        "storm.daemon.metrics.reporter.csv.log.dir": str(run.metrics("nimbus")),
    }
    if scheduler is SchedulerChoice.EYEWALL:
        return settings | {ADDRESSES.name: [str(deployment.inner.sidecar)]}
    return {key: value for key, value in settings.items() if not key.startswith("eyewall.")}


def supervisor_settings(deployment: Deployment, host: ClusterHost) -> dict[str, Any]:
    """Return the settings of one host's supervisor and its workers."""
    settings = _common_settings(deployment, f"supervisor-{host.name}") | {
        **host_settings(host),
        "supervisor.slots.ports": slot_ports(deployment, host),
        "supervisor.thrift.port": supervisor_port(deployment, host),
    }
    for reporter in settings.get(_REPORTERS, ()):
        reporter["graphite.port"] = agent_port(deployment, host)
    return without_scheduler(settings)


def host_settings(host: ClusterHost) -> dict[str, Any]:
    """Return what a supervisor reports of its host: its name, its resources, its site."""
    return {
        "storm.local.hostname": host.name,
        "supervisor.cpu.capacity": host.cpu * 100,
        "supervisor.memory.capacity.mb": host.memory / _MEGABYTE,
        "supervisor.scheduler.meta": {
            "site": host.site,
            "labels": ",".join(host.labels),
            "availability": str(host.availability),
            "speed": str(host.speed),
        },
    }


def without_scheduler(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out Eyewall's settings that only Nimbus reads."""
    return {
        key: value
        for key, value in settings.items()
        if not key.startswith("eyewall.") and key != "storm.scheduler"
    }


def slot_ports(deployment: Deployment, host: ClusterHost) -> list[int]:
    """Return the ports of a host's workers: Storm's usual ones, unless hosts share an address."""
    first = SLOT_PORT
    if deployment.on_loopback:
        hosts = deployment.cluster.hosts
        before = hosts[: hosts.index(host)]
        first = deployment.state.host_ports + len(hosts) + sum(other.slots for other in before)
    return list(range(first, first + host.slots))


def supervisor_port(deployment: Deployment, host: ClusterHost) -> int:
    """Return the port on which a supervisor receives assignments."""
    if deployment.on_loopback:
        return deployment.state.host_ports + deployment.cluster.hosts.index(host)
    return SUPERVISOR_PORT


def agent_port(deployment: Deployment, host: ClusterHost) -> int:
    """Return the port on which a host's monitor agent listens to its workers."""
    if deployment.on_loopback:
        hosts = deployment.cluster.hosts
        slots = sum(other.slots for other in hosts)
        return deployment.state.host_ports + len(hosts) + slots + hosts.index(host)
    return AGENT_PORT


def with_overlap(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Add what moves without a gap need on a host that has their jar.

    Not where the settings have a plugin of their own. Not for Nimbus or Storm UI without the jar: a
    daemon looks for the class of the plugin as soon as it reads its settings, and ends if there is
    none.
    """
    own = settings.keys() & _OVERLAP.keys()
    return {**settings, **({} if own else _OVERLAP)}


def java_network_options(deployment: Deployment) -> tuple[str, ...]:
    """Return JVM options for the network, and for the hosts' names if /etc/hosts lacks them."""
    options: tuple[str, ...] = ("-Djava.net.preferIPv4Stack=true",)
    if deployment.on_loopback:
        options += (f"-Djdk.net.hosts.file={deployment.run.hosts}",)
    return options


def _common_settings(deployment: Deployment, program: str) -> dict[str, Any]:
    run, inner = deployment.run, deployment.inner
    settings = recommended_settings()
    if deployment.state.stock_timing:
        settings = {key: value for key, value in settings.items() if key not in TIMING}
        settings |= _STOCK_TIMING
    if not deployment.state.agents:
        del settings[_REPORTERS]
    log_writer = [settings[_LOG_WRITER]]
    workers = [settings["worker.childopts"], *java_network_options(deployment)]
    if not deployment.state.stock_timing:
        archive = archive_options(deployment.home.path, deployment.state.java, WORKER_JARS)
        log_writer += archive
        workers += archive
    settings |= {
        **_ONE_MACHINE,
        "worker.childopts": " ".join(workers),
        _LOG_WRITER: " ".join(log_writer),
        "storm.zookeeper.servers": [inner.zookeeper.host],
        "storm.zookeeper.port": inner.zookeeper.port,
        "storm.zookeeper.root": deployment.storm_root,
        "nimbus.seeds": [CONTROL],
        "nimbus.thrift.port": inner.nimbus.port,
        "storm.local.dir": str(run.data(program)),
        "storm.workers.artifacts.dir": str(run.logs(program) / "workers"),
        "storm.log4j2.conf.dir": str(run.log4j2),
    }
    overlap = run.extlib_daemon / OVERLAP_JAR
    return with_overlap(settings) if overlap.is_file() else settings
