"""What streams cost at least that lead between nodes, by what can be on one node together.

Operators of a kind need the same and have the same streams, so that a set S on one node is told by
how many of each kind are in it. With cut(S) what leaves S, w any additive weight of operators, and

    g(s)  =  min { cut(S) : w(S) = s, some node could hold S in each resource },

each placement parts the operators into sets with weights that add up to w of all, and each stream
between two nodes leaves two sets, so that it costs at least

    d · min { Σ_k g(s_k) / 2  :  Σ_k s_k = w(all) },    d the least cost between two nodes.
"""

from math import inf

import numpy as np

from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.links import Matrix

MOST_SETS = 100_000
"""Above this, sets are not listed."""

MOST_WEIGHT = 2_000


def least_parts(joined: Matrix, requirements: Floats, limits: Floats, least: float) -> float:
    """Return what is paid at least; 0 where there are too many kinds.

    Parameters
    ----------
    joined
        [operator, operator]: what both have in common, symmetric, 0 on the diagonal.
    requirements, limits
        [resource, operator] and [resource, node].
    least
        What one of it costs at least between two nodes.
    """
    rows = np.hstack((requirements.T, joined))
    _, first, sizes = np.unique(rows, axis=0, return_index=True, return_counts=True)
    if np.prod(sizes + 1.0) > MOST_SETS or not len(sizes):
        return 0.0
    between, needs = joined[np.ix_(first, first)], requirements[:, first]
    sets = np.indices(tuple(sizes + 1)).reshape(len(sizes), -1).T
    largest = limits.max(axis=1, initial=0.0)
    sets = sets[(sets @ needs.T <= largest).all(axis=1)]
    cuts = ((sets @ between) * (sizes - sets)).sum(axis=1)
    bound = 0.0
    for need in needs:
        if (need > 0).any():
            weights = np.floor(need / need[need > 0].min() + 1e-9).astype(np.int64)
            if weights @ sizes <= MOST_WEIGHT:
                bound = max(bound, _cheapest(sets @ weights, cuts, int(weights @ sizes)))
    return least * bound


def _cheapest(weights: Places, cuts: Floats, total: int) -> float:
    """Return the least half sum of cuts of sets whose weights add up; 0 where none do."""
    g = np.full(total + 1, inf)
    np.minimum.at(g, weights, cuts / 2)
    best = np.full(total + 1, inf)
    best[0] = 0.0
    for weight in range(1, total + 1):
        best[weight] = (best[:weight][::-1] + g[1 : weight + 1]).min()
    return float(best[total]) if best[total] < inf else 0.0
