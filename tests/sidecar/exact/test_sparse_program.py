"""The numpy form, row by row: it lets through every placement, and nothing else."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from brute_force import carried, costs_of, every_placement, fits
from eyewall_sidecar.exact import sparse_cuts as matrix_cuts
from eyewall_sidecar.exact.cuts import define_path_covers as pulp_path_covers
from eyewall_sidecar.exact.cuts import define_star_capacities as pulp_star_capacities
from eyewall_sidecar.exact.integer_program import create_program
from eyewall_sidecar.exact.sparse_cuts import define_path_covers, define_star_capacities
from eyewall_sidecar.exact.sparse_engine import completed
from eyewall_sidecar.exact.sparse_program import SparseProgram, create_sparse_program
from eyewall_sidecar.exact.sparse_rows import ABSENT, Stack, stacked
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.generic_resources import RESOURCES
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from random_problems import Graph, Traits, random_problem
from small_problems import chain_of, graph_of

MIXED = {Term.R: 10.0, Term.A: 1.0, Term.T: 0.01, Term.N: 0.3, Term.EE: 3.0}


def built(
    problem: PlacementProblem, weights: dict[Term, float], *, cuts: bool = False
) -> SparseProgram:
    arrays = ProblemArrays.of(problem)
    program = create_sparse_program(arrays, weigh(arrays, weights))
    assert program is not None
    if cuts:
        define_path_covers(program)
        define_star_capacities(program)
    return program


def rows_of(program: SparseProgram) -> Stack:
    blocks = [rows for family in program.blocks.values() for rows in family]
    return stacked(blocks, program.columns)


def sums(stack: Stack, values: Floats) -> Floats:
    """Return [row]: Σ values · columns."""
    terms = np.append(stack.values * values[stack.columns], 0.0)
    found: Floats = np.array(
        [terms[start:end].sum() for start, end in zip(stack.starts, stack.starts[1:], strict=False)]
    )
    return found


def factors(program: SparseProgram, family: str, row: int = 0) -> dict[int, float]:
    """Return column → factor of one row of a family."""
    stack = stacked(program.blocks[family], program.columns)
    entries = slice(stack.starts[row], stack.starts[row + 1])
    return dict(zip(stack.columns[entries].tolist(), stack.values[entries].tolist(), strict=True))


@pytest.mark.parametrize("weights", [{Term.R: 1.0}, {Term.N: 1.0}, MIXED], ids=["R", "N", "mixed"])
def test_rows_let_through_the_valid_placements_with_their_cost_and_no_other(
    weights: dict[Term, float],
) -> None:
    checked = 0
    for seed in range(60):
        arrays = ProblemArrays.of(random_problem(seed, operators=5, nodes=3))
        costs = weigh(arrays, weights)
        tried = every_placement(arrays)
        values = costs_of(arrays, costs, tried)
        valid = fits(arrays, tried) & carried(arrays, tried) & np.isfinite(values)
        program = create_sparse_program(arrays, costs)
        if program is None:
            assert not valid.any()
            continue
        define_path_covers(program)
        define_star_capacities(program)
        stack = rows_of(program)
        for places, good, value in zip(tried, valid, values.tolist(), strict=True):
            if not reachable(program, places):
                assert not good, seed
                continue
            columns = completed(program, places)
            row_sums = sums(stack, columns)
            kept = (row_sums >= stack.lower - 1e-6) & (row_sums <= stack.upper + 1e-6)
            assert kept.all() == good, (seed, places)
            if good and program.unit:
                told = program.constant + program.unit * (program.objective @ columns)
                assert told == pytest.approx(value, rel=1e-9, abs=1e-12), (seed, places)
            checked += good
    assert checked > 600


def reachable(program: SparseProgram, places: Places) -> bool:
    """Whether the placement has a column for each x and y."""
    if (program.x[np.arange(len(places)), places] == ABSENT).any():
        return False
    return not any(
        y is not None and y[places[pair.one], places[pair.other]] == ABSENT
        for pair, y in zip(program.pairs, program.y, strict=True)
    )


@pytest.mark.parametrize("graph", Graph)
def test_families_have_as_many_rows_as_in_the_readable_form(graph: Graph) -> None:
    # Rows for links are fewer here: those that cannot bind are left out.
    seen: Counter[str] = Counter()
    for seed in range(12):
        traits = Traits(
            graph, limited=True, resources=True, pins=seed % 2 == 1, system_streams=True
        )
        drawn = random_problem(seed, traits, operators=7)
        problem = replace(
            drawn, streams=tuple(replace(it, rate=it.rate + 1) for it in drawn.streams)
        )
        program = built(problem, {Term.R: 1.0, Term.N: 1.0}, cuts=True)
        readable = create_program(problem, {Term.R: 1.0, Term.N: 1.0})
        pulp_path_covers(readable)
        pulp_star_capacities(readable)
        names = Counter(family_of(it.name) for it in readable.linear.constraints())
        counts = Counter({family: program.count(family) for family in program.blocks})
        if not program.unit:  # there is nothing to minimise, and no time to know
            names -= Counter({it: names[it] for it in ("path", "source", "sink")})
        assert +counts == +names, seed
        seen += counts
    assert {"capacity", "path_cover", "linking", "path"} <= set(seen)


def family_of(name: str) -> str:
    """Return the family of a row's name in the LP file."""
    first = name.split("_")[0]
    if name.startswith("path_cover"):
        return "path_cover"
    return "capacity" if first in (*RESOURCES, "generic") else first


