"""Checks on what runs already: Nimbus, the sidecar, the supervisors and their clocks."""

from __future__ import annotations

import gzip
import logging
import warnings
from typing import TYPE_CHECKING, Any

from eyewall_deploy.doctor.check_result import CheckResult, advice, fault, fine
from eyewall_deploy.doctor.home import check_version
from eyewall_deploy.endpoint import LARGEST_PORT
from eyewall_deploy.processes import probes
from eyewall_deploy.state_file import StateFileError
from eyewall_deploy.storm import nimbus
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kazoo.client import KazooClient

    from eyewall_deploy.endpoint import Endpoint

_ZOOKEEPER_SECONDS = 5.0
_LARGEST_DIFFERENCE = 2.0
"""Seconds; supervisors write whole ones."""


def check_nimbus(endpoint: Endpoint, delays: Path | None) -> Iterator[CheckResult]:
    """Ask Nimbus, and hold its supervisors against the delay file."""
    try:
        view = nimbus.read_summary(endpoint, with_topologies=False)
    except nimbus.NimbusUnreachableError as error:
        yield fault("Nimbus", str(error), "is that its address and Thrift port (6627)?")
        return
    yield check_version("Nimbus", view.version)
    if not view.has_leader:
        yield fault("Nimbus", "none leads", "look into nimbus.log; ZooKeeper may be missing")
    hosts = [supervisor.host for supervisor in view.supervisors]
    if not hosts:
        yield fault("supervisors", "none is registered", "start one; nothing can be placed")
    else:
        yield fine("supervisors", ", ".join(hosts))
    for host in sorted({host for host in hosts if hosts.count(host) > 1}):
        yield advice(
            "supervisors",
            f"{hosts.count(host)} supervisors call themselves {host}",
            "delays are known by host: set storm.local.hostname apart if they differ",
        )
    if delays is not None:
        yield _check_delays(delays, hosts)


def _check_delays(path: Path, hosts: Sequence[str]) -> CheckResult:
    check = "delay file"
    try:
        known = delay_file.read(path).hosts
    except StateFileError as error:
        return fault(check, str(error), "name a delay file with --delay-file")
    unknown = sorted(set(hosts) - set(known))
    if unknown:
        return fault(
            check,
            f"no delays for {', '.join(unknown)}; it has {', '.join(known)}",
            "rows are named after storm.local.hostname: add them, or correct the names",
        )
    return fine(check, f"knows all {len(set(hosts))} hosts")


def check_sidecar(endpoint: Endpoint) -> CheckResult:
    """Ask the sidecar for its health, as gRPC's standard has it."""
    missing = probes.grpc_health(endpoint)
    if missing is None:
        return fine("sidecar", f"serving at {endpoint}")
    return fault(
        "sidecar",
        missing,
        "start it with `eyewall serve`; until then Storm's own scheduler places",
    )


def check_clocks(settings: dict[str, Any]) -> Iterator[CheckResult]:
    """Compare the supervisors' clocks with ZooKeeper's.

    A supervisor's heartbeat holds its own time, and ZooKeeper stamps it with the time of arrival.
    """
    from kazoo.client import KazooClient  # only here, and slow to import
    from kazoo.exceptions import KazooException
    from kazoo.handlers.threading import KazooTimeoutError

    check = "clocks"
    servers = settings.get("storm.zookeeper.servers") or ["localhost"]
    port = settings.get("storm.zookeeper.port", 2181)
    root = settings.get("storm.zookeeper.root", "/storm")
    for key, value, right, allowed in (
        ("servers", servers, _are_hosts(servers), 'a list such as ["localhost"]'),
        ("port", port, _is_port(port), f"1 to {LARGEST_PORT}"),
        ("root", root, isinstance(root, str) and root.startswith("/"), "a path such as /storm"),
    ):
        if not right:
            yield fault(check, f"storm.zookeeper.{key}: {value!r}", f"allowed: {allowed}")
            return
    hosts = ",".join(f"{server}:{port}" for server in servers)
    silent = logging.Logger("kazoo")  # of no hierarchy: what goes wrong becomes a finding
    silent.addHandler(logging.NullHandler())
    client = KazooClient(hosts, timeout=_ZOOKEEPER_SECONDS, logger=silent)
    try:
        client.start(_ZOOKEEPER_SECONDS)
        beats = [client.get(f"{root}/supervisors/{name}") for name in _supervisors(client, root)]
    except (KazooTimeoutError, KazooException) as error:
        reason = str(error) or type(error).__name__
        yield fault(check, f"ZooKeeper at {hosts}: {reason}", "is storm.zookeeper.servers right?")
        return
    finally:
        client.stop()
        client.close()
    differences = dict(_difference(data, stat.mtime / 1000) for data, stat in beats)
    wrong = {h: d for h, d in sorted(differences.items()) if abs(d) > _LARGEST_DIFFERENCE}
    for host, seconds in wrong.items():
        yield fault(
            check,
            f"{host} is {abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} ZooKeeper",
            "keep time with chrony or ntpd: ages of measurements are taken across hosts",
        )
    if differences and not wrong:
        most = max(map(abs, differences.values()))
        yield fine(check, f"{len(differences)} supervisors within {most:.1f} s of ZooKeeper")


def _are_hosts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(host, str) for host in value)


def _is_port(value: Any) -> bool:
    return type(value) is int and 0 < value <= LARGEST_PORT  # True is an int too


def _supervisors(client: KazooClient, root: str) -> list[str]:
    path = f"{root}/supervisors"
    return list(client.get_children(path)) if client.exists(path) else []


def _difference(heartbeat: bytes, stamped: float) -> tuple[str, float]:
    """Host, and how far its clock is ahead, to the second that heartbeats are rounded down to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # streamparse's imports warn about their own
        from streamparse.thrift import SupervisorInfo
    from thriftpy2.utils import deserialize

    info = deserialize(SupervisorInfo(), gzip.decompress(heartbeat))
    difference = info.time_secs - stamped
    return info.hostname, min(0.0, difference + 1) if difference < 0 else difference
