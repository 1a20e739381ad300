"""A line for each topology."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.dashboard import measured, signals
from eyewall_monitor.dashboard.views.topology import TopologySummary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.known import Known


def summaries(known: Known) -> tuple[TopologySummary, ...]:
    """All topologies, by name."""
    if known.sidecar.status is None:
        return ()
    topologies = sorted(known.sidecar.status.topologies, key=lambda it: (it.name, it.topology_id))
    lately = measured.lately(known, (it.topology_id for it in topologies))
    hosts = supervisor_hosts(known.sidecar.status)
    return tuple(summary(known, it, lately, hosts) for it in topologies)


def supervisor_hosts(status: pb.Status) -> dict[str, str]:
    """Return the host of each supervisor, by its id."""
    return {it.id: it.host for it in status.supervisors}


def summary(
    known: Known,
    topology: pb.TopologyStatus,
    lately: Mapping[str, float],
    hosts: Mapping[str, str],
) -> TopologySummary:
    """One topology; `lately` has measured response times by topology, `hosts` supervisors'."""
    workers = topology.state.workers
    response = metric(topology, "R")
    return TopologySummary(
        id=topology.topology_id,
        name=topology.name,
        mode=topology.mode,
        policy=topology.policy,
        objective=topology.objective,
        status=topology.status,
        verdict=topology.verdict,
        frozen=topology.frozen,
        executors=sum(len(it.executors) for it in topology.definition.components),
        placed=sum(len(it.executors) for it in workers),
        workers=len(workers),
        hosts=len({hosts.get(it.supervisor_id, it.supervisor_id) for it in workers}),
        response_time=response,
        measured_response_time=lately.get(topology.topology_id),
        rates=signals.of_rates(known, topology),
    )


def metric(topology: pb.TopologyStatus, name: str) -> float | None:
    """Return a metric of what runs; None if it is not known."""
    for it in topology.metrics:
        if it.name == name and it.HasField("before"):
            return float(it.before)
    return None
