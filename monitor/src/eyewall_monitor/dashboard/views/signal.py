"""The freshness of what is shown: fresh, stale or missing, with the reason in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from eyewall_monitor.dashboard.views.base import View

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.snapshot import RedisSnapshot, Snapshot, ZookeeperSnapshot

ANSWER_SECONDS: Final = 10.0
"""Twice the longest pause between two readings, which is 5 s where reading takes long."""
ROUND_SECONDS: Final = 30.0
"""Three of Nimbus's rounds by Storm's defaults (nimbus.monitor.freq.secs: 10)."""
REPORT_SECONDS: Final = 15.0
"""Three reports of a monitor agent by its defaults."""
LATENCY_SECONDS: Final = 15.0
"""A latency agent writes its record every 3 s among 1,000 hosts, more often among fewer."""
RATES_SECONDS: Final = 30.0
"""An older rate has lost a good part of its confidence."""
WITHOUT_SIDECAR: Final = "unknown without the sidecar"


class Signal(View):
    """The age and confidence of something measured."""

    state: Literal["fresh", "stale", "missing"]
    age: float | None = None
    confidence: float | None = None
    note: str = ""
    """What is wrong, as a sentence; empty if nothing is."""


def missing(note: str) -> Signal:
    """Return the signal of something that is not there."""
    return Signal(state="missing", note=note)


def by_age(
    age: float, limit: float, what: str, *, confidence: float | None = None, error: str = ""
) -> Signal:
    """Return a signal that is fresh up to `limit` seconds; `what` happened `age` seconds ago."""
    if not error and age <= limit:
        return Signal(state="fresh", age=age, confidence=confidence)
    note = error or f"{what} {age:.0f} s ago"
    return Signal(state="stale", age=age, confidence=confidence, note=note)


def sidecar_signal(snapshot: Snapshot) -> Signal:
    """Whether the sidecar answers."""
    sidecar = snapshot.sidecar
    return _answers(sidecar.age, f"the sidecar at {sidecar.address}", sidecar.error)


def nimbus_signal(snapshot: Snapshot) -> Signal:
    """Whether Nimbus asks the sidecar; its age is that of the last round."""
    age = snapshot.sidecar.round_age
    if snapshot.sidecar.status is None:
        return missing(WITHOUT_SIDECAR)
    if age is None:
        return missing("Nimbus has not asked the sidecar yet")
    return by_age(age, ROUND_SECONDS, "its last round was")


def zookeeper_signal(snapshot: Snapshot) -> Signal:
    """Whether ZooKeeper answers."""
    store = snapshot.zookeeper
    if not store.configured:
        return missing("no ZooKeeper is configured ([zookeeper] servers)")
    return _answers(store.age, f"ZooKeeper {store.servers}", store.error)


def redis_signal(snapshot: Snapshot) -> Signal:
    """Whether Redis answers."""
    store = snapshot.redis
    if not store.configured:
        return missing("no Redis is configured ([redis] url)")
    return _answers(store.age, f"Redis {store.server}", store.error)


def _answers(age: float | None, source: str, error: str) -> Signal:
    if age is None:
        return missing(f"{source}: {error or 'no answer yet'}")
    problem = f"{source}: {error}" if error else ""
    return by_age(age, ANSWER_SECONDS, f"{source} last answered", error=problem)


def delays_signal(snapshot: Snapshot) -> Signal:
    """The delays that the sidecar uses; their confidence is that of the least certain one."""
    status = snapshot.sidecar.status
    if status is None:
        return missing(WITHOUT_SIDECAR)
    delays = status.delays
    if delays.source in ("", "none"):
        return missing(delays.remark or "no source of delays is configured in the sidecar")
    confidences = [it.confidence for it in delays.links if it.HasField("delay")]
    return Signal(
        state="stale" if delays.remark else "fresh",
        age=snapshot.sidecar.delays_age,
        confidence=min(confidences, default=None),
        note=delays.remark,
    )


def report_signal(snapshot: Snapshot, host: str) -> Signal:
    """The report of a host's monitor agent."""
    age = snapshot.zookeeper.sample_ages.get(host)
    store = zookeeper_signal(snapshot)
    if age is None:
        return missing(store.note or "its monitor agent does not report")
    return by_age(age, REPORT_SECONDS, "its monitor agent last reported", error=store.note)


def latency_signal(snapshot: Snapshot, host: str) -> Signal:
    """The record of a host's latency agent."""
    record = snapshot.redis.hosts.get(host)
    store = redis_signal(snapshot)
    if record is None:
        return missing(store.note or "its latency agent does not report")
    return by_age(
        max(0.0, snapshot.redis.now - record.at),
        LATENCY_SECONDS,
        "its latency agent last reported",
        confidence=max(0.0, 1.0 - record.error),
        error=store.note,
    )


def rates_signal(snapshot: Snapshot, topology: pb.TopologyStatus) -> Signal:
    """A topology's rates; as the sidecar reports them where ZooKeeper has none."""
    rates = snapshot.zookeeper.rates.get(topology.topology_id)
    estimates = [it.rate for it in rates.streams] if rates else []
    what = "its rates were last estimated"
    if estimates:
        return by_age(
            min(it.age(snapshot.now) for it in estimates),
            RATES_SECONDS,
            what,
            confidence=min(it.confidence_at(snapshot.now) for it in estimates),
            error=zookeeper_signal(snapshot).note,
        )
    if topology.HasField("rates_age"):
        age = topology.rates_age + snapshot.sidecar.status_age
        return by_age(age, RATES_SECONDS, what, error=sidecar_signal(snapshot).note)
    return missing(zookeeper_signal(snapshot).note or "the rates job has not written its rates")


def is_read(store: ZookeeperSnapshot | RedisSnapshot) -> bool:
    """Whether what is not in a store does not exist, rather than being unknown."""
    return store.age is not None and not store.error
