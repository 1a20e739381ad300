"""The problems of section 7.2 of paper 003."""

from collections import Counter
from math import inf

import pytest
from eyewall_papers.experiments.paper_003.workload import (
    BIG,
    LOW,
    BinaryTree,
    Cards,
    Links,
    Trees,
    WorkloadReading,
    WorkloadSetting,
    problem,
    random_binary_tree,
)
from numpy.random import default_rng


def test_w_is_the_input_to_the_power_of_alpha_and_the_output_is_the_input() -> None:
    drawn = problem(WorkloadSetting(20, alpha=1.5), 0, WorkloadReading())
    sent = {it.source: it.tuple_bytes for it in drawn.streams}
    for operator in drawn.operators:
        if operator.id in sent:
            megabytes = (sent[operator.id] or 0) / 1e6
            # MHz · s in GHz · s
            assert operator.cpu == pytest.approx(megabytes**1.5 / 1000)


def test_one_seed_gives_the_same_tree_whatever_else_is_varied() -> None:
    one, other = (problem(WorkloadSetting(40, alpha), 7, WorkloadReading()) for alpha in (0.9, 1.7))
    assert one.streams == other.streams
    assert one.needs == other.needs
    slow = problem(WorkloadSetting(40, frequency=LOW), 7, WorkloadReading())
    assert [it.size for it in slow.objects] == [it.size for it in one.objects]


def test_sizes_servers_and_links_are_those_of_the_paper() -> None:
    drawn = problem(WorkloadSetting(20, sizes=BIG, replicas=3), 0, WorkloadReading(links=Links.ALL))
    assert len(drawn.objects) == 15
    assert all(450e6 <= it.size <= 530e6 for it in drawn.objects)
    assert [it.card for it in drawn.servers] == [10e9] * 6
    assert {it.link for it in drawn.servers} == {1e9}
    assert drawn.link == 1e9
    assert problem(WorkloadSetting(20), 0, WorkloadReading(links=Links.SERVERS)).link == inf
    assert all(len(drawn.holders(it.id)) == 3 for it in drawn.objects)


def test_cards_are_in_gigabit_or_in_gigabyte() -> None:
    for cards, most in ((Cards.GIGABIT, 2.5e9), (Cards.GIGABYTE, 20e9)):
        types = WorkloadReading(Trees.NODES, cards).types
        assert len(types) == 25
        assert max(it.card for it in types) == most


@pytest.mark.parametrize("trees", Trees)
@pytest.mark.parametrize("most", [1, 2, 7, 20])
def test_a_tree_is_binary_and_every_operator_but_the_root_has_one_parent(
    trees: Trees, most: int
) -> None:
    for seed in range(20):
        tree = random_binary_tree(default_rng(seed), most, trees, objects=15)
        parents = Counter(child for children in tree.children for child in children)
        assert dict(parents) == dict.fromkeys(range(1, len(tree.children)), 1)
        inputs = [len(c) + len(k) for c, k in zip(tree.children, tree.leaves, strict=True)]
        assert max(inputs) <= 2
        assert min(inputs) >= 1
        assert all(child > at for at, children in enumerate(tree.children) for child in children)


def test_n_counts_operators_or_all_nodes() -> None:
    # 20 operators with two inputs each: 40 inputs, 19 of them operators, so 21 leaves.
    operators = random_binary_tree(default_rng(0), 20, Trees.OPERATORS, objects=15)
    assert (len(operators.children), sum(map(len, operators.leaves))) == (20, 21)
    # At most 20 nodes: 9 operators and 10 leaves are 19, one more of both would be 21.
    nodes = random_binary_tree(default_rng(0), 20, Trees.NODES, objects=15)
    assert (len(nodes.children), sum(map(len, nodes.leaves))) == (9, 10)


def test_an_operator_sends_what_it_gets() -> None:
    # Root 0 has child 1 and object 0 (5 MB); 1 has objects 0 and 1: 5 + 7 = 12; root 12 + 5 = 17.
    tree = BinaryTree(children=((1,), ()), leaves=((0,), (0, 1)))
    assert tree.sizes([5.0, 7.0]) == [17.0, 12.0]
