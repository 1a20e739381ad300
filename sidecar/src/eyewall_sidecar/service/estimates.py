"""Rates, costs and loads as they are believed in a round: estimates held from round to round.

The store hands out documents as they were written. The estimates are remembered, so that chance
alone does not change a problem.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from eyewall_contracts.rates import Rates
from eyewall_contracts.sample import Sample

from eyewall_sidecar.stores import Measurements, MeasurementStore
from eyewall_sidecar.storm import (
    HostHistory,
    HostLoad,
    MeasuredTopology,
    Overheads,
    Topology,
    WorkerAddress,
    hold_estimates,
    measured_topology,
    update_host,
    update_overheads,
)

REPORT_SECONDS = 30.0
"""Age from which on a host's report no longer says anything of its load."""
MISSED_REPORTS = 3.0
"""After so many of its reports a host counts as silent, where it reports more seldom than usual."""
HOST_SECONDS = 3600.0
"""For which the service remembers a host that no longer reports."""
REREAD_SECONDS = 5.0
"""After which the same document is evaluated again, as its estimates have aged."""

LOG = logging.getLogger("eyewall.measurements")


@dataclass(frozen=True, slots=True)
class Estimates:
    """What is believed in one round.

    Parameters
    ----------
    topologies
        Storm's id of a topology → its estimates; None if nothing is measured at all.
    loads
        Host → its load, where that is known.
    overheads
        Storm's id of a topology → (host, port) → cores that this worker uses in no executor.
    rates_age
        Storm's id of a topology → seconds since its rates were estimated, where they are.
    remark
        What is wrong with measurements, as a sentence for a person; empty if nothing is.
    reports
        Host → its latest report, if that is not old.
    missed
        Host → those that came between the last round and its latest, the oldest first.
    """

    topologies: Mapping[str, MeasuredTopology] | None = None
    loads: Mapping[str, HostLoad] = field(default_factory=dict)
    overheads: Mapping[str, Mapping[WorkerAddress, float]] = field(default_factory=dict)
    rates_age: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""
    reports: Mapping[str, Sample] = field(default_factory=dict, repr=False)
    missed: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict, repr=False)

    def of(self, topology: str) -> MeasuredTopology | None:
        """Return a topology's estimates; None if nothing is measured at all."""
        if self.topologies is None:
            return None
        return self.topologies.get(topology, MeasuredTopology())

    def overheads_of(self, topology: str) -> Mapping[WorkerAddress, float]:
        """Return what is known of the overheads of a topology's workers."""
        return self.overheads.get(topology, {})


@dataclass(frozen=True, slots=True)
class _TopologyEstimates:
    """A topology's document, when it was evaluated, and the result.

    `ahead` is by how many seconds the clock of the document's writer is ahead of ours.
    """

    rates: Rates | None
    ahead: float
    at: float
    measured: MeasuredTopology

    def age(self, now: float) -> float:
        """Seconds since the document was written."""
        return 0.0 if self.rates is None else max(0.0, now + self.ahead - self.rates.written)


@dataclass(frozen=True, slots=True)
class _HostReports:
    """A host's last report, when it came by our own clock, and what is known of the host."""

    sample: Sample
    came: float
    history: HostHistory | None
    overheads: Overheads

    def is_recent(self, now: float) -> bool:
        """Whether it is the last one, as far as one can tell from how often the host reports."""
        return now - self.came <= max(REPORT_SECONDS, MISSED_REPORTS * self.sample.seconds)


class EstimateTracker:
    """Reads a store of measurements, and holds the estimates; for one thread."""

    def __init__(self, store: MeasurementStore, minimum_confidence: float) -> None:
        """Read `store`; what has less confidence, from 0 to 1, is not believed."""
        self._store = store
        self._minimum = minimum_confidence
        self._topologies: dict[str, _TopologyEstimates] = {}
        self._hosts: dict[str, _HostReports] = {}
        self._remark = ""

    def read(self, topologies: Iterable[Topology]) -> Estimates:
        """Return the estimates of these topologies, and of all hosts."""
        found = self._store.read()
        self._log_remark(found.remark)
        if not found.wanted:
            return Estimates(remark=found.remark)
        self._topologies = {it.id: self._estimate(it, found) for it in topologies}
        missed = self._missed(found)
        return Estimates(
            {it: of.measured for it, of in self._topologies.items()},
            self._loads(found, missed),
            self._overheads(),
            {it: of.age(found.now) for it, of in self._topologies.items() if of.rates},
            found.remark,
            {
                host: it.sample
                for host, it in self._hosts.items()
                if host in found.hosts and it.is_recent(found.now)
            },
            missed,
        )

    def _missed(self, found: Measurements) -> dict[str, tuple[Sample, ...]]:
        """Return what hosts reported since the last round, before their latest report."""
        missed: dict[str, tuple[Sample, ...]] = {}
        for host, earlier in found.earlier.items():
            if (known := self._hosts.get(host)) is None or host not in found.hosts:
                continue
            if _is_same(known.sample, found.hosts[host]):
                continue
            seen = [_is_same(known.sample, it) for it in earlier]
            since = earlier[seen.index(True) + 1 :] if any(seen) else earlier
            if since:
                missed[host] = since
        return missed

    def _estimate(self, topology: Topology, found: Measurements) -> _TopologyEstimates:
        before = self._topologies.get(topology.id)
        rates = found.rates.get(topology.id)
        if before is None or before.rates is not rates:
            ahead = 0.0 if rates is None else max(0.0, rates.written - found.now)
        elif 0 <= found.now - before.at < REREAD_SECONDS:
            return before
        else:
            ahead = before.ahead
        known = before.measured if before is not None and before.rates is not None else None
        measured = measured_topology(rates, topology, found.now + ahead, self._minimum, known)
        if before is not None:
            measured = hold_estimates(before.measured, measured)
        return _TopologyEstimates(rates, ahead, found.now, measured)

    def _loads(
        self, found: Measurements, missed: Mapping[str, tuple[Sample, ...]]
    ) -> dict[str, HostLoad]:
        """Add the hosts' reports; return the loads of those that reported lately.

        By our own clock: a host's may be wrong by more than that.
        """
        for host, latest in found.hosts.items():
            for sample in (*missed.get(host, ()), latest):
                before = self._hosts.get(host)
                if before is None or not _is_same(before.sample, sample):
                    history = update_host(before.history if before else None, sample)
                    overheads = update_overheads(before.overheads if before else {}, sample)
                    self._hosts[host] = _HostReports(sample, found.now, history, overheads)
        self._hosts = {
            host: it for host, it in self._hosts.items() if found.now - it.came <= HOST_SECONDS
        }
        return {
            host: it.history.held
            for host, it in self._hosts.items()
            if host in found.hosts and it.history is not None and it.is_recent(found.now)
        }

    def _overheads(self) -> dict[str, dict[WorkerAddress, float]]:
        """Return the last known overhead of each worker; a host that is silent keeps its own."""
        of_topology: dict[str, dict[WorkerAddress, float]] = {}
        for host, reports in self._hosts.items():
            for (topology, port), it in reports.overheads.items():
                of_topology.setdefault(topology, {})[host, port] = it.held
        return of_topology

    def _log_remark(self, remark: str) -> None:
        if remark != self._remark:
            self._remark = remark
            LOG.warning("%s", remark or "measurements are good again")


def _is_same(known: Sample, found: Sample) -> bool:
    """Whether it is the same report: an agent that lost its session repeats its last one."""
    return (known.run, known.sequence) == (found.run, found.sequence)
