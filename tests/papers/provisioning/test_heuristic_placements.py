"""Each heuristic's rule, by hand on trees of a few operators (paper 003, section 6.1)."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from eyewall_papers.provisioning import MachineType, Provision, ProvisioningProblem
from eyewall_papers.provisioning.heuristics import HEURISTICS, FailedStep, HeuristicFailure
from eyewall_papers.provisioning.purchases import Purchases, merge
from numpy.random import default_rng
from provisioning_trees import LARGE, SMALL, tree_of

comm_greedy = import_module("eyewall_papers.provisioning.heuristics.placements")


def found(name: str, problem: ProvisioningProblem) -> Provision:
    """Return what the heuristic finds; it must find something."""
    answer = HEURISTICS[name](problem, default_rng(0))
    assert isinstance(answer, Provision), answer
    return answer


def together(provision: Provision) -> set[frozenset[str]]:
    """Return who shares a machine with whom."""
    return {
        frozenset(name for name, at in provision.placement.items() if at == machine.id)
        for machine in provision.machines
    }


def groups(*names: str) -> set[frozenset[str]]:
    """Return groups of operators with names of one letter."""
    return {frozenset(it) for it in names}


LIGHT = tree_of(
    {"r": 1, "a": 1, "b": 1},
    {("a", "r"): 1, ("b", "r"): 1},
    {"a": ["k"], "b": ["l"]},
)
"""Everything fits on one large machine: 3 of 8 cores."""

HEAVY = tree_of(
    {"r": 2, "a": 5, "b": 4, "c": 3},
    {("a", "r"): 1, ("b", "r"): 3, ("c", "b"): 2},
    {"a": ["k"], "c": ["l"]},
)
"""14 cores, 8 on a large machine, 2 on a small one."""


def test_random_buys_the_cheapest_machine_for_each_operator() -> None:
    provision = found("random", LIGHT)
    assert together(provision) == groups("r", "a", "b")
    assert provision.price == 30


def test_random_groups_an_operator_that_no_machine_holds_with_the_one_it_exchanges_most_with() -> (
    None
):
    # Alone, a's card carries 1 + 45 > 40 bytes/s; with r it is 1 + 0 and what b sends, 1.
    problem = tree_of(
        {"r": 1, "a": 1, "b": 1},
        {("a", "r"): 45, ("b", "r"): 1},
        {"a": ["k"], "b": ["l"]},
    )
    assert together(found("random", problem)) == groups("ra", "b")


def test_comp_greedy_fills_the_most_expensive_machine_with_the_most_demanding_operators() -> None:
    # Sorted by work: a 5, b 4, c 3, r 2. a; b does not fit (9 > 8), c does (8); then b with r (6).
    assert together(found("comp-greedy", HEAVY)) == groups("ac", "br")


def test_comp_greedy_downgrades_the_machine_when_nothing_more_fits() -> None:
    problem = tree_of({"a": 7, "b": 2}, {("b", "a"): 1}, {"b": ["k"]})
    provision = found("comp-greedy", problem)
    assert sorted(it.type.name for it in provision.machines) == ["large", "small"]


def test_comm_greedy_joins_the_ends_of_the_largest_streams_first() -> None:
    # b-r exchange 3: together (6 cores). c-b 2: 9 cores with c, which gets a machine of its own.
    # a-r 1: 11 cores, so a gets one.
    assert together(found("comm-greedy", HEAVY)) == groups("br", "c", "a")


def test_comm_greedy_sells_one_of_two_machines_whose_operators_fit_on_one() -> None:
    # a-b and c-d come first, then b-c joins both machines.
    problem = tree_of(
        {"a": 2, "b": 2, "c": 2, "d": 2},
        {("a", "b"): 5, ("c", "d"): 5, ("b", "c"): 1},
        {"a": ["k"]},
    )
    assert together(found("comm-greedy", problem)) == groups("abcd")


def test_comm_greedy_asks_once_whether_two_machines_can_be_joined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # a-b and c-d share machines (8 and 7 of 8 cores). Of the four streams between these machines
    # only the largest, a-c, is tried: no machine has 15 cores.
    tried = []

    def counted(purchases: Purchases, operators: tuple[int, int], *others: Any) -> bool:
        tried.append(tuple("abcd"[it] for it in operators))
        return merge(purchases, operators, *others)

    monkeypatch.setattr(comm_greedy, "merge", counted)
    problem = tree_of(
        {"a": 4, "b": 4, "c": 3, "d": 4},
        {("a", "b"): 9, ("c", "d"): 8, ("a", "c"): 4, ("a", "d"): 3, ("b", "c"): 2, ("b", "d"): 1},
        {"a": ["k"]},
    )
    assert together(found("comm-greedy", problem)) == groups("ab", "cd")
    assert tried == [("a", "b"), ("c", "d"), ("a", "c")]


def test_comm_greedy_goes_on_joining_other_machines_after_a_pair_that_cannot_be() -> None:
    # a-b 8 cores, c-d 5, e-f 2. a-c fails at 13 cores; c-e joins at 7.
    problem = tree_of(
        {"a": 4, "b": 4, "c": 3, "d": 2, "e": 1, "f": 1},
        {("a", "b"): 9, ("c", "d"): 8, ("e", "f"): 7, ("a", "c"): 6, ("c", "e"): 5},
        {"a": ["k"]},
    )
    assert together(found("comm-greedy", problem)) == groups("ab", "cdef")


def test_comm_greedy_asks_again_where_only_the_stock_was_in_the_way() -> None:
    # y-z take 5 cores on the one large machine; a-b and c-d 3 each on middling ones. a-c would take
    # a large one: none is in stock, and the huge one is for w, y and z alone. w-y then takes the
    # huge one and gives the large one back, and b-d brings a, b, c and d onto it.
    middling = MachineType("middling", cpu=4, card=99, price=15, count=2)
    large = MachineType("large", cpu=8, card=99, price=25, count=1)
    huge = MachineType("huge", cpu=16, card=99, price=40, count=1)
    problem = tree_of(
        {"y": 3, "z": 2, "a": 1, "b": 2, "c": 1, "d": 2, "w": 8},
        {
            ("y", "z"): 9,
            ("a", "b"): 8,
            ("c", "d"): 7,
            ("a", "c"): 6,
            ("w", "y"): 5,
            ("b", "d"): 4,
        },
        {"y": ["k"]},
        types=(middling, large, huge),
    )
    kept_off = tuple(
        replace(it, candidates=("middling", "large")) if it.id in "abcd" else it
        for it in problem.operators
    )
    placed = found("comm-greedy", replace(problem, operators=kept_off))
    assert together(placed) == groups("wyz", "abcd")


def test_object_greedy_begins_with_the_fastest_downloads() -> None:
    # l comes at 5 bytes/s, k at 1: c is first (3 cores), then a (8); then the others by work: b, r.
    rates = replace(
        HEAVY, objects=tuple(replace(it, size=5 if it.id == "l" else 1) for it in HEAVY.objects)
    )
    assert together(found("object-greedy", rates)) == groups("ca", "br")


def test_subtree_bottom_up_merges_al_operators_with_their_parents() -> None:
    # a and c have machines. b joins c (7). r with both is 14, with b's 9, with a's 7.
    assert together(found("subtree-bottom-up", HEAVY)) == groups("cb", "ar")
    assert together(found("subtree-bottom-up", LIGHT)) == groups("rab")


def test_object_grouping_puts_users_of_the_most_popular_object_together() -> None:
    # k is needed by a, b and c (3), l by d (1): a, b and c share a machine; r fits there too, by
    # then 8 of 8 cores are taken, and d gets its own.
    problem = tree_of(
        {"r": 2, "a": 2, "b": 2, "c": 2, "d": 1},
        {("a", "r"): 1, ("b", "r"): 1, ("c", "r"): 1, ("d", "r"): 1},
        {"a": ["k"], "b": ["k"], "c": ["k"], "d": ["l"]},
    )
    assert together(found("object-grouping", problem)) == groups("abcr", "d")


def test_object_availability_gives_users_of_rare_objects_their_machines_first() -> None:
    # l is on one server, k on two: b first, then a; the other operators as in Comp-Greedy.
    servers = (
        replace(LIGHT.servers[0], id="s", objects=("k", "l")),
        replace(LIGHT.servers[0], id="t", objects=("k",)),
    )
    provision = found("object-availability", replace(LIGHT, servers=servers))
    assert together(provision) == groups("b", "a", "r")
    assert list(provision.placement).index("a") == 1
    assert provision.machines[0].id == provision.placement["b"]


def test_a_platform_that_is_there_already_is_used_up_from_its_dearest_machine_on() -> None:
    # Three machines that there are once each: a (5) and c (3) take the large one, b (4) the middle
    # one with nothing else on it, and r (2) the small one.
    types = (
        replace(SMALL, count=1),
        replace(LARGE, count=1),
        MachineType("middle", cpu=4, card=20, price=17, count=1),
    )
    problem = replace(HEAVY, types=types)
    provision = found("comp-greedy", problem)
    kinds = {it.id: it.type.name for it in provision.machines}
    assert {name: kinds[at] for name, at in provision.placement.items()} == {
        "a": "large",
        "c": "large",
        "b": "middle",
        "r": "small",
    }


def test_an_operator_that_no_machine_runs_is_named_with_what_it_takes() -> None:
    problem = tree_of({"a": 9}, {}, {"a": ["k"]})
    for heuristic in HEURISTICS.values():
        failure = heuristic(problem, default_rng(0))
        assert isinstance(failure, HeuristicFailure)
        assert failure.step is FailedStep.PLACEMENT
        assert failure.subject == "a"
        assert "takes 9 of CPU and 1 bytes/s of a card" in failure.reason
