"""The problem of one topology, what it is made from, and the way back to Storm's names."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.messages import Message
from eyewall_sidecar.model import Placement, PlacementProblem
from eyewall_sidecar.storm.cluster import Executor
from eyewall_sidecar.storm.delay_table import DelayTable
from eyewall_sidecar.storm.host_load import HostLoad
from eyewall_sidecar.storm.known_delays import KnownDelays, KnownDelaysCache
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology
from eyewall_sidecar.storm.wait_fit import UNFITTED, WaitFit
from eyewall_sidecar.storm.worker_overhead import USUAL_COST, CrossingCost, WorkerAddress
from eyewall_sidecar.storm.worker_packing import Traffic


@dataclass(frozen=True, slots=True)
class Signals:
    """All that a problem depends on in addition to cluster, topology and settings.

    Parameters
    ----------
    delays
        Between hosts, one way.
    measured
        Rates and costs of the topology; None where nothing is measured at all, so that what is
        declared or assumed has to do.
    loads
        Host → its load, as far as it is known.
    overheads
        (host, port) → cores that the topology's worker there uses in no executor.
    crossing_cost
        What its workers and crossings cost by what was measured before.
    waits
        How long tuples wait for CPU.
    known_delays
        Shared by the problems of all topologies.
    """

    delays: DelayTable
    measured: MeasuredTopology | None = None
    loads: Mapping[str, HostLoad] = field(default_factory=dict)
    overheads: Mapping[WorkerAddress, float] = field(default_factory=dict)
    crossing_cost: CrossingCost = USUAL_COST
    waits: WaitFit = UNFITTED
    known_delays: KnownDelaysCache = field(default_factory=KnownDelaysCache)


@dataclass(frozen=True, slots=True)
class TopologyProblem:
    """A problem and the way back to Storm's names.

    Parameters
    ----------
    problem
        What a policy is asked.
    executors
        Operator id → executor.
    supervisors
        Node id → supervisor id.
    known
        The delays between the hosts.
    assumptions
        What was assumed.
    delays_assumed
        Which delays are unknown, or known too little to move by, and have a substitute; empty if
        none has.
    rates_unknown
        Which rates should be measured and are not; None if all are, or if nothing is measured.
    loads_unknown
        Which hosts that it runs on report no load, though CPU is measured; None if all do.
    cpu_measured
        Whether what operators need and nodes have of CPU was measured; else it is as declared.
    interchangeable
        Operator ids, component by component.
    """

    problem: PlacementProblem
    executors: Mapping[str, Executor]
    supervisors: Mapping[str, str]
    known: KnownDelays = field(compare=False, repr=False)
    assumptions: tuple[Message | str, ...] = ()
    delays_assumed: str = ""
    rates_unknown: Message | None = None
    loads_unknown: Message | None = None
    cpu_measured: bool = False
    interchangeable: tuple[tuple[str, ...], ...] = ()

    def on_supervisors(self, placement: Placement) -> dict[Executor, str]:
        """Executor → supervisor id."""
        return {self.executors[it]: self.supervisors[node] for it, node in placement.items()}

    def traffic(self) -> Traffic:
        """Return what executors exchange, acks included."""
        rates: defaultdict[tuple[Executor, Executor], float] = defaultdict(float)
        for it in self.problem.streams:
            rates[self.executors[it.source], self.executors[it.target]] += it.rate
        return dict(rates)
