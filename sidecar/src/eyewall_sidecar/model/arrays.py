"""A placement problem as arrays: what compiled code and vectorised sums work on.

Operators, nodes and streams are known by their place in the problem's tuples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Self

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Places
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.model.load_model import LoadModel
from eyewall_sidecar.model.problem import Placement, PlacementProblem
from eyewall_sidecar.model.shuffles import Shuffles, shuffle_numbers
from eyewall_sidecar.model.violations import TOLERANCE


@dataclass(frozen=True, slots=True, eq=False)
class ProblemArrays:
    """One problem; every array is read-only.

    Parameters
    ----------
    requirements
        [resource, operator]: how much it needs, C_i; resources as in the problem's `resources`.
    limits
        [resource, node]: how much it holds, C_u, the tolerance of `exceeds` included, so that
        `load <= limit` is the test.
    execution_times
        [operator]: R_i, seconds at speedup 1.
    speedups
        [node]: S_u.
    node_logs
        [node]: log A_u, −∞ for 0.
    allowed
        [operator, node]: whether the node is among the operator's candidates.
    delays
        [node, node]: seconds one way.
    link_logs
        [node, node]: log A_(u,v), −∞ for 0.
    bandwidths
        [node, node]: bytes/s.
    sources, targets, rates, sizes
        [stream]: its ends, tuples/s, and bytes of a tuple, nan where unknown.
    data_rates
        [stream]: λ of T, N and EE, as `PlacementProblem.data_rate` has it.
    system
        [stream]: whether it is on no path.
    shuffles
        How tuples spread along the streams, by the placement.
    demands, demand_errors
        [operator]: cores it uses at speedup 1, and half the width of their 95 % interval.
    cores, background
        [node]: all its cores, and those that others use.
    load
        How CPU demand turns into time.
    path_order
        Operators on source–sink paths, in topological order.
    path_sources, path_targets
        The pairs of operators that paths lead along, each once, targets in topological order.
    """

    requirements: Floats
    limits: Floats
    execution_times: Floats
    speedups: Floats
    node_logs: Floats
    allowed: Flags
    delays: Matrix
    link_logs: Matrix
    bandwidths: Matrix
    sources: Places
    targets: Places
    rates: Floats
    sizes: Floats
    data_rates: Floats
    system: Flags
    shuffles: Shuffles
    demands: Floats
    demand_errors: Floats
    cores: Floats
    background: Floats
    load: LoadModel
    path_order: Places
    path_sources: Places
    path_targets: Places

    @classmethod
    def of(cls, problem: PlacementProblem) -> Self:
        """Translate a problem."""
        operators, nodes, streams = problem.operators, problem.nodes, problem.streams
        operator = {it.id: place for place, it in enumerate(operators)}
        capacities = _floats([[it.capacity(name) for it in nodes] for name in problem.resources])
        arrivals = [
            (operator[source], operator[target])
            for target, sources in problem.path_inputs.items()
            for source in sources
        ]
        sources = _places([operator[it.source] for it in streams])
        targets = _places([operator[it.target] for it in streams])
        rates = _floats([it.rate for it in streams])
        system = np.array([it.system for it in streams], dtype=np.bool_)
        path_order = _places([operator[it] for it in problem.path_inputs])
        groups = shuffle_numbers([(it.source, it.shuffle) for it in streams])
        with np.errstate(divide="ignore"):
            node_logs = np.log(_floats([it.availability for it in nodes]))
            link_logs = np.log(problem.link_matrix.availabilities)
        return cls(
            requirements=_floats(
                [[it.requirement(name) for it in operators] for name in problem.resources]
            ),
            limits=capacities + TOLERANCE * np.maximum(1.0, capacities),
            execution_times=_floats([it.execution_time for it in operators]),
            speedups=_floats([it.speedup for it in nodes]),
            node_logs=node_logs,
            allowed=_allowed(problem),
            delays=problem.link_matrix.delays,
            link_logs=link_logs,
            bandwidths=problem.link_matrix.bandwidths,
            sources=sources,
            targets=targets,
            rates=rates,
            sizes=_floats([nan if it.tuple_bytes is None else it.tuple_bytes for it in streams]),
            data_rates=_floats([problem.data_rate(it) for it in streams]),
            system=system,
            shuffles=Shuffles.of(
                sources, targets, rates, system, groups, path_order, len(operators)
            ),
            demands=_floats([it.cpu if it.demand is None else it.demand for it in operators]),
            demand_errors=_floats([it.demand_error for it in operators]),
            cores=_floats(
                [it.cpu + it.background if it.cores is None else it.cores for it in nodes]
            ),
            background=_floats([it.background for it in nodes]),
            load=problem.load,
            path_order=path_order,
            path_sources=_places([source for source, _ in arrivals]),
            path_targets=_places([target for _, target in arrivals]),
        )

    @property
    def operators(self) -> int:
        """How many operators there are."""
        return len(self.execution_times)

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.speedups)


def places_of(problem: PlacementProblem, placement: Placement) -> Places:
    """Return [operator]: the place of its node."""
    node = {it.id: place for place, it in enumerate(problem.nodes)}
    return _places([node[placement[it.id]] for it in problem.operators])


def placement_of(problem: PlacementProblem, places: Places) -> dict[str, str]:
    """Return operator id → node id for [operator]: the place of its node."""
    return {
        operator.id: problem.nodes[place].id
        for operator, place in zip(problem.operators, places.tolist(), strict=True)
    }


def _allowed(problem: PlacementProblem) -> Flags:
    node = {it.id: place for place, it in enumerate(problem.nodes)}
    allowed = np.ones((len(problem.operators), len(node)), dtype=np.bool_)
    for row, operator in zip(allowed, problem.operators, strict=True):
        if operator.candidates is not None:
            row[:] = False
            row[[node[it] for it in operator.candidates]] = True
    return allowed


def _floats(values: Sequence[float] | Sequence[Sequence[float]]) -> Floats:
    return np.array(values, dtype=np.float64)


def _places(values: Sequence[int]) -> Places:
    return np.array(values, dtype=np.int64)