def test_layers_have_a_row_for_each_stream_not_for_each_path() -> None:
    # Pitfall: ten layers of two have 2¹⁰ paths; streams are 2 + 9 · 4 + 2.
    layers = [["s"], *([f"a{k}", f"b{k}"] for k in range(10)), ["t"]]
    ends = [pair for one, two in pairwise(layers) for pair in product(one, two)]
    program = built(graph_of(dict.fromkeys(ends, 1.0), [4.0] * 6), {Term.R: 1.0})
    assert program.count("path") == 40


def test_a_stream_with_a_fixed_end_needs_no_columns_of_its_own() -> None:
    # a is on n1; b and c are on either of n1 and n2: 1 + 2 + 2 x and 2 · 2 y.
    program = built(chain_of([1, 1], [3, 3], pins={"a": "n1"}), {Term.N: 1.0})
    assert program.columns == 9
    first = program.y[0]
    assert first is not None
    assert first.tolist() == [program.x[1].tolist(), [ABSENT, ABSENT]]


def test_streams_between_the_same_operators_share_their_columns() -> None:
    # Both ways, 2/s and 3/s, 10 ms either way: 50 thousandths of a tuple if apart, which is all
    # that can be different, so 1000 units.
    program = built(graph_of({("a", "b"): 2, ("b", "a"): 3}, [1, 1]), {Term.N: 1.0})
    assert program.columns == 2 * 2 + 2 * 2
    y = program.y[0]
    assert y is not None
    assert program.objective[y].tolist() == [[0, pytest.approx(1000)], [pytest.approx(1000), 0]]


def test_pairs_that_cost_the_same_anywhere_need_no_columns() -> None:
    # All links are always up, so A depends on x alone.
    program = built(chain_of([1, 1], [3, 3]), {Term.A: 1.0})
    assert program.columns == 3 * 2


def test_a_link_too_narrow_for_a_stream_has_no_column_and_one_too_narrow_for_two_has_a_row() -> (
    None
):
    # a → b 60 bytes/s, a → c 50 and b → c 200, over links of 100.
    streams = {("a", "b"): 60.0, ("a", "c"): 50.0, ("b", "c"): 200.0}
    program = built(graph_of(streams, [2, 2], bandwidth=100.0), {Term.N: 1.0})
    ab, ac, bc = program.y
    assert ab is not None
    assert ac is not None
    assert bc is not None
    assert (bc == ABSENT).tolist() == [[False, True], [True, False]]
    assert program.count("bandwidth") == 2
    # Counted in thousandths of 100 bytes/s.
    assert factors(program, "bandwidth") == {
        int(ab[0, 1]): pytest.approx(600),
        int(ac[0, 1]): pytest.approx(500),
    }


