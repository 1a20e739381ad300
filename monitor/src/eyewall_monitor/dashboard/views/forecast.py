"""What is expected of a topology at another rate, and what is measured now."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.cluster import load_view
from eyewall_monitor.dashboard.views.signal import Signal, report_signal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.snapshot import Snapshot


def _bounded(value: Any) -> Any:
    return value if value is None or isfinite(value) else None


Bounded = Annotated[float | None, BeforeValidator(_bounded)]
"""None: without bound."""


class IntervalView(View):
    """A forecast, and its interval by the errors of the model's inputs; null is without bound."""

    value: Bounded
    least: Bounded
    greatest: Bounded


class ProspectView(View):
    """What is expected of a placement at one rate."""

    throughput: IntervalView
    """tuples/s that are carried of those that the sources send, copies included."""
    response_time: IntervalView
    """Seconds until the source has the ack; from source to sink of what is not acked."""
    sustainable: IntervalView
    """The multiple of the present rate that is just carried."""
    bottleneck: str
    """Host or executor that saturates first."""


class HostUtilisationView(View):
    """The share of a host's cores in use: measured now, expected now, expected at the rate."""

    host: str
    measured: float | None
    report: Signal
    """Of its monitor agent, which measures."""
    now: IntervalView
    then: IntervalView


class ExecutorUtilisationView(View):
    """The share of its thread's time that an executor works: expected now, and at the rate."""

    executor: str
    now: IntervalView
    then: IntervalView


class ForecastView(View):
    """What is expected of a topology where it runs, at its present rate and at a multiple."""

    topology: str
    name: str
    rate: float
    """The multiple of the present rate that `then` is of."""
    now: ProspectView
    then: ProspectView
    hosts: tuple[HostUtilisationView, ...]
    """Highest expected utilisation at the rate first."""
    executors: tuple[ExecutorUtilisationView, ...]
    """Highest expected utilisation at the rate first."""
    remarks: tuple[str, ...]
    unsettled: bool
    """What is measured has not come to rest since workers started: values may be far off."""


def forecast_view(snapshot: Snapshot, found: pb.Forecast, rate: float) -> ForecastView:
    """Return a forecast of the sidecar, with the measured load of each host."""
    hosts_now = {it.name: it.share for it in found.now.hosts}
    executors_now = {it.name: it.share for it in found.now.executors}
    return ForecastView.of(
        found,
        topology=found.topology_id,
        name=found.topology,
        rate=rate,
        hosts=tuple(
            HostUtilisationView(
                host=it.name,
                measured=_measured_share(snapshot, it.name),
                report=report_signal(snapshot, it.name),
                now=IntervalView.of(hosts_now[it.name]),
                then=IntervalView.of(it.share),
            )
            for it in _busiest_first(found.then.hosts)
        ),
        executors=tuple(
            ExecutorUtilisationView(
                executor=it.name,
                now=IntervalView.of(executors_now[it.name]),
                then=IntervalView.of(it.share),
            )
            for it in _busiest_first(found.then.executors)
        ),
    )


def _busiest_first(all_: Iterable[pb.Utilisation]) -> list[pb.Utilisation]:
    return sorted(all_, key=lambda it: (-it.share.value, it.name))


def _measured_share(snapshot: Snapshot, host: str) -> float | None:
    sample = snapshot.zookeeper.samples.get(host)
    load = None if sample is None else load_view(sample)
    return load.cores_busy / load.cores if load is not None and load.cores > 0 else None
