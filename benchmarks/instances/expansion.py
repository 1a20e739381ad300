"""One topology of a workload as a placement problem, executor by executor."""

from collections.abc import Iterator

from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.storm import Grouping

from benchmarks.instances.workload import ComponentStream, Topology, Workload


def problem_of(topology: Topology, workload: Workload) -> PlacementProblem:
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
        streams=tuple(pair for it in topology.streams for pair in _pairs(it, executors)),
        nodes=tuple(Node(it.id, it.cpu, it.memory) for it in workload.supervisors),
        links=workload.links,
    )


def _pairs(stream: ComponentStream, executors: dict[str, list[str]]) -> Iterator[Stream]:
    senders, receivers = executors[stream.source], executors[stream.target]
    copies = len(receivers) if stream.grouping is Grouping.ALL else 1
    rate = stream.rate * copies / len(senders) / len(receivers)
    return (Stream(sender, receiver, rate) for sender in senders for receiver in receivers)
