"""Transport against scipy's assignment, one row a unit and one column a place."""

from math import inf

import numpy as np
import pytest
from eyewall_sidecar.exact.transport import empty_transport, least_longest, least_sum
from eyewall_sidecar.model.array_types import Floats, Indices
from numpy.random import Generator, default_rng
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching


def drawn(rng: Generator) -> tuple[Floats, Indices, Indices]:
    """Return costs, supplies and room; some ways are closed, and room is short."""
    classes, nodes = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    costs = rng.choice([rng.random((classes, nodes)), rng.integers(0, 4, (classes, nodes)) / 1.0])
    costs = np.where(rng.random((classes, nodes)) < 0.2, inf, costs)
    return costs, rng.integers(0, 4, classes), rng.integers(0, 5, nodes)


def one_by_one(costs: Floats, supplies: Indices, room: Indices) -> Floats:
    """Return [unit, place]."""
    return np.asarray(np.repeat(np.repeat(costs, supplies, axis=0), room, axis=1))


def matched(open_ways: Floats) -> bool:
    if not open_ways.size:
        return not len(open_ways)
    found = maximum_bipartite_matching(csr_matrix(open_ways), perm_type="column")
    return bool((found >= 0).all())


@pytest.mark.parametrize("seed", range(150))
def test_the_least_sum_is_that_of_the_best_assignment(seed: int) -> None:
    costs, supplies, room = drawn(default_rng(seed))
    units = one_by_one(costs, supplies, room)
    flow = np.zeros(costs.shape, dtype=np.int64)
    on = empty_transport(*costs.shape)
    total = least_sum(on, costs, supplies, room, inf, flow)
    if not matched(np.isfinite(units).astype(float)):
        assert total == inf
        return
    rows, columns = linear_sum_assignment(np.where(np.isfinite(units), units, 1e6))
    assert total == pytest.approx(units[rows, columns].sum())
    assert total == pytest.approx(costs[flow > 0] @ flow[flow > 0])
    assert (flow.sum(axis=1) == supplies).all()
    assert (flow.sum(axis=0) <= room).all()
    assert least_sum(on, costs, supplies, room, total, flow) == inf
    assert least_sum(on, costs, supplies, room, total + 1e-6, flow) == pytest.approx(total)


@pytest.mark.parametrize("seed", range(150))
def test_the_least_longest_way_is_the_first_that_lets_all_go(seed: int) -> None:
    lengths, supplies, room = drawn(default_rng(seed))
    units = one_by_one(lengths, supplies, room)
    flow = np.zeros(lengths.shape, dtype=np.int64)
    on = empty_transport(*lengths.shape)
    longest = least_longest(on, lengths, supplies, room, 0.0, inf, flow)
    limits = [0.0, *np.unique(lengths[np.isfinite(lengths)])]
    enough = [limit for limit in limits if matched((units <= limit).astype(float))]
    assert longest == min(enough, default=inf)
    if longest < inf:
        assert (flow.sum(axis=1) == supplies).all()
        assert (flow.sum(axis=0) <= room).all()
        assert lengths[flow > 0].max(initial=0.0) <= longest
        assert least_longest(on, lengths, supplies, room, 9.0, inf, flow) == 9.0
        assert least_longest(on, lengths, supplies, room, 0.0, longest, flow) == inf or not longest
