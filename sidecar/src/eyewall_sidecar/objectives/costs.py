"""Any mix of terms as one cost to minimise: a part along paths, and parts that add up.

All that compiled engines know of an objective. The terms' formulas are those of their own files;
A enters as −log A (paper 000, equation 8), which is 0 for what never fails.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objective import Term


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """response · R + Σ_i per_operator[x_i] + Σ_(i,j) λ · per_rate[x_i, x_j] + per_stream[...].

    Parameters
    ----------
    response
        What a second of response time costs.
    per_operator
        [node]: what each operator on it costs; infinite where availability 0 is forbidden.
    per_rate
        [node, node]: what a data rate of 1 between the two costs; 0 on the diagonal.
    per_stream
        [node, node]: what each stream between the two costs, whatever its rate; 0 on the diagonal;
        infinite where availability 0 is forbidden.
    data_rates
        [stream]: λ, in bytes/s or tuples/s.
    """

    response: float
    per_operator: Floats
    per_rate: Matrix
    per_stream: Matrix
    data_rates: Floats

    @property
    def additive(self) -> bool:
        """Whether anything but the response time costs."""
        return bool(self.per_operator.any() or self.per_rate.any() or self.per_stream.any())


def weigh(arrays: ProblemArrays, weights: Mapping[Term, float]) -> Costs:
    """Return the costs of weighted terms.

    Parameters
    ----------
    weights
        Term → what one of its units costs, ≥ 0: R by the second, A by the unit of −log A, T by
        the tuple/s, N by the tuple, EE by the tuple · s, or bytes instead of tuples where
        `ProblemArrays.data_rates` has them. A with weight 0 forbids nodes and links
        of availability 0 and costs nothing.
    """
    nodes = arrays.nodes
    per_rate = (
        weights.get(Term.N, 0.0) * arrays.delays + weights.get(Term.EE, 0.0) * arrays.delays**2
    )
    if apart := weights.get(Term.T, 0.0):
        per_rate = per_rate + apart * (1.0 - np.eye(nodes))
    per_operator, per_stream = np.zeros(nodes), np.zeros((nodes, nodes))
    if Term.A in weights:
        per_operator = _unavailability(arrays.node_logs, weights[Term.A])
        per_stream = _unavailability(arrays.link_logs, weights[Term.A])
    return Costs(weights.get(Term.R, 0.0), per_operator, per_rate, per_stream, arrays.data_rates)


def cost(arrays: ProblemArrays, costs: Costs, places: Places) -> float:
    """Value a placement; the reference that every compiled engine is held against."""
    at, to = places[arrays.sources], places[arrays.targets]
    total = float(
        costs.per_operator[places].sum()
        + costs.data_rates @ costs.per_rate[at, to]
        + costs.per_stream[at, to].sum()
    )
    if costs.response:
        total += costs.response * longest_path(arrays, places)
    return total


def longest_path(arrays: ProblemArrays, places: Places) -> float:
    """Return R in seconds, as `response_time` does, from arrays (paper 000, equations 1 to 4)."""
    work = arrays.execution_times / arrays.speedups[places]
    hops = arrays.delays[places[arrays.path_sources], places[arrays.path_targets]]
    arrival = np.zeros(arrays.operators)
    done = work.copy()
    for source, target, hop in zip(
        arrays.path_sources.tolist(), arrays.path_targets.tolist(), hops.tolist(), strict=True
    ):
        arrival[target] = max(arrival[target], done[source] + hop)
        done[target] = arrival[target] + work[target]
    return float(done[arrays.path_order].max(initial=0.0))


def _unavailability(logs: Floats, weight: float) -> Floats:
    costs = np.where(np.isinf(logs), inf, 0.0)
    return costs - weight * np.where(np.isinf(logs), 0.0, logs) if weight else costs
