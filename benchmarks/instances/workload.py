"""A whole cluster's work by component, since its pairs of executors are too many to list."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.storm import Grouping


@dataclass(frozen=True, slots=True)
class WorkloadComponent:
    """A spout or bolt; its executors are interchangeable.

    Parameters
    ----------
    id
        Its name in the topology.
    executors
        Their number, ≥ 1.
    cpu, memory
        Cores and bytes that each of them requests.
    """

    id: str
    executors: int
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class WorkloadStream:
    """A stream from all executors of one component to those of another, or of the same.

    Parameters
    ----------
    source, target
        Ids of components.
    grouping
        The distribution of tuples over the target's executors.
    rate
        Tuples/s that the source's executors emit on it together. Under `all` each of them
        reaches every executor of the target, otherwise one.
    """

    source: str
    target: str
    grouping: Grouping
    rate: float


@dataclass(frozen=True, slots=True)
class WorkloadTopology:
    """A topology whose streams have rates. Two components may have several streams."""

    id: str
    components: tuple[WorkloadComponent, ...]
    streams: tuple[WorkloadStream, ...]

    @property
    def executors(self) -> int:
        """Executors of all its components."""
        return sum(it.executors for it in self.components)


@dataclass(frozen=True, slots=True)
class WorkloadSupervisor:
    """A supervisor: the cores and bytes that it offers, and its rack."""

    id: str
    cpu: float
    memory: float
    rack: str


@dataclass(frozen=True, slots=True)
class Workload:
    """Topologies, the supervisors they share, and the links between those.

    Parameters
    ----------
    links
        Its nodes are the supervisors' ids, in the same order.
    """

    topologies: tuple[WorkloadTopology, ...]
    supervisors: tuple[WorkloadSupervisor, ...]
    links: LinkMatrix

    @property
    def executors(self) -> int:
        """Executors of all topologies."""
        return sum(it.executors for it in self.topologies)

    @property
    def pairs(self) -> int:
        """Streams between executors in the expanded problem of every topology."""
        return sum(_count_pairs(it) for it in self.topologies)


def share_of(workload: Workload, topologies: Sequence[str], supervisors: Sequence[str]) -> Workload:
    """Return the workload of these topologies and supervisors alone, in the same order."""
    wanted, hosts = frozenset(topologies), frozenset(supervisors)
    places = [place for place, it in enumerate(workload.supervisors) if it.id in hosts]
    kept = tuple(workload.supervisors[place] for place in places)
    return Workload(
        tuple(it for it in workload.topologies if it.id in wanted),
        kept,
        LinkMatrix.from_delays(
            [it.id for it in kept],
            workload.links.delays[places][:, places],
        ),
    )


def expand(topology: WorkloadTopology, workload: Workload) -> PlacementProblem:
    """Return the problem of placing the topology alone on all supervisors of the workload.

    Executors are `component#number`; each stream between components is one between every pair of
    their executors: rate/(n · m) tuples/s, under `all` rate/n.
    """
    executors = {
        it.id: [f"{it.id}#{number}" for number in range(1, it.executors + 1)]
        for it in topology.components
    }
    return PlacementProblem(
        operators=tuple(
            Operator(name, it.cpu, it.memory)
            for it in topology.components
            for name in executors[it.id]
        ),
        streams=tuple(pair for it in topology.streams for pair in _expand(it, executors)),
        nodes=tuple(Node(it.id, it.cpu, it.memory) for it in workload.supervisors),
        links=workload.links,
    )


def _expand(stream: WorkloadStream, executors: dict[str, list[str]]) -> Iterator[Stream]:
    senders, receivers = executors[stream.source], executors[stream.target]
    copies = len(receivers) if stream.grouping is Grouping.ALL else 1
    rate = stream.rate * copies / len(senders) / len(receivers)
    return (Stream(sender, receiver, rate) for sender in senders for receiver in receivers)


def _count_pairs(topology: WorkloadTopology) -> int:
    executors = {it.id: it.executors for it in topology.components}
    return sum(executors[it.source] * executors[it.target] for it in topology.streams)
