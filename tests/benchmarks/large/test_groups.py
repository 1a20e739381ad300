import numpy as np
import pytest
from eyewall_sidecar.model.errors import ProblemError

from benchmarks.large.groups import GroupedTopology, Racks, slowest_path, usage


def group_topology(
    sizes: list[int], streams: list[tuple[int, int, float]], needs: float = 1.0
) -> GroupedTopology:
    """Return groups whose executors need so many cores each."""
    return GroupedTopology(
        np.array(sizes),
        np.full((1, len(sizes)), needs),
        np.array([it[0] for it in streams], dtype=np.int64),
        np.array([it[1] for it in streams], dtype=np.int64),
        np.array([it[2] for it in streams], dtype=np.float64),
    )


def racks(cores: list[list[float]], between: float = 0.1, within: float = 0.001) -> Racks:
    """Return racks with nodes of so many cores; the same delay between any two racks."""
    per_tuple = np.full((len(cores), len(cores)), between)
    np.fill_diagonal(per_tuple, within)
    place = [number for number, it in enumerate(cores) for _ in it]
    return Racks(np.array([[it for row in cores for it in row]]), np.array(place), per_tuple)


def test_usage_is_that_of_all_pairs_of_executors() -> None:
    # a (2) → b (4) with 80/s: 10/s on each of eight pairs. n0 and n1 are in one rack, n2 is not.
    # a: one on n0, one on n2. b: two on n0, one on n1, one on n2.
    # From n0: two stay, one to n1 (1 ms), one to n2 (100 ms). From n2: three of four leave.
    # 10/s · (0.001 + 0.1 + 3 · 0.1) = 4.01.
    counts = np.array([[1, 0, 1], [2, 1, 1]])
    value = usage(group_topology([2, 4], [(0, 1, 80.0)]), racks([[9, 9], [9]]), counts)
    assert value == pytest.approx(4.01)


def test_a_stream_from_a_group_to_itself_counts_its_pairs_too() -> None:
    # Two executors on two nodes of a rack: of four ordered pairs two are 1 ms apart.
    value = usage(group_topology([2], [(0, 0, 8.0)]), racks([[9, 9]]), np.array([[1, 1]]))
    assert value == pytest.approx(8.0 * 0.5 * 0.001)


def test_the_slowest_path_takes_the_farthest_nodes_in_use() -> None:
    # a on n0, b on n0 and n1 (same rack), c on n2 (another rack):
    # a → b at most 1 ms, b → c 100 ms from wherever b is.
    topology = group_topology([1, 2, 1], [(0, 1, 1.0), (1, 2, 1.0)])
    counts = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
    assert slowest_path(topology, racks([[9, 9], [9]]), counts, [0, 1, 2]) == pytest.approx(0.101)


def test_racks_read_their_delays_from_the_nodes_and_refuse_uneven_ones() -> None:
    delays = np.array([[0, 0.001, 0.05], [0.001, 0, 0.05], [0.06, 0.06, 0]])
    found = Racks.of(np.ones((1, 3)), np.array([0, 0, 1]), delays)
    assert found.per_tuple.tolist() == [[0.001, 0.05], [0.06, 0.0]]
    delays[1, 2] = 0.07
    with pytest.raises(ProblemError, match=r"racks 0 and 1: delays .* from 0\.05 s to 0\.07 s"):
        Racks.of(np.ones((1, 3)), np.array([0, 0, 1]), delays)