def test_a_node_from_which_a_neighbour_is_out_of_reach_is_no_choice() -> None:
    # b is on n2, and no link carries anything: a has to be on n2 as well.
    problem = graph_of({("a", "b"): 1.0}, [2, 2], pins={"b": "n2"}, bandwidth=0.0)
    program = built(problem, {Term.N: 1.0})
    assert program.choices.tolist() == [[False, True], [False, True]]


def test_no_constant_is_left_in_the_objective() -> None:
    # Pitfall: with 1 s of work for each operator a relative gap hides the network's part. Three
    # operators, two nodes with room for two and one: 3 s for all placements, and 10 ms at least.
    problem = chain_of([1, 1], [2, 1])
    problem = replace(
        problem, operators=tuple(replace(it, execution_time=1.0) for it in problem.operators)
    )
    program = built(problem, {Term.R: 1.0})
    assert program.constant == pytest.approx(3.0)
    # The best case is 0 beyond that, the worst 2 · 10 ms: a unit is 20 µs.
    assert program.unit == pytest.approx(20e-6)
    values = completed(program, np.array([0, 0, 1]))
    assert program.objective @ values == pytest.approx(500)


def test_what_is_rounding_beside_the_constant_is_no_difference() -> None:
    # Two days of work and links of 1 ns: sums in floating point are no finer than 3e-11.
    problem = chain_of([1], [1, 1], delays={("n1", "n2"): 1e-9})
    problem = replace(
        problem, operators=tuple(replace(it, execution_time=86_400) for it in problem.operators)
    )
    assert built(problem, {Term.R: 1.0}).unit == 0.0


def test_where_nothing_is_optimised_the_nodes_listed_first_are_preferred() -> None:
    # Pitfall: HiGHS 1.10 to 1.15 can run for ever on a program without costs.
    program = built(chain_of([1], [2, 2]), {})
    assert program.unit == 0.0
    assert program.objective.tolist() == [1, 2, 1, 2]


def test_a_path_that_overfills_a_node_is_covered() -> None:
    # a → b → c on nodes for two: y_ab + y_bc ≤ x_b on each node.
    program = built(chain_of([1, 1], [2, 2]), {Term.N: 1.0}, cuts=True)
    ab, bc = program.y
    assert ab is not None
    assert bc is not None
    assert program.count("path_cover") == 2
    assert factors(program, "path_cover", 1) == {
        int(ab[1, 1]): 1.0,
        int(bc[1, 1]): 1.0,
        int(program.x[1, 1]): -1.0,
    }


def test_a_hub_leaves_room_for_its_neighbours() -> None:
    # s with a, b and c on nodes for two: on its own node there is room for one, elsewhere for two.
    streams = {("s", "a"): 1.0, ("s", "b"): 1.0, ("s", "c"): 1.0}
    program = built(graph_of(streams, [2, 2]), {Term.N: 1.0}, cuts=True)
    ys = [y for y in program.y if y is not None]
    assert program.count("star") == 4
    for row, (u, w, room) in enumerate([(0, 0, 500), (0, 1, 1000), (1, 0, 1000), (1, 1, 500)]):
        assert factors(program, "star", row) == {
            int(program.x[0, u]): pytest.approx(-room),
            **{int(y[u, w]): pytest.approx(500) for y in ys},
        }


def test_hubs_get_rows_as_long_as_the_budget_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    # Four rows of four factors for s, and as many for t.
    streams = {(hub, leaf): 1.0 for hub in "st" for leaf in "abc"}
    for budget, rows in ((15, 0), (16, 4), (31, 4), (32, 8)):
        monkeypatch.setattr(matrix_cuts, "STAR_ENTRIES", budget)
        program = built(graph_of(streams, [2, 2]), {Term.N: 1.0}, cuts=True)
        assert program.count("star") == rows
