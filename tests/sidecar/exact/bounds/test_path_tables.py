"""What the tables along paths say at the root of small searches."""

import numpy as np
import pytest
from eyewall_sidecar.exact.instance import Instance
from eyewall_sidecar.exact.search_tree import SearchTree
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import LinkMatrix, Matrix
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from search_trees import root_of


def root(
    edges: list[str], room: list[float], delays: Matrix, weights: dict[Term, float]
) -> tuple[Instance, SearchTree]:
    """Begin with operators named by letters, edges as "ab", and nodes with that room."""
    nodes = [f"n{u}" for u in range(len(room))]
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in sorted(set("".join(edges)))),
        streams=tuple(Stream(edge[0], edge[1]) for edge in edges),
        nodes=tuple(
            Node(it, operators=operators) for it, operators in zip(nodes, room, strict=True)
        ),
        links=LinkMatrix.from_delays(nodes, delays),
    )
    arrays = ProblemArrays.of(problem)
    return root_of(arrays, weigh(arrays, weights))


APART = np.full((3, 3), 0.01)
"""10 ms between any two nodes."""


def test_of_two_alike_successors_one_leaves_where_only_one_finds_room() -> None:
    # a → b, c. With one place left beside a, b or c leaves: 10 ms; with two, both stay.
    after = root(["ab", "ac"], [3, 2, 2], APART, {Term.R: 1.0})[1].paths.after
    assert after[0, 0].tolist() == [0.01, 0.01, 0.0, 0.0][: after.shape[2]]


def test_of_many_that_leave_the_worst_finds_room_farthest_away() -> None:
    # a → b, c, d. Nodes hold two. With one place left beside a on n0, two of the three leave, and
    # n1, 10 ms away, holds both; with none left three leave, and one has to go 30 ms to n2.
    delays = np.array([[0.0, 0.01, 0.03], [0.01, 0.0, 0.03], [0.03, 0.03, 0.0]])
    after = root(["ab", "ac", "ad"], [2, 2, 2], delays, {Term.R: 1.0})[1].paths.after
    assert after[0, 0, :2].tolist() == [0.03, 0.01]


def test_a_run_of_a_chain_is_no_longer_than_a_node_has_room() -> None:
    # a → b → c → d → e on nodes that hold two: three runs, two hops of 10 ms. From pair ab on, with
    # one place left beside a: b stays, c and d share a node, e goes to a third.
    tails = root(["ab", "bc", "cd", "de"], [2, 2, 2], APART, {Term.R: 1.0})[1].sums.tails
    assert tails[0, 0, 1] == pytest.approx(0.02)
    # With no place left: b and c share a node, d and e the next.
    assert tails[0, 0, 0] == pytest.approx(0.02)
    assert tails[3, 0].tolist() == pytest.approx([0.01, 0.0, 0.0][: tails.shape[2]])
