import numpy as np
import pytest
from eyewall_papers.cost_space.coordinates import cost_space, mean_error
from eyewall_sidecar.model import LinkMatrix, Node, PlacementProblem
from numpy.typing import NDArray


def nodes_apart(
    delays: NDArray[np.float64], coordinates: list[tuple[float, ...] | None] | None = None
) -> PlacementProblem:
    given = coordinates or [None] * len(delays)
    nodes = tuple(Node(f"n{u}", coordinates=it) for u, it in enumerate(given))
    return PlacementProblem((), (), nodes, LinkMatrix.from_delays([it.id for it in nodes], delays))


def line(count: int) -> NDArray[np.float64]:
    """Nodes 10 ms apart, one behind the other."""
    places = np.arange(count)
    return np.asarray(np.abs(places[:, None] - places) * 0.010, dtype=np.float64)


def test_the_nodes_own_coordinates_are_taken_as_they_are() -> None:
    space = cost_space(nodes_apart(line(2), [(1.0, 2.0), (3.0, 4.0)]), seed=0)
    assert space.coordinates.tolist() == [[1, 2], [3, 4]]
    assert space.remark == "the nodes' own coordinates, 2 dimensions"


def test_without_coordinates_distances_approximate_the_delays_with_a_remark() -> None:
    # Ten nodes on a line lie in three dimensions without any error; 1 ms is a tenth of a step.
    space = cost_space(nodes_apart(line(10)), seed=3)
    distances = np.linalg.norm(space.coordinates[:, None] - space.coordinates, axis=2)
    assert np.abs(distances - line(10)).mean() < 0.001
    assert space.remark.startswith(
        "no node has coordinates: embedded in 3 dimensions from the delays by spring relaxation, "
        "seed 3, off by "
    )


@pytest.mark.parametrize(
    ("coordinates", "why"),
    [
        ([(0.0,), None, None], "2 of 3 nodes lack coordinates: embedded"),
        ([(0.0,), (1.0, 2.0), (1.0,)], "the nodes' coordinates have 1 and 2 dimensions: embedded"),
    ],
)
def test_coordinates_that_make_no_space_are_not_used(
    coordinates: list[tuple[float, ...] | None], why: str
) -> None:
    assert cost_space(nodes_apart(line(3), coordinates), seed=0).remark.startswith(why)


def test_the_seed_decides_the_embedding() -> None:
    problem = nodes_apart(line(5))
    one, same, other = (cost_space(problem, seed).coordinates for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_both_directions_of_a_link_count_alike() -> None:
    # 10 ms there and 30 ms back: no distance is both, 20 ms is off by 10 ms in each direction.
    space = cost_space(nodes_apart(np.array([[0, 0.010], [0.030, 0]])), seed=0)
    assert np.linalg.norm(space.coordinates[0] - space.coordinates[1]) == pytest.approx(0.020)
    assert "off by 10 ms on average" in space.remark


@pytest.mark.parametrize("delays", [np.zeros((1, 1)), np.zeros((4, 4))])
def test_nodes_without_any_delay_are_at_one_position(delays: NDArray[np.float64]) -> None:
    space = cost_space(nodes_apart(delays), seed=0)
    assert not space.coordinates.any()


def test_the_error_leaves_out_a_node_to_itself() -> None:
    # Both nodes at 0: off by 10 ms both ways, 20 ms over two pairs.
    assert mean_error(np.zeros((2, 3)), line(2)) == pytest.approx(0.010)
