"""Random binary trees as section 7.2 of paper 003 has them."""

from collections import Counter

import pytest
from eyewall_papers.experiments.paper_003.trees import Tree, Trees, random_tree
from numpy.random import default_rng


@pytest.mark.parametrize("trees", Trees)
@pytest.mark.parametrize("most", [1, 2, 7, 20])
def test_a_tree_is_binary_and_every_operator_but_the_root_has_one_parent(
    trees: Trees, most: int
) -> None:
    for seed in range(20):
        tree = random_tree(default_rng(seed), most, trees, objects=15)
        parents = Counter(child for children in tree.children for child in children)
        assert dict(parents) == dict.fromkeys(range(1, len(tree.children)), 1)
        inputs = [len(c) + len(k) for c, k in zip(tree.children, tree.leaves, strict=True)]
        assert max(inputs) <= 2
        assert min(inputs) >= 1
        assert all(child > at for at, children in enumerate(tree.children) for child in children)


def test_n_counts_operators_or_all_nodes() -> None:
    # 20 operators with two inputs each: 40 inputs, 19 of them operators, so 21 leaves.
    operators = random_tree(default_rng(0), 20, Trees.OPERATORS, objects=15)
    assert (len(operators.children), sum(map(len, operators.leaves))) == (20, 21)
    # At most 20 nodes: 9 operators and 10 leaves are 19, one more of both would be 21.
    nodes = random_tree(default_rng(0), 20, Trees.NODES, objects=15)
    assert (len(nodes.children), sum(map(len, nodes.leaves))) == (9, 10)


def test_an_operator_sends_what_it_gets() -> None:
    # Root 0 has child 1 and object 0 (5 MB); 1 has objects 0 and 1: 5 + 7 = 12; root 12 + 5 = 17.
    tree = Tree(children=((1,), ()), leaves=((0,), (0, 1)))
    assert tree.sizes([5.0, 7.0]) == [17.0, 12.0]
