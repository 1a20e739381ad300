"""The optimum by trying every placement: what exact engines are held against on small problems.

Shares nothing with them but the problem's arrays and the definition of the costs.
"""

import numpy as np
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.violations import TOLERANCE
from eyewall_sidecar.objectives.costs import Costs, cost
from numpy.typing import NDArray

MOST_PLACEMENTS = 2_000_000


def brute_force(arrays: ProblemArrays, costs: Costs) -> Finding:
    """Return the placement of least cost, the first of equals; one of infinite cost is none."""
    tried = every_placement(arrays)
    valid = tried[fits(arrays, tried) & carried(arrays, tried)]
    values = costs_of(arrays, costs, valid)
    best = int(np.argmin(values)) if len(values) else 0
    if not len(values) or np.isinf(values[best]):
        return Finding(Outcome.INFEASIBLE, bound=np.inf, steps=len(tried))
    value = cost(arrays, costs, valid[best])
    return Finding(Outcome.OPTIMAL, valid[best], value, value, len(tried))


def every_placement(arrays: ProblemArrays) -> Places:
    """Return [placement, operator]: every choice among the candidates."""
    choices = [np.flatnonzero(row) for row in arrays.allowed]
    count = np.prod([float(len(it)) for it in choices])
    if count > MOST_PLACEMENTS:
        raise ValueError(f"{count:g} placements are too many to try")
    if not choices:
        return np.zeros((1, 0), dtype=np.int64)
    grids = np.meshgrid(*choices, indexing="ij")
    return np.stack([it.ravel() for it in grids], axis=1)


def fits(arrays: ProblemArrays, tried: Places) -> NDArray[np.bool_]:
    """Return [placement]: whether no node holds more than it can."""
    good = np.ones(len(tried), dtype=np.bool_)
    for node in range(arrays.nodes):
        loads = (tried == node).astype(np.float64) @ arrays.requirements.T
        good &= (loads <= arrays.limits[:, node]).all(axis=1)
    return good


def carried(arrays: ProblemArrays, tried: Places) -> NDArray[np.bool_]:
    """Return [placement]: whether no link carries more than it can."""
    good = np.ones(len(tried), dtype=np.bool_)
    at, to = tried[:, arrays.sources], tried[:, arrays.targets]
    loads = arrays.rates * np.nan_to_num(arrays.sizes)
    for u, v in np.argwhere(np.isfinite(arrays.bandwidths)).tolist():
        limit = arrays.bandwidths[u, v]
        load = ((at == u) & (to == v)) @ loads
        good &= load <= limit + TOLERANCE * max(1.0, limit)
    return good


def costs_of(arrays: ProblemArrays, costs: Costs, tried: Places) -> Floats:
    """Return [placement]: what `objectives.costs.cost` says of each."""
    total = costs.per_operator[tried].sum(axis=1)
    for source, target, rate in zip(arrays.sources, arrays.targets, costs.data_rates, strict=True):
        pairs = tried[:, source], tried[:, target]
        total += rate * costs.per_rate[pairs] + costs.per_stream[pairs]
    if costs.response:
        total += costs.response * _longest_paths(arrays, tried)
    return np.asarray(total, dtype=np.float64)


def _longest_paths(arrays: ProblemArrays, tried: Places) -> Floats:
    work = arrays.execution_times / arrays.speedups[tried]
    done = work.copy()
    for source, target in zip(arrays.path_sources, arrays.path_targets, strict=True):
        hop = arrays.delays[tried[:, source], tried[:, target]]
        arrived = done[:, source] + hop + work[:, target]
        done[:, target] = np.maximum(done[:, target], arrived)
    return np.asarray(done[:, arrays.path_order].max(axis=1, initial=0.0), dtype=np.float64)
