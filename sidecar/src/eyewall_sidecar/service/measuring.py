"""What is measured of topologies and hosts, round by round: believed, smoothed and held.

The store hands out documents as they were written. What they come to is remembered from round to
round, so that chance alone asks no question anew.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from eyewall_contracts.rates import Rates
from eyewall_contracts.sample import Sample

from eyewall_sidecar.stores import Measurements, MeasurementStore
from eyewall_sidecar.storm import (
    HostLoad,
    HostRecord,
    MeasuredTopology,
    Topology,
    held,
    measured_topology,
    recorded,
)

OLDEST_REPORT = 30.0
"""Seconds after which a host's report tells nothing of its load any more."""
REMEMBERED = 3600.0
"""Seconds for which it is remembered of a host without reports how slow it was."""
LOOK_AGAIN = 5.0
"""Seconds after which the same document is looked at again, as its estimates have aged."""

LOG = logging.getLogger("eyewall.measurements")


@dataclass(frozen=True, slots=True)
class Measured:
    """What is believed in one round.

    Parameters
    ----------
    topologies
        Storm's id of a topology → what was measured of it; None if nothing is measured at all.
    loads
        Host → its load, where that is known.
    rates_age
        Storm's id of a topology → seconds since its rates were estimated, where they are.
    remark
        What is wrong with measurements, as a sentence for a person; empty if nothing is.
    """

    topologies: Mapping[str, MeasuredTopology] | None = None
    loads: Mapping[str, HostLoad] = field(default_factory=dict)
    rates_age: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""

    def of(self, topology: str) -> MeasuredTopology | None:
        """Return what was measured of a topology; None if nothing is measured at all."""
        if self.topologies is None:
            return None
        return self.topologies.get(topology, MeasuredTopology())


@dataclass(frozen=True, slots=True)
class _Looked:
    """A topology's document, when it was looked at, and what it came to.

    `ahead` is by how many seconds the clock that the document was written by is ahead of ours.
    """

    rates: Rates | None
    ahead: float
    at: float
    measured: MeasuredTopology

    def age(self, now: float) -> float:
        """Seconds since the document was written."""
        return 0.0 if self.rates is None else max(0.0, now + self.ahead - self.rates.written)


@dataclass(frozen=True, slots=True)
class _Reported:
    """A host's last report, when it came by our own clock, and what its reports come to."""

    sample: Sample
    came: float
    record: HostRecord | None


class Measuring:
    """Reads a store and remembers what it came to."""

    def __init__(self, store: MeasurementStore, minimum_confidence: float) -> None:
        """Read `store`; what has less confidence, from 0 to 1, is not believed."""
        self._store = store
        self._minimum = minimum_confidence
        self._looked: dict[str, _Looked] = {}
        self._hosts: dict[str, _Reported] = {}
        self._doubt = ""

    def read(self, topologies: Iterable[Topology]) -> Measured:
        """Return what is believed of these topologies, and of all hosts."""
        found = self._store.read()
        self._say(found.remark)
        if not found.wanted:
            return Measured(remark=found.remark)
        self._looked = {it.id: self._look(it, found) for it in topologies}
        return Measured(
            {it: looked.measured for it, looked in self._looked.items()},
            self._loads(found),
            {it: looked.age(found.now) for it, looked in self._looked.items() if looked.rates},
            found.remark,
        )

    def _look(self, topology: Topology, found: Measurements) -> _Looked:
        before = self._looked.get(topology.id)
        rates = found.rates.get(topology.id)
        if before is None or before.rates is not rates:
            ahead = 0.0 if rates is None else max(0.0, rates.written - found.now)
        elif 0 <= found.now - before.at < LOOK_AGAIN:
            return before
        else:
            ahead = before.ahead
        known = before.measured if before is not None and before.rates is not None else None
        measured = measured_topology(rates, topology, found.now + ahead, self._minimum, known)
        if before is not None:
            measured = held(before.measured, measured)
        return _Looked(rates, ahead, found.now, measured)

    def _loads(self, found: Measurements) -> dict[str, HostLoad]:
        """Take the hosts' reports in; return the loads of those that came lately.

        How long ago is told by our own clock: the hosts' may be wrong by more than that.
        """
        for host, sample in found.hosts.items():
            before = self._hosts.get(host)
            if before is None or not _is_same(before.sample, sample):
                record = recorded(before.record if before is not None else None, sample)
                self._hosts[host] = _Reported(sample, found.now, record)
        age = {host: found.now - it.came for host, it in self._hosts.items()}
        self._hosts = {host: it for host, it in self._hosts.items() if age[host] <= REMEMBERED}
        return {
            host: it.record.given
            for host, it in self._hosts.items()
            if host in found.hosts and it.record is not None and age[host] <= OLDEST_REPORT
        }

    def _say(self, doubt: str) -> None:
        if doubt != self._doubt:
            self._doubt = doubt
            LOG.warning("%s", doubt or "measurements are good again")


def _is_same(known: Sample, found: Sample) -> bool:
    """Whether it is the same report: an agent whose session was lost writes its last one again."""
    return (known.run, known.sequence) == (found.run, found.sequence)
