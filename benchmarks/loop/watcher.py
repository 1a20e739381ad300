"""Observes the whole loop each second; derives from that which signals were stale or lost."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.loop.accuracy import NAME, STREAMS, streams_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyewall_deploy.storm.nimbus import RunningTopology

    from benchmarks.loop.cluster import RunningCluster, SignalSnapshot

REPORT_SECONDS, RATES_SECONDS, DELAYS_SECONDS = 10.0, 15.0, 15.0
"""Greatest age of a current signal."""
CONFIDENT = 0.5
"""The confidence in a rate that the sidecar requires by default."""
SIGNALS = ("host reports", "rates", "delays")


@dataclass(frozen=True, slots=True)
class PlacementSnapshot:
    """Nimbus's view of the topology at one moment; None without an answer."""

    at: float
    topology: RunningTopology | None


@dataclass
class Watcher:
    """Observes signals and placement about once a second.

    Each has a thread of its own, since Nimbus may answer late.
    """

    it: RunningCluster
    topology_id: str
    seen: list[SignalSnapshot] = field(default_factory=list)
    placed: list[PlacementSnapshot] = field(default_factory=list)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Start observing."""
        for look in (self._look_at_signals, self._look_at_topology):
            thread = threading.Thread(target=self._each_second, args=(look,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Stop observing."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _each_second(self, look: Callable[[], None]) -> None:
        while not self._stopped.is_set():
            began = time.monotonic()
            look()
            self._stopped.wait(max(0.0, began + 1.0 - time.monotonic()))

    def _look_at_signals(self) -> None:
        self.seen.append(self.it.read_signals(self.topology_id))

    def _look_at_topology(self) -> None:
        self.placed.append(PlacementSnapshot(time.time(), self.it.topology(NAME)))


def current_signals(look: SignalSnapshot, hosts: int) -> dict[str, bool]:
    """Return for each signal whether it is current."""
    streams = streams_of(look.rates).values()
    ages = [report.age(look.at) for report in look.reports.values()]
    return {
        "host reports": len(ages) == hosts and max(ages) <= REPORT_SECONDS,
        "rates": look.rates is not None
        and look.at - look.rates.written <= RATES_SECONDS
        and len(streams) == len(STREAMS)
        and all(stream.rate.confidence_at(look.at) >= CONFIDENT for stream in streams),
        "delays": look.delays is not None
        and look.delays.measured == look.delays.pairs
        and (look.delays.oldest or 0.0) <= DELAYS_SECONDS,
    }


def stale_span(
    looks: Sequence[SignalSnapshot], signal: str, hosts: int, began: float
) -> tuple[float, float] | None:
    """Return the first and last observation with a stale signal, in seconds since `began`."""
    bad = [look.at - began for look in looks if not current_signals(look, hosts)[signal]]
    return (bad[0], bad[-1]) if bad else None


def describe_losses(
    calm: Sequence[SignalSnapshot],
    looks: Sequence[SignalSnapshot],
    before: Mapping[str, frozenset[bytes]],
    after: Mapping[str, frozenset[bytes]],
) -> tuple[str, ...]:
    """Return a phrase for each kind of loss that was counted."""
    found = []
    gone = sum(len(ids - after.get(host, frozenset())) for host, ids in before.items())
    if gone:
        found.append(f"{gone} of {sum(map(len, before.values()))} reports of the history")
    for what, unit in (("lost", "reports"), ("late", "samples")):
        count, already = (_largest(some, what) for some in (looks, calm))
        if count > already:
            found.append(f"the rates' document counts {count} {unit} {what}")
    for store in ("Redis", "ZooKeeper"):
        name = f"dropped: reports to {store}"
        count = _most(looks, name) - _most(calm, name)
        if count > 0:
            found.append(f"agents dropped {count} reports to {store}")
    unknown = [look.at for look in looks if look.delays is not None and look.delays.unknown]
    if unknown:
        found.append(f"delays of some pairs unknown for {len(unknown)} s")
    return tuple(found)


def _largest(looks: Sequence[SignalSnapshot], what: str) -> int:
    """Return the largest count in the rates' documents."""
    return max((getattr(it.rates, what) for it in looks if it.rates is not None), default=0)


def weakest(looks: Sequence[SignalSnapshot], began: float) -> list[tuple[float, float, float, str]]:
    """Return (seconds since `began`, document's age, least confidence, stream) by observation."""
    found = []
    for look in looks:
        if look.rates is not None and (streams := streams_of(look.rates)):
            least = min(streams, key=lambda ends: streams[ends].rate.confidence_at(look.at))
            confidence = streams[least].rate.confidence_at(look.at)
            row = (look.at - began, look.at - look.rates.written, confidence, " → ".join(least))
            found.append(row)
    return found


def _most(looks: Sequence[SignalSnapshot], counter: str) -> int:
    """Return the sum over the hosts of each one's largest count."""
    hosts = {host for look in looks for host in look.reports}
    return sum(
        max(look.reports[host].counters.get(counter, 0) for look in looks if host in look.reports)
        for host in hosts
    )


def texts(looks: Sequence[PlacementSnapshot], began: float) -> tuple[tuple[float, str], ...]:
    """Return the topology's status texts in turn, without those that differ in numbers only."""
    found: list[tuple[float, str]] = []
    for look in looks:
        text = look.topology.scheduling if look.topology is not None else "Nimbus does not answer"
        if not found or _without_numbers(text) != _without_numbers(found[-1][1]):
            found.append((look.at - began, text))
    return tuple(found)


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)
