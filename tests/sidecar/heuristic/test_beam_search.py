from random import Random

import numpy as np
import pytest
from every_placement import EveryPlacement
from eyewall_contracts.objective_terms import PAPER_TERMS
from eyewall_sidecar.heuristic.beam_search import grow
from eyewall_sidecar.heuristic.completions import completions, no_completions
from eyewall_sidecar.heuristic.evaluation_state import terms_of
from eyewall_sidecar.heuristic.partial_placement import without_response
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.model.violations import violations
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import cost, weigh
from small_problems import chain_of, graph_of


def grown(
    problem: PlacementProblem,
    term: Term,
    *,
    width: int,
    fixed: dict[int, int] | None = None,
    aware: bool = True,
    enough: float = np.inf,
) -> tuple[float, Places]:
    arrays = ProblemArrays.of(problem)
    costs = without_response(arrays, weigh(arrays, {term: 1.0}))
    terms, order = terms_of(arrays, costs), arrays.path_order
    ahead = no_completions(terms)
    if aware:
        ahead = completions(terms, np.ones(arrays.operators, dtype=np.int64), order)
    places = np.full(arrays.operators, -1)
    for operator, node in (fixed or {}).items():
        places[operator] = node
    holes = np.array([it for it in order if places[it] < 0])
    return grow(terms, ahead, places, holes, width, enough)


def test_one_that_looks_ahead_takes_the_dear_step_that_saves_later_ones() -> None:
    # a ─1/s─▶ b ─100/s─▶ c, one place on n1 where a is pinned, two on n3, one on n2 next to n1.
    # b on n2 is 10 ms away, but then c is 20 ms further: 1 · 0.01 + 100 · 0.02 = 2.01; both on n3
    # cost 1 · 0.03 = 0.03. Who does not look ahead puts b on n2.
    problem = chain_of(
        [1, 100],
        [1, 1, 2],
        pins={"a": "n1"},
        delays={("n1", "n2"): 0.010, ("n1", "n3"): 0.030, ("n2", "n3"): 0.020},
    )
    value, places = grown(problem, Term.N, width=1)
    assert value == pytest.approx(0.03)
    assert places.tolist() == [0, 2, 2]
    value, places = grown(problem, Term.N, width=1, aware=False)
    assert value == pytest.approx(2.01)


def test_holes_are_placed_around_those_that_stay() -> None:
    # a on n1 and c on n3 stay. b between them: on n2 it costs 5 · 10 + 7 · 20 ms = 0.19, with a
    # 7 · 30 ms = 0.21, with c 5 · 30 ms = 0.15.
    problem = chain_of(
        [5, 7],
        [2, 2, 2],
        delays={("n1", "n2"): 0.010, ("n1", "n3"): 0.030, ("n2", "n3"): 0.020},
    )
    value, places = grown(problem, Term.N, width=1, fixed={0: 0, 2: 2}, aware=False)
    assert value == pytest.approx(0.15)
    assert places.tolist() == [0, 2, 2]


def test_nothing_is_found_where_nothing_costs_less_than_asked_for() -> None:
    # One place each: a → b is 10 ms at least.
    problem = chain_of([1], [1, 1])
    assert grown(problem, Term.R, width=4, enough=0.010)[0] == np.inf
    assert grown(problem, Term.R, width=4, enough=0.011)[0] == pytest.approx(0.010)


def test_a_link_carries_no_more_than_its_bandwidth() -> None:
    # a and b have one place each, on n1, n2 or n3; their stream has 5 bytes/s, links 4.
    assert grown(graph_of({("a", "b"): 5.0}, [1, 1, 1], bandwidth=4), Term.N, width=9)[0] == np.inf
    assert grown(graph_of({("a", "b"): 5.0}, [1, 1, 1], bandwidth=5), Term.N, width=9)[0] < np.inf


@pytest.mark.parametrize("term", PAPER_TERMS)
def test_a_beam_that_keeps_everything_finds_the_optimum_and_reports_what_it_costs(
    term: Term,
) -> None:
    # Up to 4⁵ = 1,024 placements, each tried; of those with the same future the dearer may go.
    for seed in range(6):
        draw = Random(seed)
        names = "abcde"
        streams = {
            (i, j): draw.uniform(1, 9)
            for place, j in enumerate(names)
            for i in draw.sample(names[:place], min(place, 2))
        }
        nodes = [f"n{place}" for place in range(1, 5)]
        delays = {(u, v): draw.uniform(0.001, 0.03) for u in nodes for v in nodes if u < v}
        problem = graph_of(streams, [2, 2, 1, 2], delays=delays, pins={"c": "n3"})
        arrays = ProblemArrays.of(problem)
        value, places = grown(problem, term, width=1024)
        assert violations(problem, placement_of(problem, places)) == ()
        assert value == pytest.approx(cost(arrays, weigh(arrays, {term: 1.0}), places))
        every = EveryPlacement.of(problem).values[term]
        assert value == pytest.approx(-every.max() if term is Term.A else every.min())
