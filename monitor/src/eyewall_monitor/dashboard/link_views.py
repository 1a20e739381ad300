"""Delays between hosts: what the sidecar decides by, beside what was measured and estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.latency import delay_between

from eyewall_monitor.dashboard import signals
from eyewall_monitor.dashboard.views.cluster import LinkView
from eyewall_monitor.dashboard.views.signal import Signal

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.known import Known, RedisKnown


def links(known: Known) -> tuple[LinkView, ...]:
    """Every link that the sidecar tells of."""
    status = known.sidecar.status
    if status is None:
        return ()
    least = status.delays.minimum_confidence
    return tuple(_link(known, it, least) for it in status.delays.links)


def _link(known: Known, link: pb.Link, least: float) -> LinkView:
    measured, estimated = both_ways_known(known.redis, link.source, link.target)
    return LinkView(
        source=link.source,
        target=link.target,
        delay=link.delay if link.HasField("delay") else None,
        measured=measured,
        estimated=estimated,
        signal=_signal(known, link, least),
        rate=link.rate if link.HasField("rate") else None,
    )


def both_ways_known(redis: RedisKnown, a: str, b: str) -> tuple[float | None, float | None]:
    """Return the delay one way as it was probed lately, and as coordinates say."""
    here, there = redis.hosts.get(a), redis.hosts.get(b)
    ends = {a: redis.rtts.get(b, {}).get(a), b: redis.rtts.get(a, {}).get(b)}
    probed = {source: record for source, record in ends.items() if record is not None}
    by_coordinates = delay_between(here, there, {}, now=redis.now).seconds
    if not probed:
        return None, by_coordinates
    told = delay_between(here, there, probed, now=redis.now)
    return (told.seconds if told.kind == "measured" else None), by_coordinates


def _signal(known: Known, link: pb.Link, least: float) -> Signal:
    if not link.HasField("delay"):
        return signals.missing(f"the delay from {link.source} to {link.target} is not known")
    age = link.age + known.sidecar.told
    if link.confidence < least:
        note = f"its confidence {link.confidence:.2f} is below the least of {least:g}"
        return Signal(state="stale", age=age, confidence=link.confidence, note=note)
    return Signal(state="fresh", age=age, confidence=link.confidence)
