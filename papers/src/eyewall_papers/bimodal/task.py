"""A stream processing task with the topology of a path, P_J of paper 004."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Self

import numpy as np
from eyewall_sidecar.model import LinkMatrix, Operator, PlacementProblem, ProblemError, Stream
from eyewall_sidecar.model.errors import require_amount, require_unique, unknown
from eyewall_sidecar.model.limits import MOST

from eyewall_papers.bimodal.network import TwoKindNetwork, least_delays

MAX_NULL = 2
"""Nodes that may forward a stream by default."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task P_J (paper 004, sections 2.3 and 3.1), checked when it is made.

    Parameters
    ----------
    id
        Its name.
    operators
        V_J = v_0 … v_m, m ≥ 1: the stream's source, its components, its sink, with C_req as `cpu`.
        Their `candidates` stay None: who offers a service is the network's to know.
    streams
        E_J: the stream from v_i to v_(i+1) for each i < m; B_req is rate · tuple_bytes.
    services
        What each of v_1 … v_(m−1) needs of its node.
    source, sink
        Ids of the nodes that v_0 and v_m are pinned to.
    budgets
        For each stream, what the node that sends it may pay for a byte, over all its dedicated
        hops (section 2.4); infinite for each if not given.
    max_null
        The most nodes that may forward one stream, whatever the budget.
    """

    id: str
    operators: tuple[Operator, ...]
    streams: tuple[Stream, ...]
    services: tuple[str, ...]
    source: str
    sink: str
    budgets: tuple[float, ...] = ()
    max_null: int = MAX_NULL

    def __post_init__(self) -> None:
        names = [operator.id for operator in self.operators]
        if len(names) < 2:
            raise ProblemError(f"{self}: {len(names)} operators; a path has a source and a sink")
        require_unique("operator", names)
        ends = [(stream.source, stream.target) for stream in self.streams]
        if ends != list(pairwise(names)):
            raise ProblemError(f"{self}: the streams must join its operators one after the other")
        if len(self.services) != len(names) - 2:
            raise ProblemError(
                f"{self}: {len(self.services)} services for {len(names) - 2} operators between "
                "source and sink"
            )
        for stream in self.streams:
            if stream.tuple_bytes is None:
                raise ProblemError(f"{stream}: tuple_bytes is not given (unknown is not zero)")
        if not self.budgets:
            object.__setattr__(self, "budgets", (inf,) * len(self.streams))
        if len(self.budgets) != len(self.streams):
            raise ProblemError(
                f"{self}: {len(self.budgets)} budgets for {len(self.streams)} streams"
            )
        for stream, budget in zip(self.streams, self.budgets, strict=True):
            require_amount(stream, "budget", budget, MOST, unlimited=True)
        if self.max_null < 0:
            raise ProblemError(f"{self}: max_null is {self.max_null}; it must be at least 0")

    def __str__(self) -> str:
        return f"task {self.id}"

    @classmethod
    def of_services(
        cls,
        name: str,
        ends: tuple[str, str],
        services: Sequence[str],
        cpu: Sequence[float],
        bandwidths: Sequence[float],
        *,
        budgets: Sequence[float] = (),
        max_null: int = MAX_NULL,
    ) -> Self:
        """Make the task that a user of the paper's platform specifies.

        Parameters
        ----------
        name
            The task's id.
        ends
            Ids of the nodes where the stream comes from and where it is delivered; neither end
            needs cores.
        services, cpu
            [component]: what it needs of its node, and cores.
        bandwidths, budgets
            [stream], one more than components: bytes/s, and what its sender may pay for a byte.
        """
        inner = [
            Operator(f"{place} {service}", cpu=cores)
            for place, (service, cores) in enumerate(zip(services, cpu, strict=True), start=1)
        ]
        operators = (Operator("source", cpu=0.0), *inner, Operator("sink", cpu=0.0))
        streams = tuple(
            Stream(one.id, other.id, rate=needed, tuple_bytes=1.0)
            for one, other, needed in zip(operators, operators[1:], bandwidths, strict=False)
        )
        return cls(
            name, operators, streams, tuple(services), *ends, tuple(budgets), max_null=max_null
        )

    def bandwidth(self, stream: int) -> float:
        """B_req(e_i): bytes/s of the stream at that place."""
        it = self.streams[stream]
        return it.rate * (it.tuple_bytes or 0.0)

    def candidates(self, operator: int, network: TwoKindNetwork) -> tuple[str, ...]:
        """Ids of the nodes that may hold the operator at that place."""
        if operator == 0:
            return (self.source,)
        if operator == len(self.operators) - 1:
            return (self.sink,)
        return network.providers(self.services[operator - 1])

    def problem(self, network: TwoKindNetwork) -> PlacementProblem:
        """Return the placement problem without routes.

        Nodes have their whole capacity, and the delay between two is the least that links of
        either kind give: LONGEST where none lead from one to the other.
        """
        for node in (self.source, self.sink):
            if node not in network.uplinks:
                raise ProblemError(f"{self}: {unknown('node', node, network.uplinks)}")
        names = tuple(node.id for node in network.nodes)
        return PlacementProblem(
            operators=tuple(
                replace(operator, candidates=self.candidates(place, network))
                for place, operator in enumerate(self.operators)
            ),
            streams=self.streams,
            nodes=network.nodes,
            links=LinkMatrix.from_delays(names, np.array(least_delays(network))),
        )
