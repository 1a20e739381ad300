from itertools import product

import numpy as np
import pytest
from eyewall_sidecar.model.array_types import Floats, Places
from numpy.random import Generator, default_rng

from benchmarks.large.bound import least_usage
from benchmarks.large.cluster_placement import PlacementRound, place_all
from benchmarks.large.exchange import trade
from benchmarks.large.groups import GroupedTopology, Racks, usage
from benchmarks.large.node_fill import fill_evenly, fill_in_order, improve_group


def group_topology(
    sizes: list[int], streams: list[tuple[int, int, float]], needs: float = 1.0
) -> GroupedTopology:
    return GroupedTopology(
        np.array(sizes),
        np.full((2, len(sizes)), needs),
        np.array([it[0] for it in streams], dtype=np.int64),
        np.array([it[1] for it in streams], dtype=np.int64),
        np.array([it[2] for it in streams], dtype=np.float64),
    )


def racks(cores: list[list[float]], between: float = 0.1, within: float = 0.001) -> Racks:
    per_tuple = np.full((len(cores), len(cores)), between)
    np.fill_diagonal(per_tuple, within)
    place = [number for number, it in enumerate(cores) for _ in it]
    one = [it for row in cores for it in row]
    return Racks(np.array([one, one]), np.array(place), per_tuple)


def random_topology(rng: Generator) -> GroupedTopology:
    groups = int(rng.integers(1, 5))
    streams = int(rng.integers(0, 6))
    return GroupedTopology(
        rng.integers(1, 9, groups),
        rng.choice([0.5, 1.0, 1.5, 0.0], (2, groups)),
        rng.integers(0, groups, streams),
        rng.integers(0, groups, streams),
        rng.uniform(1, 100, streams),
    )


def random_racks(rng: Generator) -> Racks:
    count = int(rng.integers(1, 4))
    per_tuple = rng.uniform(0.005, 0.1, (count, count))
    np.fill_diagonal(per_tuple, 0.0002)
    rack = np.sort(rng.integers(0, count, int(rng.integers(count, 9))))
    return Racks(rng.choice([4.0, 5.0, 6.5], (2, len(rack))), rack, per_tuple)


def loads(grouped: list[GroupedTopology], found: PlacementRound) -> Floats:
    total = np.zeros((2, 1))
    for it, counts in zip(grouped, found.counts, strict=True):
        if counts is not None:
            total = total + it.requirements @ counts
    return total


def test_what_fits_on_a_node_goes_to_the_one_it_fills_best() -> None:
    # Five cores fit on 8, 6 and 5.5; the last is left with least, and nothing is sent anywhere.
    found = place_all([group_topology([2, 3], [(0, 1, 9.0)])], racks([[8, 6], [5.5, 4]]))
    assert found.costs == (0.0,)
    assert found.counts[0] is not None
    assert found.counts[0][:, 2].tolist() == [2, 3]


def test_what_fits_in_a_rack_stays_in_one() -> None:
    # Eight executors on nodes of four: two nodes of a rack, half of each group on each.
    # Half of the traffic is between nodes: 100/s · 0.5 · 1 ms = 0.05.
    found = place_all([group_topology([4, 4], [(0, 1, 100.0)])], racks([[4], [4, 4], [4]]))
    assert found.costs[0] == pytest.approx(0.05)
    assert found.counts[0] is not None
    assert found.counts[0][:, [0, 3]].sum() == 0


def test_what_no_rack_holds_spreads_to_the_nearest() -> None:
    # Eight executors, four in each rack; racks 0 and 2 are 10 ms apart, all others 100 ms.
    hosts = racks([[4], [4], [4]])
    hosts.per_tuple[0, 2] = hosts.per_tuple[2, 0] = 0.010
    found = place_all([group_topology([4, 4], [(0, 1, 100.0)])], hosts)
    assert found.counts[0] is not None
    assert found.counts[0].sum(axis=0).tolist() == [4, 0, 4]


def test_a_topology_without_room_is_left_out_and_the_others_are_placed() -> None:
    found = place_all([group_topology([9], []), group_topology([2], [])], racks([[4, 4]]))
    assert found.counts[0] is None
    assert found.costs == (np.inf, 0.0)


def test_no_node_is_overloaded_and_no_executor_is_lost() -> None:
    # 60 random clusters, shared by up to four topologies.
    for seed in range(60):
        rng = default_rng(seed)
        hosts = random_racks(rng)
        grouped = [random_topology(rng) for _ in range(int(rng.integers(1, 5)))]
        found = place_all(grouped, hosts)
        assert np.all(loads(grouped, found) <= hosts.limits * (1 + 1e-9) + 1e-9)
        for it, counts, cost in zip(grouped, found.counts, found.costs, strict=True):
            if counts is not None:
                assert counts.sum(axis=1).tolist() == it.sizes.tolist()
                assert counts.min() >= 0
                assert cost == pytest.approx(usage(it, hosts, counts))


