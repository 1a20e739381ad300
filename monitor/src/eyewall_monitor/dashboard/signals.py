"""How old is too old: from an age to fresh, stale or missing, with the reason in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.views.signal import Signal

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.known import Known

ANSWER_SECONDS: Final = 5.0
"""Sidecar, ZooKeeper and Redis are asked every second or two."""
ROUND_SECONDS: Final = 30.0
"""Three of Nimbus's rounds as Storm ships it (nimbus.monitor.freq.secs: 10)."""
REPORT_SECONDS: Final = 15.0
"""Three reports of a monitor agent, as its configuration ships."""
LATENCY_SECONDS: Final = 15.0
"""Of a latency agent's record; among 1,000 hosts it is written every 3 s."""
RATES_SECONDS: Final = 30.0
"""The age from which a rate has lost a good part of its confidence."""


def missing(note: str) -> Signal:
    """Nothing is there, and why."""
    return Signal(state="missing", note=note)


def aged(
    age: float, limit: float, what: str, *, confidence: float | None = None, wrong: str = ""
) -> Signal:
    """Fresh up to `limit` seconds as long as nothing is `wrong`; `what` came `age` ago."""
    if wrong:
        return Signal(state="stale", age=age, confidence=confidence, note=wrong)
    if age > limit:
        note = f"{what} {age:.0f} s ago"
        return Signal(state="stale", age=age, confidence=confidence, note=note)
    return Signal(state="fresh", age=age, confidence=confidence)


def of_sidecar(known: Known) -> Signal:
    """Whether the sidecar answers."""
    sidecar = known.sidecar
    where = f"the sidecar at {sidecar.address}"
    if sidecar.age is None:
        return missing(f"{where}: {sidecar.wrong or 'not asked yet'}")
    wrong = f"{where}: {sidecar.wrong}" if sidecar.wrong else ""
    return aged(sidecar.age, ANSWER_SECONDS, f"{where} last answered", wrong=wrong)


def of_nimbus(known: Known) -> Signal:
    """Whether Nimbus asks the sidecar."""
    age = known.sidecar.round_age
    if known.sidecar.status is None:
        return missing("not known without the sidecar")
    if age is None:
        return missing("Nimbus has not asked the sidecar yet")
    return aged(age, ROUND_SECONDS, "its last round was")


def of_zookeeper(known: Known) -> Signal:
    """Whether ZooKeeper answers."""
    store = known.zookeeper
    if not store.wanted:
        return missing("no ZooKeeper is configured ([zookeeper] servers)")
    if store.age is None:
        return missing(f"ZooKeeper {store.servers}: {store.wrong or 'not read yet'}")
    wrong = f"ZooKeeper {store.servers}: {store.wrong}" if store.wrong else ""
    return aged(store.age, ANSWER_SECONDS, "last read", wrong=wrong)


def of_redis(known: Known) -> Signal:
    """Whether Redis answers."""
    store = known.redis
    if not store.wanted:
        return missing("no Redis is configured ([redis] url)")
    if store.age is None:
        return missing(f"Redis {store.server}: {store.wrong or 'not read yet'}")
    wrong = f"Redis {store.server}: {store.wrong}" if store.wrong else ""
    return aged(store.age, ANSWER_SECONDS, "last read", wrong=wrong)


def of_delays(known: Known) -> Signal:
    """What the sidecar's delays are worth."""
    status = known.sidecar.status
    if status is None:
        return missing("not known without the sidecar")
    delays = status.delays
    if delays.source in ("", "none"):
        return missing(delays.remark or "the sidecar was told of no delays")
    confidences = [it.confidence for it in delays.links if it.HasField("delay")]
    least = min(confidences, default=None)
    return Signal(
        state="stale" if delays.remark else "fresh",
        age=known.sidecar.delays_age,
        confidence=least,
        note=delays.remark,
    )


def of_report(known: Known, host: str) -> Signal:
    """What is known of a host's load."""
    store = known.zookeeper
    age = store.sample_ages.get(host)
    if age is None:
        where = of_zookeeper(known)
        if where.state != "fresh":
            return missing(where.note)
        return missing("its monitor agent does not report")
    wrong = of_zookeeper(known).note
    return aged(age, REPORT_SECONDS, "its monitor agent last reported", wrong=wrong)


def of_latency(known: Known, host: str) -> Signal:
    """What is known of a host's place in the network."""
    record = known.redis.hosts.get(host)
    where = of_redis(known)
    if record is None:
        if where.state != "fresh":
            return missing(where.note)
        return missing("its latency agent does not report")
    age = max(0.0, known.redis.now - record.at)
    confidence = max(0.0, 1.0 - record.error)
    what = "its latency agent last reported"
    return aged(age, LATENCY_SECONDS, what, confidence=confidence, wrong=where.note)


def of_rates(known: Known, topology: pb.TopologyStatus) -> Signal:
    """What is known of a topology's rates; by the sidecar where it is all that tells."""
    rates = known.zookeeper.rates.get(topology.topology_id)
    where = of_zookeeper(known)
    estimates = [it.rate for it in rates.streams] if rates else []
    what = "its rates were last estimated"
    if not estimates and topology.HasField("rates_age"):
        wrong = of_sidecar(known).note
        return aged(topology.rates_age + known.sidecar.told, RATES_SECONDS, what, wrong=wrong)
    if not estimates:
        if where.state != "fresh":
            return missing(where.note)
        return missing("the rates job has written nothing of it")
    age = min(it.age(known.now) for it in estimates)
    confidence = min(it.confidence_at(known.now) for it in estimates)
    return aged(age, RATES_SECONDS, what, confidence=confidence, wrong=where.note)
