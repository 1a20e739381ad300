from itertools import product
from math import inf

import numpy as np
import pytest
from eyewall_sidecar.exact.bounds.assignment import assign, empty_assignment
from numpy.random import default_rng


@pytest.mark.parametrize("seed", range(100))
def test_it_is_the_least_of_all_assignments_and_its_prices_prove_it(seed: int) -> None:
    rng = default_rng(seed)
    rows, nodes = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    costs = rng.integers(0, 8, (rows, nodes)).astype(float)
    costs[rng.random((rows, nodes)) < 0.2] = inf
    room = rng.integers(0, 4, nodes)
    to = empty_assignment(rows, nodes)
    to.costs[:] = costs
    sums = [
        costs[np.arange(rows), seats].sum()
        for seats in product(range(nodes), repeat=rows)
        if (np.bincount(seats, minlength=nodes) <= room).all()
    ]
    least = assign(to, rows, room)
    assert least == min(sums, default=inf)
    if least < inf:
        assert costs[np.arange(rows), to.seats].sum() == least
        assert (to.prices >= 0).all()
        # Weak duality holds with equality: the prices prove the optimum.
        assert (costs + to.prices).min(axis=1).sum() - to.prices @ room == pytest.approx(least)


def test_an_operator_moves_on_to_make_room_for_one_who_cannot() -> None:
    # Both want n0, which holds one; the first can move on for 1, the second only for 9.
    to = empty_assignment(2, 2)
    to.costs[:] = [[0.0, 1.0], [0.0, 9.0]]
    assert assign(to, 2, np.array([1, 1])) == 1.0
    assert to.seats.tolist() == [1, 0]
    assert to.prices.tolist() == [1.0, 0.0]