def test_no_placement_is_below_the_bound() -> None:
    # Every way to split up to three groups of up to three executors over up to three nodes.
    checked = tight = 0
    for seed in range(40):
        rng = default_rng(seed)
        groups = int(rng.integers(1, 4))
        sizes = rng.integers(1, 4, groups)
        sources, targets = rng.integers(0, groups, (2, 3))
        needs = rng.choice([1.0, 2.0], (1, groups))
        it = GroupedTopology(sizes, needs, sources, targets, rng.uniform(1, 9, 3))
        per_tuple = np.array([[0.001, 0.02], [0.03, 0.001]])
        hosts = Racks(rng.choice([3.0, 4.0], (1, 3)), np.array([0, 0, 1]), per_tuple)
        splits = [
            [split for split in product(range(4), repeat=3) if sum(split) == size]
            for size in sizes.tolist()
        ]
        every = [np.array(counts) for counts in product(*splits)]
        values = [
            usage(it, hosts, counts)
            for counts in every
            if np.all(it.requirements @ counts <= hosts.limits)
        ]
        if values:
            bound = least_usage(it, hosts)
            assert bound <= min(values) + 1e-12
            checked += 1
            tight += bound > 0.3 * min(values) > 0
    # A bound that is always 0 would hold too.
    assert checked > 20
    assert tight > 5


def test_an_even_fill_has_the_same_mix_on_every_node() -> None:
    # 2 and 6 executors on two nodes of four: one and three on each.
    it = group_topology([2, 6], [])
    whole, counts = fill_evenly(it.sizes, it.requirements, np.full((2, 2), 4.0), np.array([0, 1]))
    assert whole
    assert counts.tolist() == [[1, 1], [3, 3]]


def test_a_fill_in_order_keeps_groups_together() -> None:
    it = group_topology([3, 4, 1], [])
    order, nodes = np.array([0, 2, 1]), np.array([1, 0])
    whole, counts = fill_in_order(it.sizes, it.requirements, np.full((2, 2), 4.0), nodes, order)
    assert whole
    assert counts.tolist() == [[0, 3], [4, 0], [0, 1]]


def settled(it: GroupedTopology, hosts: Racks, counts: Places, group: int) -> tuple[bool, Floats]:
    left = hosts.limits - it.requirements @ counts
    helped = improve_group(
        group,
        counts,
        it.sizes,
        it.requirements,
        left,
        hosts.rack,
        hosts.per_tuple,
        it.sources,
        it.targets,
        it.rates,
    )
    return helped, left


def test_a_group_settles_where_the_others_make_it_cheapest() -> None:
    # b is on n1; a, on n2 in another rack, joins it as far as there is room, the rest next door.
    it, hosts = group_topology([3, 2], [(0, 1, 6.0)]), racks([[9, 4], [9]])
    counts = np.array([[0, 0, 3], [0, 2, 0]])
    helped, left = settled(it, hosts, counts, 0)
    assert helped
    assert counts.tolist() == [[1, 2, 0], [0, 2, 0]]
    assert left[0].tolist() == [8, 0, 9]
    assert not settled(it, hosts, counts, 0)[0]


def test_trades_swap_executors_where_none_can_move_alone() -> None:
    # Two full nodes, a and d on n0, c and b on n1; a talks to b and c to d: 10/s and 4/s over
    # 1 ms, until a and c, or b and d, change places.
    it = group_topology([1, 1, 1, 1], [(0, 1, 10.0), (2, 3, 4.0)])
    hosts = racks([[2, 2]])
    counts = np.array([[1, 0], [0, 1], [0, 1], [1, 0]])
    left = hosts.limits - it.requirements @ counts
    assert usage(it, hosts, counts) == pytest.approx(0.014)
    trade(
        counts,
        it.sizes,
        it.requirements,
        left,
        hosts.rack,
        hosts.per_tuple,
        it.sources,
        it.targets,
        it.rates,
        3,
    )
    assert usage(it, hosts, counts) == 0
    assert left.tolist() == [[0, 0], [0, 0]]


def test_trades_between_two_that_talk_know_that_both_move() -> None:
    # a on n0, b on n1, one place each: changing places leaves them as far apart. A search that
    # took each one's price with the other in place would trade for ever, and report a gain.
    it, hosts = group_topology([1, 1], [(0, 1, 5.0)]), racks([[1, 1]])
    counts = np.array([[1, 0], [0, 1]])
    left = hosts.limits - it.requirements @ counts
    trade(
        counts,
        it.sizes,
        it.requirements,
        left,
        hosts.rack,
        hosts.per_tuple,
        it.sources,
        it.targets,
        it.rates,
        3,
    )
    assert counts.tolist() == [[1, 0], [0, 1]]


def test_the_second_round_is_never_dearer() -> None:
    # If the second round ignored the old placement, one of these 150 would get dearer.
    for seed in range(150):
        rng = default_rng(seed)
        hosts = random_racks(rng)
        grouped = [random_topology(rng) for _ in range(4)]
        once, twice = place_all(grouped, hosts, rounds=1), place_all(grouped, hosts)
        for before, after in zip(once.costs, twice.costs, strict=True):
            assert after <= before + 1e-12
