import numpy as np
from eyewall_sidecar.exact.instance import (
    COUNT_ON,
    RATE_BACK,
    RATE_ON,
    Pairs,
    branching_order,
    merge_pairs,
)
from eyewall_sidecar.model.array_types import Indices


def pairs_of(firsts: Indices, seconds: Indices) -> Pairs:
    return Pairs(firsts, seconds, np.ones((len(firsts), 6)))


def test_what_is_between_two_operators_is_merged_whichever_comes_first() -> None:
    # 0 → 1 twice with 5/s and 2/s, 1 → 0 with 3/s; 2 → 2 never leaves its node;
    # 1 → 2 carries nothing.
    amounts = np.zeros((5, 6))
    amounts[:, RATE_ON] = [5.0, 3.0, 2.0, 9.0, 0.0]
    amounts[:3, COUNT_ON] = 1.0
    pairs = merge_pairs(np.array([0, 1, 0, 2, 1]), np.array([1, 0, 1, 2, 2]), amounts)
    assert pairs.firsts.tolist() == [0]
    assert pairs.seconds.tolist() == [1]
    assert pairs.amounts[0, [RATE_ON, RATE_BACK]].tolist() == [7.0, 3.0]


def test_operators_come_as_data_flows_then_those_on_no_path() -> None:
    # 5 and 8 are on no path.
    flow = np.array([6, 4, 3, 2, 1, 0, 7])
    assert branching_order(9, flow).tolist() == [6, 4, 3, 2, 1, 0, 7, 5, 8]
