from dataclasses import replace
from itertools import permutations

import pytest
from eyewall_sidecar.heuristic.evaluation_state import Terms, terms_of
from eyewall_sidecar.heuristic.hub_pairs import hub_places, hubs_of
from eyewall_sidecar.model import Link, PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from small_problems import graph_of


def fan(between: int) -> dict[tuple[str, str], float]:
    """Return s → m0 … → t; the rates grow."""
    middle = [f"m{place}" for place in range(between)]
    return {("s", it): 1.0 + place for place, it in enumerate(middle)} | {
        (it, "t"): 1.0 for it in middle
    }


def terms(problem: PlacementProblem, term: Term) -> Terms:
    arrays = ProblemArrays.of(problem)
    return terms_of(arrays, weigh(arrays, {term: 1.0}))


def test_hubs_are_the_two_that_most_others_hang_on_the_busiest_of_them_first() -> None:
    problem = graph_of(fan(5) | {("t", "end"): 1.0}, [9])
    hubs = hubs_of(terms(problem, Term.N))
    assert hubs is not None
    names = [it.id for it in problem.operators]
    assert {names[hubs.one], names[hubs.other]} == {"s", "t"}
    assert [names[it] for it in hubs.between] == ["m4", "m3", "m2", "m1", "m0"]


def test_a_chain_has_no_hubs() -> None:
    assert hubs_of(terms(graph_of({("a", "b"): 1, ("b", "c"): 1}, [9]), Term.N)) is None


@pytest.mark.parametrize("term", [Term.N, Term.R])
def test_the_first_pair_is_the_one_that_leaves_those_between_the_cheapest_room(term: Term) -> None:
    # Three places on each node; n1 – n2 10 ms, everything else 50 ms. s and t on n1 and n2 have
    # room for two on each, so four between them cost for N, at the mean rate 2.5/s from s and 1/s
    # to t: two with s 2 · 1 · 10 ms, two with t 2 · 2.5 · 10 ms, 0.07 in all. Both on n1 leave one
    # place there, and three on n2: 3 · 3.5 · 10 ms = 0.105. All others cost a stream of 50 ms.
    # For R the last path is 10 ms in the first case, 20 ms in the second.
    nodes = [f"n{place}" for place in range(1, 5)]
    delays = {(u, v): 0.050 for u in nodes for v in nodes if u < v} | {("n1", "n2"): 0.010}
    problem = graph_of(fan(4), [3, 3, 3, 3], delays=delays)
    laid_out = terms(problem, term)
    hubs = hubs_of(laid_out)
    assert hubs is not None
    pairs = list(hub_places(laid_out, hubs, 16))
    assert {pairs[0], pairs[1]} == {(0, 1), (1, 0)}
    assert {pairs[2], pairs[3]} == {(0, 0), (1, 1)}
    assert len(pairs) == 16


def test_a_link_that_is_never_up_is_not_used_between_hubs_and_those_between() -> None:
    # Two hubs and four between them on two nodes of three places: something has to cross. The
    # way from n1 to n2 has availability 0, so it costs infinitely much; a hub that nothing comes
    # back to (no stream at all, times infinity) must not spoil the way that is left.
    problem = graph_of(fan(4), [3, 3, 3])
    links = {
        (u.id, v.id): Link(0.010, availability=0.0 if (u.id, v.id) == ("n1", "n2") else 0.9)
        for u, v in permutations(problem.nodes, 2)
    }
    laid_out = terms(replace(problem, links=links), Term.A)
    hubs = hubs_of(laid_out)
    assert hubs is not None
    assert list(hub_places(laid_out, hubs, 16))


def test_a_pair_without_room_for_those_between_is_left_out() -> None:
    # One place each on three nodes: five between two hubs never fit.
    laid_out = terms(graph_of(fan(5), [1, 1, 1]), Term.N)
    hubs = hubs_of(laid_out)
    assert hubs is not None
    assert list(hub_places(laid_out, hubs, 9)) == []
