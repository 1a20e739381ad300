"""The problems of section 7.2 of paper 003."""

from math import inf

import pytest
from eyewall_papers.experiments.paper_003.trees import Trees
from eyewall_papers.experiments.paper_003.workload import (
    BIG,
    LOW,
    Cards,
    Links,
    Reading,
    Setting,
    problem,
)


def test_w_is_the_input_to_the_power_of_alpha_and_the_output_is_the_input() -> None:
    drawn = problem(Setting(20, alpha=1.5), 0, Reading())
    sent = {it.source: it.tuple_bytes for it in drawn.streams}
    for operator in drawn.operators:
        if operator.id in sent:
            megabytes = (sent[operator.id] or 0) / 1e6
            # MHz · s in GHz · s
            assert operator.cpu == pytest.approx(megabytes**1.5 / 1000)


def test_one_seed_gives_the_same_tree_whatever_else_is_varied() -> None:
    one, other = (problem(Setting(40, alpha), 7, Reading()) for alpha in (0.9, 1.7))
    assert one.streams == other.streams
    assert one.needs == other.needs
    slow = problem(Setting(40, frequency=LOW), 7, Reading())
    assert [it.size for it in slow.objects] == [it.size for it in one.objects]


def test_sizes_servers_and_links_are_those_of_the_paper() -> None:
    drawn = problem(Setting(20, sizes=BIG, replicas=3), 0, Reading(links=Links.ALL))
    assert len(drawn.objects) == 15
    assert all(450e6 <= it.size <= 530e6 for it in drawn.objects)
    assert [it.card for it in drawn.servers] == [10e9] * 6
    assert {it.link for it in drawn.servers} == {1e9}
    assert drawn.link == 1e9
    assert problem(Setting(20), 0, Reading(links=Links.SERVERS)).link == inf
    assert all(len(drawn.holders(it.id)) == 3 for it in drawn.objects)


def test_cards_are_in_gigabit_or_in_gigabyte() -> None:
    for cards, most in ((Cards.GIGABIT, 2.5e9), (Cards.GIGABYTE, 20e9)):
        types = Reading(Trees.NODES, cards).types
        assert len(types) == 25
        assert max(it.card for it in types) == most
