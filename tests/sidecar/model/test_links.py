import pickle

import numpy as np
import pytest
from eyewall_sidecar.model import Link, LinkMatrix, ProblemError
from numba import typeof

NODES = ("n1", "n2")


def test_a_matrix_is_a_mapping_of_ordered_pairs_to_links() -> None:
    given = {("n1", "n2"): Link(0.02, 0.9, 1e6), ("n2", "n1"): Link(0.04)}
    assert dict(LinkMatrix.of(NODES, given)) == given


def test_a_node_reaches_itself_at_once_whatever_the_diagonal_says() -> None:
    links = LinkMatrix.from_delays(NODES, np.array([[7.0, 0.02], [0.04, 7.0]]))
    assert [links.delay(u, v) for u in NODES for v in NODES] == [0, 0.02, 0.04, 0]
    assert ("n1", "n1") not in links


def test_a_pair_that_lacks_a_link_is_named() -> None:
    with pytest.raises(ProblemError, match="no delay for n2 → n1; every ordered pair"):
        LinkMatrix.of(NODES, {("n1", "n2"): Link(0.02)})


@pytest.mark.parametrize("delay", [-0.001, np.nan, np.inf, 1e200])
def test_a_delay_that_is_none_is_refused_with_its_pair(delay: float) -> None:
    with pytest.raises(
        ProblemError, match=r"link n1 → n2: delay is .*; it must be a number from 0 to 86400"
    ):
        LinkMatrix.from_delays(NODES, np.array([[0.0, delay], [0.01, 0.0]]))


def test_a_node_that_is_listed_twice_is_named() -> None:
    with pytest.raises(ProblemError, match="node n1 is listed more than once; ids must be unique"):
        LinkMatrix.from_delays(("n1", "n2", "n1"), np.zeros((3, 3)))


def test_nothing_that_a_caller_kept_changes_a_matrix() -> None:
    # The upper rows of a larger array, made read-only once somebody has a writable view of them.
    larger = np.array([[0.0, 0.02], [0.04, 0.0], [0.0, 0.0]])
    kept, given = larger[:2], larger[:2]
    given.setflags(write=False)
    links = LinkMatrix(NODES, given, np.ones((2, 2)), np.full((2, 2), np.inf))
    kept[:] = 7.0
    assert links.delay("n1", "n2") == 0.02


def test_a_matrix_cannot_be_made_writable() -> None:
    links = LinkMatrix.from_delays(NODES, np.zeros((2, 2)))
    for matrix in (links.delays, links.availabilities, links.bandwidths):
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            matrix.setflags(write=True)


def test_compiled_code_sees_one_type_however_a_matrix_came_about() -> None:
    # Else it would be compiled once for each: for rows, for columns, for what is writable.
    rows = np.array([[0.0, 0.02], [0.04, 0.0]])
    wholes = np.zeros((2, 2), dtype=np.int64)
    perfect = np.ones((2, 2)), np.full((2, 2), np.inf)
    made = [
        LinkMatrix.from_delays(NODES, rows),
        LinkMatrix.of(NODES, {("n1", "n2"): Link(0.02), ("n2", "n1"): Link(0.04)}),
        *(LinkMatrix(NODES, it, *perfect) for it in (rows, rows.T, wholes)),  # type: ignore[arg-type]
    ]
    made += [pickle.loads(pickle.dumps(it)) for it in made]
    types = {
        str(typeof(it))  # type: ignore[no-untyped-call]
        for links in made
        for it in (links.delays, links.availabilities, links.bandwidths)
    }
    assert types == {"readonly array(float64, 2d, C)"}


def test_what_another_process_gets_is_the_same_and_read_only_too() -> None:
    given = np.array([[0.0, 0.02], [0.04, 0.0]])
    links = LinkMatrix.from_delays(NODES, given)
    received = pickle.loads(pickle.dumps(links))
    assert received == links
    for matrix in (received.delays, received.availabilities, received.bandwidths):
        assert not matrix.flags.writeable
    assert given.flags.writeable


def test_matrices_of_the_same_links_are_equal() -> None:
    delays = np.array([[0.0, 0.02], [0.04, 0.0]])
    assert LinkMatrix.from_delays(NODES, delays) == LinkMatrix.from_delays(NODES, delays.copy())
    assert LinkMatrix.from_delays(NODES, delays) != LinkMatrix.from_delays(NODES, delays * 2)
