"""What no platform undercuts, from the numbers of machines alone."""

from dataclasses import replace
from math import inf

import pytest
from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from eyewall_papers.provisioning.blobs import blobs
from eyewall_papers.provisioning.bound import define_cards, price_bound
from eyewall_papers.provisioning.exact import solve_by_subsets
from eyewall_sidecar.model import Operator, Stream
from hypothesis import given, settings
from pulp import LpMinimize, LpProblem
from random_provisioning import provisioning_problems
from small_provisioning import LARGE, SMALL, pair


def stopped() -> float:
    return 0.0


def bound(problem: ProvisioningProblem, *, known: float = 0.0, machines: int = 1) -> float:
    return price_bound(
        problem, blobs(problem), known=known, machines=machines, ends_at=60.0, clock=stopped
    )


def workers(*works: float, types: tuple[MachineType, ...] = (SMALL, LARGE)) -> ProvisioningProblem:
    operators = tuple(Operator(f"o{i}", cpu=work) for i, work in enumerate(works))
    return ProvisioningProblem(operators, (), types)


def test_the_machines_together_work_as_much_as_the_operators_need() -> None:
    # 20 cores in small pieces: 4 for 10, 8 for 16. 8 + 8 + 4 is 20, for 16 + 16 + 10 = 42.
    assert bound(workers(*[1.0] * 20)) == pytest.approx(42)


def test_large_operators_are_counted_where_work_alone_would_let_them_share() -> None:
    # Three operators of 5 cores: 15 cores would be two large machines, but each holds only one.
    assert bound(workers(5, 5, 5)) == pytest.approx(3 * 16)


def test_the_hardest_operator_has_a_machine_that_holds_it() -> None:
    # 5 cores are a small and a bit, but one operator takes them: a large machine for 16.
    assert bound(workers(5)) == pytest.approx(16)


def test_cards_carry_every_object_once_and_each_cut_flow_twice() -> None:
    # Two objects of 6 are more than one card of 10. Two small machines would cut the flow of
    # 5, which takes both cards: 12 + 2 · 5 = 22 of 20 bytes/s. So it takes a large one, for 21.
    problem = ProvisioningProblem(
        (Operator("a", cpu=1), Operator("b", cpu=1)),
        (Stream("a", "b", tuple_bytes=5),),
        (SMALL, replace(LARGE, price=21.0)),
        {"a": ("k",), "b": ("m",)},
        (BasicObject("k", 6), BasicObject("m", 6)),
        (DataServer("s", ("k", "m")),),
    )
    assert bound(problem) == pytest.approx(21)


def test_a_cut_flow_is_counted_on_two_cards_and_on_no_third() -> None:
    # Each operator fills a small machine, downloads 5 and exchanges 5: 10 of 10 bytes/s on each
    # card, and 5 + 5 + 2 · 5 = 20 of 20 together.
    problem = replace(
        pair(works=(4, 4), flow=5, types=(SMALL,)),
        needs={"a": ("k",), "b": ("m",)},
        objects=(BasicObject("k", 5), BasicObject("m", 5)),
        servers=(DataServer("s", ("k", "m")),),
    )
    assert bound(problem) == pytest.approx(20)


def test_parts_that_exchange_nothing_are_apart_without_a_cut() -> None:
    # a – b and c – d exchange 5 bytes/s, and each of the four takes 2 cores and downloads 5 of its
    # own. Each pair on a small machine: 10 of 10 bytes/s, nothing is cut, and 20 of 20 together.
    objects = tuple(BasicObject(f"k{name}", 5) for name in "abcd")
    problem = ProvisioningProblem(
        tuple(Operator(name, cpu=2) for name in "abcd"),
        (Stream("a", "b", tuple_bytes=5), Stream("c", "d", tuple_bytes=5)),
        (SMALL,),
        {name: (f"k{name}",) for name in "abcd"},
        objects,
        (DataServer("s", tuple(it.id for it in objects)),),
    )
    assert bound(problem) == pytest.approx(20)


def test_of_a_dense_graph_no_more_flows_are_counted_than_there_are_cuts_to_make() -> None:
    # Ten operators, each with a stream to all later ones: 45 streams of different sizes, but ten
    # machines cut nine of them at least. A row for each cut, and one for the sum of the downloads.
    names = [f"o{it}" for it in range(10)]
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    dense = ProvisioningProblem(
        operators=tuple(Operator(it, cpu=1) for it in names),
        streams=tuple(
            Stream(one, other, tuple_bytes=0.01 * size)
            for size, (one, other) in enumerate(pairs, start=1)
        ),
        types=(SMALL, LARGE),
    )
    linear = LpProblem("cards", LpMinimize)
    define_cards(linear, [linear.add_variable(f"n_{it}") for it in range(2)], blobs(dense))
    assert linear.numConstraints() == 1 + 9


def test_flows_of_very_different_sizes_leave_the_bound_what_it_is() -> None:
    # Two operators of 5 cores: one large machine each, 32. The three least flows, all that
    # four machines must cut, are 10²⁰ times smaller than the others: rows in their unit would be so
    # uneven that the solver refuses them.
    wide = replace(LARGE, card=1e15)
    uneven = ProvisioningProblem(
        operators=tuple(Operator(it, cpu=5 if it in "ab" else 1) for it in "abcd"),
        streams=(
            Stream("a", "b", tuple_bytes=1e-6),
            Stream("b", "c", tuple_bytes=1e-6),
            Stream("c", "d", tuple_bytes=1e-6),
            Stream("a", "c", tuple_bytes=1e14),
            Stream("a", "d", tuple_bytes=1e14),
            Stream("b", "d", tuple_bytes=1e14),
        ),
        types=(wide,),
    )
    assert bound(uneven) == pytest.approx(32)


def test_platforms_of_more_machines_cost_more() -> None:
    assert bound(workers(1, 1, 1)) == pytest.approx(10)
    assert bound(workers(1, 1, 1), machines=3) == pytest.approx(30)


def test_a_bound_from_elsewhere_is_raised_to_the_next_price_of_machines() -> None:
    # From 10s and 16s: 10, 16, 20, 26, … The next from 21 on is 26.
    assert bound(workers(1, 1, 1), known=21.0) == pytest.approx(26)


def test_machines_that_cannot_be_had_do_not_count() -> None:
    types = (replace(SMALL, count=1.0), replace(LARGE, count=1.0))
    assert bound(workers(4, 8, types=types)) == pytest.approx(26)
    assert bound(workers(4, 8, 4, types=types)) == inf


@settings(max_examples=100, deadline=None, derandomize=True)
@given(provisioning_problems(operators=7))
def test_the_bound_is_never_above_the_optimum(problem: ProvisioningProblem) -> None:
    joined = blobs(problem)
    found = solve_by_subsets(problem, joined, ends_at=inf, clock=stopped)
    optimum = found.provision.price if found.provision else inf
    assert bound(problem) <= optimum * (1 + 1e-9)


def test_the_bound_of_one_pair_is_its_optimum() -> None:
    assert bound(pair()) == pytest.approx(16)
