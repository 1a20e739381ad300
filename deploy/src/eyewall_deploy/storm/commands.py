"""Command lines of Storm's daemons; the same as `bin/storm` makes, without a JVM to ask first."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.processes.program import Program

if TYPE_CHECKING:
    from eyewall_deploy.run_dir import RunDir
    from eyewall_deploy.storm_home import StormHome


@dataclass(frozen=True, slots=True)
class Daemon:
    """A kind of daemon: its class, the heap that it gets, in MB, and options of its own."""

    main: str
    heap: int
    options: tuple[str, ...] = ()


NIMBUS = Daemon("org.apache.storm.daemon.nimbus.Nimbus", 384)
SUPERVISOR = Daemon("org.apache.storm.daemon.supervisor.Supervisor", 128)
UI = Daemon("org.apache.storm.daemon.ui.UIServer", 192)
ZOOKEEPER = Daemon(
    # The one that DevZookeeper has inside, which deletes all data whenever it is started.
    "org.apache.storm.shade.org.apache.zookeeper.server.ZooKeeperServerMain",
    128,
    ("-Dzookeeper.admin.enableServer=false",),
)
_ZOOKEEPER_TICK_MS = 2000
_ANY_NUMBER = 0


def find_java() -> str | None:
    """Path of the JVM that Storm itself would take: JAVA_HOME's, else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        return str(java) if java.is_file() else None
    return shutil.which("java")


def zookeeper_arguments(port: int, folder: Path) -> tuple[str, ...]:
    """Let ZooKeeper serve on `port` and keep its data in `folder`, over restarts too.

    It takes any number of connections from one address, for hosts may share theirs.
    """
    return (str(port), str(folder), str(_ZOOKEEPER_TICK_MS), str(_ANY_NUMBER))


def daemon_program(
    name: str,
    daemon: Daemon,
    java: str,
    home: StormHome,
    run: RunDir,
    java_options: tuple[str, ...] = (),
    entry: tuple[str, ...] = (),
    arguments: tuple[str, ...] = (),
) -> Program:
    """Make a program of a daemon whose storm.yaml lies in `run.conf(name)`.

    Parameters
    ----------
    arguments
        What the daemon's class is given.
    entry
        A command that brings the daemon to its host, put in front of it.
    """
    logs = run.logs(name)
    java_command = (
        java,
        "-server",
        f"-Xmx{daemon.heap}m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        *java_options,
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
    # A supervisor hands both to its workers: where their storm.yaml is, and streamparse_run.
    here = str(Path(sys.executable).parent)
    environment = {
        "STORM_CONF_DIR": str(run.conf(name)),
        "PATH": os.pathsep.join([here, os.environ.get("PATH", os.defpath)]),
    }
    return Program(name, (*entry, *java_command), run.path, (logs / f"{name}.log",), environment)
