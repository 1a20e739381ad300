"""The settings that a cluster's programs read, as `up` writes them."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml

from eyewall_deploy.lifecycle.inside import inside
from eyewall_deploy.lifecycle.programs import (
    RATES,
    eyewall_root,
    programs,
    redis_prefix,
    supervisor_name,
)
from eyewall_deploy.state import Delays, Mode
from eyewall_deploy.storm import settings
from eyewall_deploy.wan.addresses import addresses

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.cluster_file import Host
    from eyewall_deploy.lifecycle.programs import Plan

LATENCY_PORT = 7078
_RATES_EVERY = 3.0
"""Seconds from batch to batch; the job's own default costs more, and here all hosts share the
cores."""
_HERE = "127.0.0.1"


def write_settings(plan: Plan, jar: Path | None) -> None:
    """Write what the programs read, and put the shim's jar where Nimbus looks for it."""
    run, storm = plan.run, plan.storm
    for name in ("cluster", "worker"):
        source = resources.files("eyewall_deploy.storm").joinpath(f"log4j2_{name}.xml")
        (run.log4j2 / f"{name}.xml").write_bytes(source.read_bytes())
    if jar is not None:
        shutil.copy(jar, run.extlib_daemon)
    write_nimbus_settings(plan)
    for host in plan.cluster.hosts:
        name = supervisor_name(host)
        _write_yaml(run.conf(name), settings.supervisor_settings(storm, host))
        if plan.state.agents:
            run.monitor(host.name).write_text(monitor_settings(plan, host), encoding="utf-8")
        if plan.state.latency:
            run.latency(host.name).write_text(latency_settings(plan, host), encoding="utf-8")
    if plan.state.rates:
        run.rates.write_text(rates_settings(plan), encoding="utf-8")
    if plan.state.dashboard is not None:
        run.dashboard.write_text(dashboard_settings(plan), encoding="utf-8")
    for program in programs(plan):
        run.logs(program.name).mkdir(exist_ok=True)
        run.data(program.name).mkdir(exist_ok=True)
    run.sidecar.write_text(sidecar_settings(plan), encoding="utf-8")


def write_nimbus_settings(plan: Plan) -> None:
    """Write Nimbus's storm.yaml, which names the scheduler."""
    nimbus = settings.nimbus_settings(plan.storm)
    _write_yaml(plan.run.conf("nimbus"), nimbus)
    _write_yaml(plan.run.conf("ui"), nimbus)


def sidecar_settings(plan: Plan) -> str:
    """Of the sidecar."""
    if plan.state.delays is Delays.MEASURED:
        delays = _redis(plan, "redis")
    else:
        delays = f"file = {json.dumps(str(plan.run.delays))}\n"
    zookeeper = ""
    if plan.state.agents:
        zookeeper = (
            "[zookeeper]\n"
            f"servers = {json.dumps(str(inside(plan.state).zookeeper))}\n"
            f"root = {json.dumps(eyewall_root(plan.state))}\n"
        )
    return (
        f"listen = {json.dumps(str(plan.storm.sidecar))}\n"
        f"[delays]\n{delays}"
        f"{zookeeper}"
        "[defaults]\n"
        f"executors_per_slot = {plan.cluster.executors_per_slot}\n"
    )


def monitor_settings(plan: Plan, host: Host) -> str:
    """Of a host's monitor agent."""
    return (
        f"host = {json.dumps(host.name)}\n"
        f'listen = "{_HERE}:{settings.agent_port(plan.storm, host)}"\n'
        "[zookeeper]\n"
        f"servers = {json.dumps(str(inside(plan.state).zookeeper))}\n"
        f"root = {json.dumps(eyewall_root(plan.state))}\n"
        f"[redis]\n{_redis(plan, 'url')}"
        "[storm]\n"
        f"local_dir = {json.dumps(str(plan.run.data(supervisor_name(host))))}\n"
    )


def latency_settings(plan: Plan, host: Host) -> str:
    """Of a host's latency agent, which the others reach at the host's emulated address."""
    address = addresses([known.name for known in plan.cluster.hosts])[host.name]
    port = LATENCY_PORT
    if plan.state.mode is Mode.LOOPBACK:
        address, port = _HERE, 0  # any that is free: the others read it in the registry
    return (
        f"host = {json.dumps(host.name)}\n"
        f"[redis]\n{_redis(plan, 'url')}"
        "[probe]\n"
        f'address = "{address}"\n'
        f'listen = "{address}:{port}"\n'
    )


def rates_settings(plan: Plan) -> str:
    """Of the rates job, which has one thread and a small JVM: the hosts are on the same cores."""
    folder = plan.run.data(RATES)
    return (
        f"[redis]\n{_redis(plan, 'url')}"
        "[zookeeper]\n"
        f"servers = {json.dumps(str(inside(plan.state).zookeeper))}\n"
        f"root = {json.dumps(eyewall_root(plan.state))}\n"
        "[batches]\n"
        f"every_seconds = {_RATES_EVERY}\n"
        f"checkpoints = {json.dumps(str(folder / 'checkpoints'))}\n"
        "[archive]\n"
        f"folder = {json.dumps(str(folder / 'archive'))}\n"
        "[spark]\n"
        'master = "local[1]"\n'
        'memory = "512m"\n'
    )


def dashboard_settings(plan: Plan) -> str:
    """Of the dashboard, which reads everything whether or not anybody writes it."""
    there = inside(plan.state)
    return (
        f"listen = {json.dumps(str(there.dashboard))}\n"
        "[sidecar]\n"
        f"address = {json.dumps(str(there.sidecar))}\n"
        "[zookeeper]\n"
        f"servers = {json.dumps(str(there.zookeeper))}\n"
        f"root = {json.dumps(eyewall_root(plan.state))}\n"
        f"[redis]\n{_redis(plan, 'url')}"
    )


def _redis(plan: Plan, key: str) -> str:
    """The two lines that name Redis and the cluster's own keys in it; `key` is the first's."""
    url = f"redis://{inside(plan.state).redis}/0"
    return f"{key} = {json.dumps(url)}\nprefix = {json.dumps(redis_prefix(plan.state))}\n"


def _write_yaml(folder: Path, content: dict[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    beside = folder / ".storm.yaml"
    beside.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    beside.replace(folder / "storm.yaml")
