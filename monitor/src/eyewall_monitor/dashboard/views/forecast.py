"""What is expected of a topology at another rate, and what is measured now."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.cluster import load_view
from eyewall_monitor.dashboard.views.metrics import MoveView
from eyewall_monitor.dashboard.views.signal import Signal, report_signal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    """The share of a host's cores in use: measured now, expected now, and with the change."""

    host: str
    measured: float | None
    report: Signal
    """Of its monitor agent, which measures."""
    now: IntervalView
    then: IntervalView | None
    """None: the host is off."""


class ExecutorUtilisationView(View):
    """The share of its thread's time that an executor works: expected now, and then."""

    executor: str
    now: IntervalView
    then: IntervalView


class ForecastView(View):
    """What is expected of a topology as it runs, and `then`: with what was asked for."""

    topology: str
    name: str
    rate: float
    """The multiple of the present rate that `then` is of."""
    off: tuple[str, ...]
    """Hosts that are off then."""
    policy: str
    """What has placed all executors then; empty: only those of hosts that are off are placed."""
    now: ProspectView
    then: ProspectView
    moves: tuple[MoveView, ...]
    """Executors that are elsewhere then; nothing is moved."""
    hosts: tuple[HostUtilisationView, ...]
    """Highest expected utilisation then first; hosts that are off last."""
    executors: tuple[ExecutorUtilisationView, ...]
    """Highest expected utilisation then first."""
    remarks: tuple[str, ...]
    unsettled: bool
    """What is measured has not come to rest since workers started: values may be far off."""


def forecast_view(
    snapshot: Snapshot, found: pb.Forecast, rate: float, off: Sequence[str] = (), policy: str = ""
) -> ForecastView:
    """Return a forecast of the sidecar, with the measured load of each host.

    `rate`, `off` and `policy` are what was asked for.
    """
    hosts_now = {it.name: it.share for it in found.now.hosts}
    hosts_then = {it.name: it.share for it in _busiest_first(found.then.hosts)}
    executors_now = {it.name: it.share for it in found.now.executors}
    return ForecastView.of(
        found,
        topology=found.topology_id,
        name=found.topology,
        rate=rate,
        off=tuple(off),
        policy=policy,
        moves=tuple(
            MoveView(executor=it.executor, source=it.source_host, target=it.target_host)
            for it in found.moves
        ),
        hosts=tuple(
            HostUtilisationView(
                host=it,
                measured=_measured_share(snapshot, it),
                report=report_signal(snapshot, it),
                now=IntervalView.of(hosts_now[it]),
                then=IntervalView.of(hosts_then[it]) if it in hosts_then else None,
            )
            for it in (*hosts_then, *sorted(hosts_now.keys() - hosts_then.keys()))
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
