"""The page Health: every part and its freshness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.signal import (
    RATES_SECONDS,
    WITHOUT_SIDECAR,
    Signal,
    by_age,
    delays_signal,
    latency_signal,
    missing,
    nimbus_signal,
    redis_signal,
    report_signal,
    sidecar_signal,
    zookeeper_signal,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_monitor.dashboard.snapshot import Snapshot


class PartView(View):
    """One part of Eyewall, or something that it needs."""

    name: str
    """nimbus, sidecar, zookeeper, redis, rates job, latency agent, monitor agent …"""
    host: str = ""
    signal: Signal
    lag: float | None = None
    """Seconds that it is behind; None: unknown, or not applicable."""
    detail: str = ""


class HealthView(View):
    """Every part."""

    revision: int
    well: bool
    parts: tuple[PartView, ...]


def health_view(snapshot: Snapshot, revision: int) -> HealthView:
    """Return every part; all is well if no required part is stale or missing."""
    parts = tuple(_parts(snapshot))
    return HealthView(
        revision=revision,
        well=all(it.signal.state == "fresh" for it, required in parts if required),
        parts=tuple(it for it, _ in parts),
    )


def _parts(snapshot: Snapshot) -> Iterator[tuple[PartView, bool]]:
    """Yield each part, and whether it is required."""
    status, store, redis = snapshot.sidecar.status, snapshot.zookeeper, snapshot.redis
    nimbus, run, source, measuring, running = "", "", "", False, False
    if status is not None:
        nimbus, run, source = status.nimbus_id, f"run {status.run}", f"from {status.delays.source}"
        measuring, running = status.measuring, any(it.state.workers for it in status.topologies)
        if snapshot.sidecar.round_age is not None:
            run += f"; its last round took {status.round_seconds * 1000:.0f} ms"
    yield PartView(name="nimbus", signal=nimbus_signal(snapshot), detail=nimbus), True
    yield PartView(name="sidecar", signal=sidecar_signal(snapshot), detail=run), True
    yield PartView(name="delays", signal=delays_signal(snapshot), detail=source), True
    yield PartView(name="measurements", signal=_measurements_signal(snapshot)), measuring
    zookeeper = PartView(
        name="zookeeper",
        signal=zookeeper_signal(snapshot),
        detail="; ".join(filter(None, (store.servers, *store.remarks))),
    )
    yield zookeeper, store.configured
    yield (
        PartView(
            name="redis",
            signal=redis_signal(snapshot),
            lag=redis.history_age,
            detail="; ".join(filter(None, (redis.server, *redis.remarks))),
        ),
        redis.configured,
    )
    yield _rates_job(snapshot), store.configured and running
    hosts = {it.host for it in status.supervisors} if status is not None else set()
    for host in sorted(hosts | store.samples.keys() | redis.hosts.keys()):
        report, latency = report_signal(snapshot, host), latency_signal(snapshot, host)
        yield PartView(name="monitor agent", host=host, signal=report), store.configured
        yield PartView(name="latency agent", host=host, signal=latency), redis.configured
    yield PartView(name="dashboard", signal=Signal(state="fresh", age=0.0)), True


def _measurements_signal(snapshot: Snapshot) -> Signal:
    """What the sidecar itself reads from ZooKeeper."""
    status = snapshot.sidecar.status
    if status is None:
        return missing(WITHOUT_SIDECAR)
    if not status.measuring:
        return missing("the sidecar has no ZooKeeper configured for measurements")
    if status.measurements_remark:
        return Signal(state="stale", note=status.measurements_remark)
    return Signal(state="fresh")


def _rates_job(snapshot: Snapshot) -> PartView:
    rates = snapshot.zookeeper.rates.values()
    store = zookeeper_signal(snapshot)
    if not rates:
        return PartView(name="rates job", signal=missing(store.note or "it has written no rates"))
    age = max(0.0, snapshot.now - max(it.written for it in rates))
    ends = [it.rate.until for document in rates for it in document.streams]
    lost, late = sum(it.lost for it in rates), sum(it.late for it in rates)
    return PartView(
        name="rates job",
        signal=by_age(age, RATES_SECONDS, "it last wrote", error=store.note),
        lag=max(0.0, snapshot.now - max(ends)) if ends else None,
        detail=f"{len(rates)} topologies; in the window {lost} reports lost, {late} samples late",
    )
