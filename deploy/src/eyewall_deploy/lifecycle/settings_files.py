"""The settings that the programs of a cluster read, as `up` writes them."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml

from eyewall_deploy.endpoint import LOCALHOST
from eyewall_deploy.lifecycle.programs import RATES, programs, supervisor_name
from eyewall_deploy.state import DelaySource
from eyewall_deploy.storm import settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eyewall_deploy.cluster_file import ClusterHost
    from eyewall_deploy.deployment import Deployment

LATENCY_PORT = 7078
_RATES_EVERY = 3.0
"""Seconds from batch to batch. The job's own default costs more, and here all hosts share the
cores."""

Settings = dict[str, Any]


def write_settings(deployment: Deployment, *jars: Path) -> None:
    """Write what the programs read, and put jars where Storm's daemons look for them."""
    run, state = deployment.run, deployment.state
    for name in ("cluster", "worker"):
        source = resources.files("eyewall_deploy.storm").joinpath(f"log4j2_{name}.xml")
        (run.log4j2 / f"{name}.xml").write_bytes(source.read_bytes())
    (run.extlib_daemon / settings.OVERLAP_JAR).unlink(missing_ok=True)
    for jar in jars:
        shutil.copy(jar, run.extlib_daemon)
    write_nimbus_settings(deployment)
    for host in deployment.cluster.hosts:
        supervisor = settings.supervisor_settings(deployment, host)
        _write_yaml(run.conf(supervisor_name(host)), supervisor)
        if state.agents:
            _write_toml(run.monitor(host.name), monitor_settings(deployment, host))
        if state.latency:
            _write_toml(run.latency(host.name), latency_settings(deployment, host))
    if state.rates:
        _write_toml(run.rates, rates_settings(deployment))
    if state.dashboard is not None:
        _write_toml(run.dashboard, dashboard_settings(deployment))
    _write_toml(run.sidecar, sidecar_settings(deployment))
    for program in programs(deployment):
        run.logs(program.name).mkdir(exist_ok=True)
        run.data(program.name).mkdir(exist_ok=True)


def write_nimbus_settings(deployment: Deployment) -> None:
    """Write Nimbus's storm.yaml, which names the scheduler."""
    nimbus = settings.nimbus_settings(deployment)
    for program in ("nimbus", "ui"):
        _write_yaml(deployment.run.conf(program), nimbus)


def sidecar_settings(deployment: Deployment) -> Settings:
    """Return the settings of the sidecar."""
    delays: Settings = {"file": str(deployment.run.delays)}
    if deployment.state.delays is DelaySource.MEASURED:
        redis = _redis(deployment)
        delays = {"redis": redis["url"], "prefix": redis["prefix"]}
    return {
        "listen": str(deployment.inner.sidecar),
        "delays": delays,
        "zookeeper": _zookeeper(deployment) if deployment.state.agents else {},
        "defaults": {"executors_per_slot": deployment.cluster.executors_per_slot},
    }


def monitor_settings(deployment: Deployment, host: ClusterHost) -> Settings:
    """Return the settings of a host's monitor agent."""
    return {
        "host": host.name,
        "listen": f"{LOCALHOST}:{settings.agent_port(deployment, host)}",
        "zookeeper": _zookeeper(deployment),
        "redis": _redis(deployment),
        "storm": {"local_dir": str(deployment.run.data(supervisor_name(host)))},
    }


def latency_settings(deployment: Deployment, host: ClusterHost) -> Settings:
    """Return the settings of a host's latency agent, which others reach at the host's address."""
    address = deployment.address_of[host.name]
    # On loopback any free port: the others read it in Redis.
    port = 0 if deployment.on_loopback else LATENCY_PORT
    algorithm = deployment.state.latency_algorithm
    return {
        "host": host.name,
        "redis": _redis(deployment),
        "probe": {"address": address, "listen": f"{address}:{port}"},
        "space": {} if algorithm is None else {"algorithm": str(algorithm)},
    }


def rates_settings(deployment: Deployment) -> Settings:
    """Return the settings of the rates job, which gets one thread and a small JVM."""
    folder = deployment.run.data(RATES)
    return {
        "redis": _redis(deployment),
        "zookeeper": _zookeeper(deployment),
        "batches": {"every_seconds": _RATES_EVERY, "checkpoints": str(folder / "checkpoints")},
        "archive": {"folder": str(folder / "archive")},
        "spark": {"master": "local[1]", "memory": "512m"},
    }


def dashboard_settings(deployment: Deployment) -> Settings:
    """Return the settings of the dashboard, which reads every store, even an empty one."""
    return {
        "listen": str(deployment.inner.dashboard),
        "sidecar": {"address": str(deployment.inner.sidecar)},
        "zookeeper": _zookeeper(deployment),
        "redis": _redis(deployment),
    }


def to_toml(table: Mapping[str, Any]) -> str:
    """Return settings as TOML: keys first, then tables."""
    lines = [f"{key} = {_quote(it)}" for key, it in table.items() if not isinstance(it, dict)]
    for name, content in table.items():
        if isinstance(content, dict):
            lines += [f"[{name}]", *(f"{key} = {_quote(it)}" for key, it in content.items())]
    return "\n".join(lines) + "\n"


def _zookeeper(deployment: Deployment) -> Settings:
    return {"servers": str(deployment.inner.zookeeper), "root": deployment.eyewall_root}


def _redis(deployment: Deployment) -> Settings:
    return {"url": f"redis://{deployment.inner.redis}/0", "prefix": deployment.redis_prefix}


def _quote(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)  # TOML's strings and numbers are JSON's


def _write_toml(path: Path, content: Settings) -> None:
    path.write_text(to_toml(content), encoding="utf-8")


def _write_yaml(folder: Path, content: Settings) -> None:
    folder.mkdir(exist_ok=True)
    temporary = folder / ".storm.yaml"
    temporary.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    temporary.replace(folder / "storm.yaml")
