"""Every part of Eyewall and of what it stands on, and how it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.dashboard import signals
from eyewall_monitor.dashboard.views.health import HealthView, PartView
from eyewall_monitor.dashboard.views.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_monitor.dashboard.known import Known


def health_view(known: Known, revision: int) -> HealthView:
    """Look at every part; all is well if none that there should be is stale or missing."""
    parts = tuple(_parts(known))
    should_be = [it for it, wanted in parts if wanted]
    return HealthView(
        revision=revision,
        well=all(it.signal.state == "fresh" for it in should_be),
        parts=tuple(it for it, _ in parts),
    )


def _parts(known: Known) -> Iterator[tuple[PartView, bool]]:
    """Yield each part, and whether there should be one."""
    status = known.sidecar.status
    nimbus = status.nimbus_id if status is not None else ""
    yield PartView(name="nimbus", signal=signals.of_nimbus(known), detail=nimbus), True
    run = f"run {status.run}" if status is not None else ""
    if status is not None and known.sidecar.round_age is not None:
        run += f"; its last round took {status.round_seconds * 1000:.0f} ms"
    yield PartView(name="sidecar", signal=signals.of_sidecar(known), detail=run), True
    source = f"from {status.delays.source}" if status is not None else ""
    yield PartView(name="delays", signal=signals.of_delays(known), detail=source), True
    yield _measurements(known), status is not None and status.measuring
    store = known.zookeeper
    zookeeper = PartView(
        name="zookeeper",
        signal=signals.of_zookeeper(known),
        detail="; ".join([store.servers, *store.remarks]).strip("; "),
    )
    yield zookeeper, store.wanted
    redis = PartView(
        name="redis",
        signal=signals.of_redis(known),
        lag=known.redis.history_age,
        detail="; ".join([known.redis.server, *known.redis.remarks]).strip("; "),
    )
    yield redis, known.redis.wanted
    running = bool(status is not None and any(it.state.workers for it in status.topologies))
    yield _rates_job(known), store.wanted and running
    hosts = {it.host for it in status.supervisors} if status is not None else set()
    for host in sorted(hosts | store.samples.keys() | known.redis.hosts.keys()):
        report, latency = signals.of_report(known, host), signals.of_latency(known, host)
        yield PartView(name="monitor agent", host=host, signal=report), store.wanted
        yield PartView(name="latency agent", host=host, signal=latency), known.redis.wanted
    yield PartView(name="dashboard", signal=Signal(state="fresh", age=0.0)), True


def _measurements(known: Known) -> PartView:
    """What the sidecar itself reads in ZooKeeper."""
    status = known.sidecar.status
    if status is None:
        signal = signals.missing("not known without the sidecar")
    elif not status.measuring:
        signal = signals.missing("the sidecar was told of no measurements")
    elif status.measurements_remark:
        signal = Signal(state="stale", note=status.measurements_remark)
    else:
        signal = Signal(state="fresh")
    return PartView(name="measurements", signal=signal)


def _rates_job(known: Known) -> PartView:
    store = known.zookeeper
    if not store.rates:
        where = signals.of_zookeeper(known)
        note = where.note if where.state != "fresh" else "no topology's rates are written"
        return PartView(name="rates job", signal=signals.missing(note))
    newest = max(store.rates.values(), key=lambda it: it.written)
    age = max(0.0, known.now - newest.written)
    signal = signals.aged(
        age, signals.RATES_SECONDS, "it last wrote", wrong=signals.of_zookeeper(known).note
    )
    ends = [it.rate.until for rates in store.rates.values() for it in rates.streams]
    lag = max(0.0, known.now - max(ends)) if ends else None
    lost = sum(it.lost for it in store.rates.values())
    late = sum(it.late for it in store.rates.values())
    detail = f"{len(store.rates)} topologies; in the window {lost} reports lost, {late} late"
    return PartView(name="rates job", signal=signal, lag=lag, detail=detail)
