"""The storm.yaml of each daemon of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyewall_deploy.state import Mode, Scheduler
from eyewall_deploy.storm.recommended import recommended

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.cluster_file import Cluster, Host
    from eyewall_deploy.endpoint import Endpoint
    from eyewall_deploy.run_dir import RunDir

CONTROL = "control"
"""Host name of Nimbus and its like."""

SLOT_PORT = 6700
SUPERVISOR_PORT = 6628
AGENT_PORT = 2003
REPORTERS = "topology.metrics.reporters"
_MEGABYTE = 1024 * 1024
_CSV_REPORTER = "org.apache.storm.daemon.metrics.reporters.CsvPreparableReporter"

_ONE_MACHINE = {
    # An idle executor spins through a thousand shortest parks after each tuple before it sleeps a
    # millisecond: some 50 ms of CPU that a host of its own has to spare, and a dozen hosts on two
    # cores have not.
    "topology.bolt.wait.progressive.level2.count": 0,
    "topology.backpressure.wait.progressive.level2.count": 0,
}

CLASS_OF = {
    Scheduler.EYEWALL: "io.eyewall.storm.EyewallScheduler",
    Scheduler.RAS: "org.apache.storm.scheduler.resource.ResourceAwareScheduler",
    Scheduler.DEFAULT: "org.apache.storm.scheduler.DefaultScheduler",
}


@dataclass(frozen=True, slots=True)
class StormCluster:
    """All that Storm's settings depend on.

    Parameters
    ----------
    zookeeper, nimbus_port, ui_port, sidecar
        As Storm's daemons reach or open them, which from outside may be other ports.
    zookeeper_root
        A node of the cluster's own.
    host_ports
        First of the ports of all hosts, where they share one address space.
    agents
        Whether each host has a monitor agent, to which its workers tell their counters.
    """

    run: RunDir
    cluster: Cluster
    mode: Mode
    scheduler: Scheduler
    zookeeper: Endpoint
    zookeeper_root: str
    nimbus_port: int
    ui_port: int
    sidecar: Endpoint
    host_ports: int
    stock_timing: bool
    agents: bool


def nimbus_settings(storm: StormCluster) -> dict[str, Any]:
    """Of Nimbus and Storm UI."""
    settings = _common(storm, "nimbus") | {
        "storm.local.hostname": CONTROL,
        "storm.scheduler": CLASS_OF[storm.scheduler],
        "storm.metricstore.rocksdb.location": str(storm.run.data("nimbus") / "metrics"),
        "ui.port": storm.ui_port,
        "storm.daemon.metrics.reporter.plugins": [_CSV_REPORTER],
        "storm.daemon.metrics.reporter.csv.log.dir": str(storm.run.metrics("nimbus")),
    }
    if storm.scheduler is Scheduler.EYEWALL:
        return settings | {"eyewall.sidecar.addresses": [str(storm.sidecar)]}
    return {key: value for key, value in settings.items() if not key.startswith("eyewall.")}


def supervisor_settings(storm: StormCluster, host: Host) -> dict[str, Any]:
    """Of one host's supervisor and its workers."""
    settings = _common(storm, f"supervisor-{host.name}") | {
        **declared(host),
        "supervisor.slots.ports": slot_ports(storm, host),
        "supervisor.thrift.port": supervisor_port(storm, host),
    }
    if storm.agents:
        settings[REPORTERS] = [
            reporter | {"graphite.port": agent_port(storm, host)}
            for reporter in settings[REPORTERS]
        ]
    return without_scheduler(settings)


def declared(host: Host) -> dict[str, Any]:
    """What a supervisor tells Nimbus of its host: its name, what it has, where it is."""
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
    """Leave out what only Nimbus reads of Eyewall's settings."""
    return {
        key: value
        for key, value in settings.items()
        if not key.startswith("eyewall.") and key != "storm.scheduler"
    }


def slot_ports(storm: StormCluster, host: Host) -> list[int]:
    """Ports of a host's workers: Storm's usual ones, unless all hosts share one address space."""
    first = SLOT_PORT
    if storm.mode is Mode.LOOPBACK:
        hosts = storm.cluster.hosts
        before = hosts[: hosts.index(host)]
        first = storm.host_ports + len(hosts) + sum(other.slots for other in before)
    return list(range(first, first + host.slots))


def supervisor_port(storm: StormCluster, host: Host) -> int:
    """Port on which a supervisor is given assignments."""
    if storm.mode is Mode.LOOPBACK:
        return storm.host_ports + storm.cluster.hosts.index(host)
    return SUPERVISOR_PORT


def agent_port(storm: StormCluster, host: Host) -> int:
    """Port on which a host's monitor agent listens to its workers."""
    if storm.mode is Mode.LOOPBACK:
        hosts = storm.cluster.hosts
        slots = sum(other.slots for other in hosts)
        return storm.host_ports + len(hosts) + slots + hosts.index(host)
    return AGENT_PORT


def java_network_options(storm: StormCluster) -> tuple[str, ...]:
    """How a JVM finds the hosts' names where /etc/hosts does not have them."""
    options: tuple[str, ...] = ("-Djava.net.preferIPv4Stack=true",)
    if storm.mode is Mode.LOOPBACK:
        options += (f"-Djdk.net.hosts.file={storm.run.hosts}",)
    return options


def _common(storm: StormCluster, program: str) -> dict[str, Any]:
    settings = recommended(stock_timing=storm.stock_timing)
    if not storm.agents:
        settings = {key: value for key, value in settings.items() if key != REPORTERS}
    workers = [settings["worker.childopts"], *java_network_options(storm)]
    return (
        settings
        | _ONE_MACHINE
        | {
            "worker.childopts": " ".join(workers),
            "storm.zookeeper.servers": [storm.zookeeper.host],
            "storm.zookeeper.port": storm.zookeeper.port,
            "storm.zookeeper.root": storm.zookeeper_root,
            "nimbus.seeds": [CONTROL],
            "nimbus.thrift.port": storm.nimbus_port,
            "storm.local.dir": str(storm.run.data(program)),
            "storm.workers.artifacts.dir": str(storm.run.logs(program) / "workers"),
            "storm.log4j2.conf.dir": str(storm.run.log4j2),
        }
    )
