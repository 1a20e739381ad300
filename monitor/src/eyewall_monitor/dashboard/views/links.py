"""Delays between hosts: those in use, next to measurements and estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.latency import delay_between

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.signal import Signal, missing

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.snapshot import RedisSnapshot, Snapshot


class LinkView(View):
    """One direction between two hosts."""

    source: str
    target: str
    delay: float | None
    """One way: the delay that the sidecar uses."""
    measured: float | None = None
    """Half of the round trip that the hosts' agents measured."""
    estimated: float | None = None
    """By the hosts' coordinates."""
    signal: Signal
    rate: float | None = None
    """tuples/s that cross it."""


def link_views(snapshot: Snapshot) -> tuple[LinkView, ...]:
    """Return every link that the sidecar reports."""
    status = snapshot.sidecar.status
    if status is None:
        return ()
    minimum = status.delays.minimum_confidence
    return tuple(_link(snapshot, it, minimum) for it in status.delays.links)


def _link(snapshot: Snapshot, link: pb.Link, minimum_confidence: float) -> LinkView:
    measured, estimated = measured_and_estimated(snapshot.redis, link.source, link.target)
    return LinkView(
        source=link.source,
        target=link.target,
        delay=link.delay if link.HasField("delay") else None,
        measured=measured,
        estimated=estimated,
        signal=_signal(snapshot, link, minimum_confidence),
        rate=link.rate if link.HasField("rate") else None,
    )


def measured_and_estimated(
    redis: RedisSnapshot, a: str, b: str
) -> tuple[float | None, float | None]:
    """Return the one-way delay as measured lately, and as estimated by coordinates."""
    here, there = redis.hosts.get(a), redis.hosts.get(b)
    ends = {a: redis.rtts.get(b, {}).get(a), b: redis.rtts.get(a, {}).get(b)}
    rtts = {source: record for source, record in ends.items() if record is not None}
    estimated = delay_between(here, there, {}, now=redis.now).seconds
    if not rtts:
        return None, estimated
    found = delay_between(here, there, rtts, now=redis.now)
    return (found.seconds if found.kind == "measured" else None), estimated


def _signal(snapshot: Snapshot, link: pb.Link, minimum_confidence: float) -> Signal:
    if not link.HasField("delay"):
        return missing(f"the delay from {link.source} to {link.target} is unknown")
    low = link.confidence < minimum_confidence
    return Signal(
        state="stale" if low else "fresh",
        age=link.age + snapshot.sidecar.status_age,
        confidence=link.confidence,
        note=f"its confidence is {link.confidence:.2f}, the minimum {minimum_confidence:g}"
        if low
        else "",
    )
