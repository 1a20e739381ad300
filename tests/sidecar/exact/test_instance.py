import numpy as np
from eyewall_sidecar.exact.instance import (
    COUNT_ON,
    RATE_BACK,
    RATE_ON,
    Pairs,
    branching_order,
    merge_pairs,
)
from eyewall_sidecar.model.arrays import Indices


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


def test_hubs_come_first_then_the_flow_then_who_is_on_no_path() -> None:
    # A source 6 and a sink 7 with five operators between them; 8 is on no path.
    middle = np.arange(5)
    firsts = np.concatenate((np.full(5, 6), middle))
    seconds = np.concatenate((middle, np.full(5, 7)))
    flow = np.array([6, 4, 3, 2, 1, 0, 7])
    order = branching_order(9, flow, pairs_of(firsts, seconds))
    assert order.tolist() == [6, 7, 4, 3, 2, 1, 0, 5, 8]


def test_where_most_are_hubs_data_flow_decides() -> None:
    # Three layers of five, fully connected: everyone has five neighbours or ten.
    firsts = np.concatenate((np.repeat(np.arange(5), 5), np.repeat(np.arange(5, 10), 5)))
    seconds = np.concatenate((np.tile(np.arange(5, 10), 5), np.tile(np.arange(10, 15), 5)))
    flow = np.arange(15)
    assert branching_order(15, flow, pairs_of(firsts, seconds)).tolist() == flow.tolist()
