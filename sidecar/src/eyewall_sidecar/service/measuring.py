"""What is measured of topologies and hosts, round by round: believed, smoothed and held.

The store hands out documents as they were written. What they come to is remembered from round to
round, so that chance alone asks no question anew.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from eyewall_monitor.rate_document import Rates

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
    """

    topologies: Mapping[str, MeasuredTopology] | None = None
    loads: Mapping[str, HostLoad] = field(default_factory=dict)

    def of(self, topology: str) -> MeasuredTopology | None:
        """Return what was measured of a topology; None if nothing is measured at all."""
        if self.topologies is None:
            return None
        return self.topologies.get(topology, MeasuredTopology())


@dataclass(frozen=True, slots=True)
class _Looked:
    """A topology's document, when it was looked at, and what it came to."""

    rates: Rates | None
    at: float
    measured: MeasuredTopology


class Measuring:
    """Reads a store and remembers what it came to."""

    def __init__(self, store: MeasurementStore, minimum_confidence: float) -> None:
        """Read `store`; what has less confidence, from 0 to 1, is not believed."""
        self._store = store
        self._minimum = minimum_confidence
        self._looked: dict[str, _Looked] = {}
        self._hosts: dict[str, HostRecord] = {}
        self._doubt = ""

    def read(self, topologies: Iterable[Topology]) -> Measured:
        """Return what is believed of these topologies, and of all hosts."""
        found = self._store.read()
        self._say(found.remark)
        if not found.wanted:
            return Measured()
        self._looked = {it.id: self._look(it, found) for it in topologies}
        self._hosts = self._recorded(found)
        return Measured(
            {it: looked.measured for it, looked in self._looked.items()},
            {host: record.given for host, record in self._hosts.items()},
        )

    def _look(self, topology: Topology, found: Measurements) -> _Looked:
        before = self._looked.get(topology.id)
        rates = found.rates.get(topology.id)
        if before is not None and before.rates is rates and found.now - before.at < LOOK_AGAIN:
            return before
        measured = measured_topology(rates, topology, found.now, self._minimum)
        if before is not None:
            measured = held(before.measured, measured)
        return _Looked(rates, found.now, measured)

    def _recorded(self, found: Measurements) -> dict[str, HostRecord]:
        fresh = {it: one for it, one in found.hosts.items() if one.age(found.now) <= OLDEST_REPORT}
        records = {it: recorded(self._hosts.get(it), one) for it, one in fresh.items()}
        return {it: record for it, record in records.items() if record is not None}

    def _say(self, doubt: str) -> None:
        if doubt != self._doubt:
            self._doubt = doubt
            LOG.warning("%s", doubt or "measurements are good again")
