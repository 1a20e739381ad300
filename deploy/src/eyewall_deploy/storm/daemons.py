"""Command lines of Storm's daemons: those of `bin/storm`, without a JVM to compute them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.processes.supervisord import Program
from eyewall_deploy.storm.jvm import DAEMON_JARS, archive_options
from eyewall_deploy.storm.settings import java_network_options

if TYPE_CHECKING:
    from eyewall_deploy.deployment import Deployment


@dataclass(frozen=True, slots=True)
class Daemon:
    """A kind of daemon: its class, its heap in MB, and JVM options of its own."""

    main: str
    heap: int
    options: tuple[str, ...] = ()


NIMBUS = Daemon("org.apache.storm.daemon.nimbus.Nimbus", 384)
SUPERVISOR = Daemon("org.apache.storm.daemon.supervisor.Supervisor", 128)
UI = Daemon("org.apache.storm.daemon.ui.UIServer", 192)
ZOOKEEPER = Daemon(
    # The one inside DevZookeeper, which deletes all data whenever it starts.
    "org.apache.storm.shade.org.apache.zookeeper.server.ZooKeeperServerMain",
    128,
    # Its data need not outlive the machine: on a slow disk a sync holds everything up for seconds.
    ("-Dzookeeper.admin.enableServer=false", "-Dzookeeper.forceSync=no"),
)
_ZOOKEEPER_TICK_MS = 2000
_ANY_NUMBER = 0


def zookeeper_arguments(port: int, folder: Path) -> tuple[str, ...]:
    """Return arguments by which ZooKeeper serves on `port` and keeps its data in `folder`.

    It accepts any number of connections from one address, because hosts may share theirs.
    """
    return (str(port), str(folder), str(_ZOOKEEPER_TICK_MS), str(_ANY_NUMBER))


def daemon_program(
    deployment: Deployment,
    name: str,
    daemon: Daemon,
    entry: tuple[str, ...],
    arguments: tuple[str, ...] = (),
) -> Program:
    """Return the program of a daemon.

    Parameters
    ----------
    entry
        A command before it that brings the daemon to its host.
    arguments
        Of the daemon's class.
    """
    run, home = deployment.run, deployment.home
    logs = run.logs(name)
    java = (
        deployment.state.java,
        "-server",
        f"-Xmx{daemon.heap}m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        *archive_options(home.path, deployment.state.java, DAEMON_JARS),
        *java_network_options(deployment),
        *daemon.options,
        f"-Ddaemon.name={name}",
        f"-Dstorm.home={home.path}",
        f"-Dstorm.log.dir={logs}",
        f"-Dlogfile.name={name}.log",
        f"-Dlog4j.configurationFile={run.log4j2 / 'cluster.xml'}",
        "-Djava.deserialization.disabled=true",
        "-Dstorm.options=",
        "-Dstorm.conf.file=",
        "-cp",
        home.daemon_class_path(run.conf(name), run.extlib_daemon),
        daemon.main,
        *arguments,
    )
    # A supervisor passes both on to its workers: where their storm.yaml is, and streamparse_run.
    environment = {
        "STORM_CONF_DIR": str(run.conf(name)),
        "PATH": os.pathsep.join(
            [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        ),
    }
    return Program(name, (*entry, *java), logs / f"{name}.log", environment)
