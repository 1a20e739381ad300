import numpy as np
import pytest
from eyewall_sidecar.heuristic.completions import Completions, completions, twins
from eyewall_sidecar.heuristic.evaluation_state import Terms, terms_of
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from small_problems import chain_of, graph_of

FAR = {("n1", "n2"): 0.010, ("n1", "n3"): 0.030, ("n2", "n3"): 0.020}


def terms(problem: PlacementProblem, term: Term) -> Terms:
    arrays = ProblemArrays.of(problem)
    return terms_of(arrays, weigh(arrays, {term: 1.0}))


def tables(problem: PlacementProblem, term: Term) -> Completions:
    laid_out = terms(problem, term)
    alone = np.ones(len(problem.operators), dtype=np.int64)
    return completions(laid_out, alone, np.arange(len(problem.operators)))


def test_a_run_stays_while_there_is_room_and_then_leaves_for_the_nearest_node() -> None:
    # a ─10/s─▶ b ─10/s─▶ c on nodes for two. With b still to come, a on n1:
    # room left for one: b joins, c leaves for n2, 10/s · 10 ms = 0.1. No room: b leaves for n2 at
    # 0.1, where c joins it.
    ahead = tables(chain_of([10, 10], [2, 2, 2], delays=FAR), Term.N)
    assert ahead.rest[1, 0, 1] == pytest.approx(0.1)
    assert ahead.rest[1, 0, 0] == pytest.approx(0.1)
    # c alone, b on n3 with no room left: the nearest is n2, 10/s · 20 ms = 0.2.
    assert ahead.rest[2, 2, 0] == pytest.approx(0.2)


def test_the_way_to_the_end_knows_that_a_full_node_has_to_be_left() -> None:
    # a → b → c on nodes for one: each step leaves. From n3: n2 after 20 ms, then n1 after 10 ms.
    # (n2 and back to n3 is as far as it gets to see: 40 ms.)
    ahead = tables(chain_of([1, 1], [1, 1, 1], delays=FAR), Term.R)
    assert ahead.tail[0, 2, 0] == pytest.approx(0.030)


def test_of_many_led_by_one_only_as_many_stay_as_find_room() -> None:
    # a feeds b, c and d with 10, 20 and 30 tuples/s. Room for one more beside a on n1: d stays,
    # b and c go 10 ms away: (10 + 20) · 10 ms = 0.3. a with all its followers, at best: room for
    # two beside it on any node: 10 · 10 ms = 0.1.
    ahead = tables(graph_of({("a", "b"): 10, ("a", "c"): 20, ("a", "d"): 30}, [3, 3, 3]), Term.N)
    assert ahead.begin[0] == pytest.approx(0.1)


def test_twins_are_operators_with_the_same_neighbours_in_the_same_directions() -> None:
    # b and c both stand between a and d; e only receives from a.
    streams = dict.fromkeys([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "e")], 1.0)
    problem = graph_of(streams, [9])
    count = dict(
        zip([it.id for it in problem.operators], twins(terms(problem, Term.N)), strict=True)
    )
    assert count == {"a": 1, "b": 2, "c": 2, "d": 1, "e": 1}
