"""A whole cluster's work, component by component: what nobody can expand pair by pair."""

from collections.abc import Sequence
from dataclasses import dataclass

from eyewall_sidecar.model import LinkMatrix
from eyewall_sidecar.storm import Grouping


@dataclass(frozen=True, slots=True)
class Component:
    """A spout or bolt; its executors are interchangeable.

    Parameters
    ----------
    id
        Its name in the topology.
    executors
        How many it has, ≥ 1.
    cpu, memory
        Cores and bytes that each of them requests.
    """

    id: str
    executors: int
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class ComponentStream:
    """A stream from all executors of one component to those of another, or of the same.

    Parameters
    ----------
    source, target
        Ids of components.
    grouping
        How tuples are spread over the target's executors.
    rate
        Tuples/s that the source's executors emit on it together. Under `all` each of them
        reaches every executor of the target, otherwise one.
    """

    source: str
    target: str
    grouping: Grouping
    rate: float


@dataclass(frozen=True, slots=True)
class Topology:
    """A topology whose streams have rates. Two components may be joined by several streams."""

    id: str
    components: tuple[Component, ...]
    streams: tuple[ComponentStream, ...]

    @property
    def executors(self) -> int:
        """Executors of all its components."""
        return sum(it.executors for it in self.components)


@dataclass(frozen=True, slots=True)
class Supervisor:
    """A supervisor: cores and bytes that it offers, and the rack it is in."""

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

    topologies: tuple[Topology, ...]
    supervisors: tuple[Supervisor, ...]
    links: LinkMatrix

    @property
    def executors(self) -> int:
        """Executors of all topologies."""
        return sum(it.executors for it in self.topologies)

    @property
    def pairs(self) -> int:
        """Pairs of executors that streams join, each stream counted: what expansion would make."""
        return sum(_pairs(it) for it in self.topologies)


def share_of(workload: Workload, topologies: Sequence[str], supervisors: Sequence[str]) -> Workload:
    """Return the part of a workload that these topologies and supervisors are, in its own order."""
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


def _pairs(topology: Topology) -> int:
    executors = {it.id: it.executors for it in topology.components}
    return sum(executors[it.source] * executors[it.target] for it in topology.streams)
