"""Asking Nimbus what runs where."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.nimbus import RunningTopology, described, kill, nimbus_client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_deploy.endpoint import Endpoint

_SECONDS = 5.0


class NimbusUnreachableError(Exception):
    """No Nimbus answers; the message says where."""


@dataclass(frozen=True, slots=True)
class SupervisorView:
    """A supervisor that is registered; `uptime` in seconds."""

    host: str
    supervisor_id: str
    slots: int
    slots_used: int
    uptime: int


@dataclass(frozen=True, slots=True)
class ClusterView:
    """The cluster as Nimbus sees it."""

    version: str
    has_leader: bool
    supervisors: tuple[SupervisorView, ...]
    topologies: tuple[RunningTopology, ...]


def look(endpoint: Endpoint, *, with_topologies: bool = True) -> ClusterView:
    """Ask for supervisors and topologies; NimbusUnreachableError if nobody answers."""
    with connected(endpoint) as nimbus:
        summary = nimbus.getClusterInfo()
        running = sorted(summary.topologies, key=lambda t: t.name) if with_topologies else []
        topologies = tuple(described(nimbus.getTopologyInfo(topology.id)) for topology in running)
    return ClusterView(
        version=next((n.version for n in summary.nimbuses), "unknown"),
        has_leader=any(n.isLeader for n in summary.nimbuses),
        supervisors=tuple(sorted(map(_supervisor, summary.supervisors), key=lambda s: s.host)),
        topologies=topologies,
    )


@contextmanager
def connected(endpoint: Endpoint) -> Iterator[Any]:
    """Give a Thrift client of Nimbus; whatever goes wrong with it is NimbusUnreachableError."""
    from thriftpy2.thrift import TException

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # streamparse's imports warn about their own
            with nimbus_client(endpoint.host, endpoint.port, _SECONDS) as client:
                yield client
    except (OSError, TException) as error:
        raise NimbusUnreachableError(f"no answer from Nimbus at {endpoint}: {error}") from error


def end_topology(endpoint: Endpoint, name: str) -> Failure | None:
    """Kill the topology that runs under this name."""
    try:
        with connected(endpoint) as nimbus:
            names = sorted(topology.name for topology in nimbus.getClusterInfo().topologies)
            if name not in names:
                return Failure(f"no topology {name} runs; there is {', '.join(names) or 'none'}")
            kill(nimbus, name)
    except NimbusUnreachableError as error:
        return Failure(str(error))
    return None


def _supervisor(summary: Any) -> SupervisorView:
    return SupervisorView(
        host=summary.host,
        supervisor_id=summary.supervisor_id,
        slots=summary.num_workers,
        slots_used=summary.num_used_workers,
        uptime=summary.uptime_secs,
    )
