"""The placement problem: an application, the nodes it may run on, and where it runs now."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from eyewall_contracts.objective_terms import DataUnit

from eyewall_sidecar.model.application import Operator, Stream
from eyewall_sidecar.model.errors import ProblemError, listed, require_unique, unknown
from eyewall_sidecar.model.generic_resources import RESOURCES
from eyewall_sidecar.model.links import LinkMatrix
from eyewall_sidecar.model.load_model import LoadModel
from eyewall_sidecar.model.path_order import path_order
from eyewall_sidecar.model.resources import LOOP, Link, Node

Placement = Mapping[str, str]
"""Operator id → node id."""


@dataclass(frozen=True, slots=True)
class PlacementProblem:
    """One problem, checked when it is made.

    Parameters
    ----------
    operators, streams, nodes
        Ids are unique; streams and candidates name what exists. There is at least one node;
        without operators, the placement is empty.
    links
        (u, v) → link, one for each ordered pair of different nodes; kept as a `LinkMatrix`.
    current
        Where operators run now; those missing from it run nowhere yet.
    load
        How CPU demand turns into time, for the terms L and THETA.
    """

    operators: tuple[Operator, ...]
    streams: tuple[Stream, ...]
    nodes: tuple[Node, ...]
    links: Mapping[tuple[str, str], Link]
    current: Placement | None = None
    load: LoadModel = field(default_factory=LoadModel)
    _operators: Mapping[str, Operator] = field(init=False, repr=False, compare=False)
    _nodes: Mapping[str, Node] = field(init=False, repr=False, compare=False)
    resources: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """What capacity is counted in: `RESOURCES`, then the generic ones that operators need."""
    link_matrix: LinkMatrix = field(init=False, repr=False, compare=False)
    data_unit: DataUnit = field(init=False, repr=False, compare=False)
    """What `data_rate` counts: bytes where the size of every stream's tuples is known."""
    path_inputs: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    """The operators on source–sink paths in topological order, each with those just before it.

    System streams are on no path, and cycles are broken (see `path_order`).
    """

    def __post_init__(self) -> None:
        if not self.nodes:
            raise ProblemError("the problem has no nodes; it needs at least one")
        require_unique("operator", [operator.id for operator in self.operators])
        require_unique("node", [node.id for node in self.nodes])
        object.__setattr__(self, "_operators", {it.id: it for it in self.operators})
        object.__setattr__(self, "_nodes", {it.id: it for it in self.nodes})
        generic = sorted({name for it in self.operators for name, need in it.generic if need})
        object.__setattr__(self, "resources", (*RESOURCES, *generic))
        _require_names(self)
        links = LinkMatrix.of(tuple(self._nodes), self.links)
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "link_matrix", links)
        _require_sizes(self)
        sized = self.streams and all(it.tuple_bytes is not None for it in self.streams)
        unit = DataUnit.BYTES if sized else DataUnit.TUPLES
        object.__setattr__(self, "data_unit", unit)
        object.__setattr__(self, "path_inputs", _path_inputs(self))

    def operator(self, operator: str) -> Operator:
        """Return the operator of that id."""
        return self._operators[operator]

    def node(self, node: str) -> Node:
        """Return the node of that id."""
        return self._nodes[node]

    def candidates(self, operator: str) -> tuple[str, ...]:
        """Ids of the nodes that may hold the operator (V_res^i)."""
        named = self._operators[operator].candidates
        return tuple(self._nodes) if named is None else named

    def link(self, source: str, target: str) -> Link:
        """Return the link from one node to another; a node's link to itself is perfect."""
        return LOOP if source == target else self.links[source, target]

    def delay(self, source: str, target: str) -> float:
        """One-way delay in seconds, d_(u,v)."""
        return self.link_matrix.delay(source, target)

    def availability(self, source: str, target: str) -> float:
        """Availability of the link, A_(u,v)."""
        return self.link_matrix.availability(source, target)

    def bandwidth(self, source: str, target: str) -> float:
        """Bytes/s that the link carries, B_(u,v)."""
        return self.link_matrix.bandwidth(source, target)

    def data_rate(self, stream: Stream) -> float:
        """λ of the terms T, N and EE, by the second, in `data_unit`.

        Paper 000 calls it the average data rate and holds it against bandwidths (equation 17), so
        it is bytes/s. Tuples take their place while a size is unknown: unknown is not zero.
        """
        by_size = self.data_unit is DataUnit.BYTES
        return stream.rate * (stream.tuple_bytes or 0.0) if by_size else stream.rate

    def moves(self, placement: Placement) -> int:
        """How many operators that run now would run elsewhere."""
        current = self.current or {}
        return sum(placement[operator] != node for operator, node in current.items())


def _require_names(problem: PlacementProblem) -> None:
    operators = {operator.id: None for operator in problem.operators}
    nodes = {node.id: None for node in problem.nodes}
    for stream in problem.streams:
        _require_known(stream, "operator", (stream.source, stream.target), operators)
    for operator in problem.operators:
        owner = f"candidates of operator {operator.id}"
        _require_known(owner, "node", operator.candidates or (), nodes)
        _require_distinct(owner, operator.candidates or ())
    for name, node in (problem.current or {}).items():
        _require_known("current", "operator", [name], operators)
        _require_known(f"current node of operator {name}", "node", [node], nodes)


def _require_known(owner: object, kind: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise ProblemError(f"{owner}: {unknown(kind, name, known)}")


def _require_distinct(owner: str, names: Collection[str]) -> None:
    if len(set(names)) < len(names):
        raise ProblemError(f"{owner}: {listed(names)} names a node twice")


def _require_sizes(problem: PlacementProblem) -> None:
    limited = np.argwhere(np.isfinite(problem.link_matrix.bandwidths))
    unsized = [stream for stream in problem.streams if stream.tuple_bytes is None]
    if len(limited) and unsized:
        source, target = (problem.nodes[place].id for place in limited[0])
        raise ProblemError(
            f"{unsized[0]}: tuple_bytes is not given, but the bandwidth from {source} to {target} "
            "is limited; give tuple_bytes for every stream (unknown is not zero)"
        )


def _path_inputs(problem: PlacementProblem) -> dict[str, tuple[str, ...]]:
    on_paths = {(it.source, it.target): None for it in problem.streams if not it.system}
    touched = {name for stream in problem.streams for name in (stream.source, stream.target)}
    on_path = {name for pair in on_paths for name in pair}
    vertices = [it.id for it in problem.operators if it.id in on_path or it.id not in touched]
    position = {name: place for place, name in enumerate(path_order(vertices, on_paths))}
    inputs: dict[str, list[str]] = {name: [] for name in position}
    for source, target in on_paths:
        if position[source] < position[target]:
            inputs[target].append(source)
    return {name: tuple(sources) for name, sources in inputs.items()}
