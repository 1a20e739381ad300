import numpy as np
import pytest
from eyewall_papers.instances.operator_trees import SINK, Tree, TreeSize, random_tree
from numpy.random import default_rng


def trees(count: int, size: TreeSize) -> list[Tree]:
    return [random_tree(default_rng(seed), count, size) for seed in range(50)]


@pytest.mark.parametrize("count", [6, 12])
@pytest.mark.parametrize("size", list(TreeSize))
def test_everybody_but_the_sources_has_two_or_three_children(count: int, size: TreeSize) -> None:
    for tree in trees(count, size):
        children = np.bincount(tree.parents, minlength=tree.operators)
        if size is TreeSize.FREE:
            assert children[SINK] == 1, "the sink receives the result of the last operator"
            children[SINK] = 2
        assert set(children.tolist()) <= {0, 2, 3}


@pytest.mark.parametrize("count", [6, 12])
def test_size_counts_the_free_operators_or_all_of_them(count: int) -> None:
    # 6 in all: 5 streams are 2 + 3, so the sink and one more have children: one is free. 12 in all:
    # 11 are four twos and a three or a two and three threes, so 4 or 3 are free.
    assert {int((~tree.pinned).sum()) for tree in trees(count, TreeSize.FREE)} == {count}
    assert {tree.operators for tree in trees(count, TreeSize.ALL)} == {count}
    free = {int((~tree.pinned).sum()) for tree in trees(count, TreeSize.ALL)}
    assert free == ({1} if count == 6 else {3, 4})


def test_an_operator_sends_its_selectivity_of_what_arrives() -> None:
    # 2 and 3 send to 1, which sends half of both to the sink.
    tree = Tree(np.array([0, 1, 1]), np.array([0.9, 0.5, 0.1, 0.1]))
    to_sink, *from_sources = tree.rates(default_rng(0)).tolist()
    assert all(100 <= rate <= 200 for rate in from_sources)
    assert to_sink == pytest.approx(0.5 * sum(from_sources))
    assert tree.pinned.tolist() == [True, False, True, True]
