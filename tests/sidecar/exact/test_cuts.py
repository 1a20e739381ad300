"""Cuts take fractions away, never a placement."""

from itertools import product
from math import inf

import pytest
from eyewall_sidecar.exact.cuts import define_path_covers, define_star_capacities
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.exact.integer_program import OdpProgram, create_program
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream, violations
from eyewall_sidecar.objective import Term


def problem(streams: str, *, room: float = 2, cpu: float = inf) -> PlacementProblem:
    """Operators a … e, three nodes, one link slower than the others."""
    ids = ("n1", "n2", "n3")
    return PlacementProblem(
        tuple(Operator(name, cpu=0.5) for name in "abcde"),
        tuple(Stream(it[0], it[1]) for it in streams.split()),
        tuple(Node(u, operators=room, cpu=cpu) for u in ids),
        {
            (u, v): Link(0.05 if (u, v) == ("n1", "n2") else 0.02)
            for u in ids
            for v in ids
            if u != v
        },
    )


def names(program: OdpProgram) -> set[str]:
    return {constraint.name for constraint in program.linear.constraints()}


CHAIN = "ab bc cd de"
STAR = "ab ac ad ae"


def test_a_path_that_overfills_a_node_is_covered_from_each_of_its_starts() -> None:
    # Two fit: abc, bcd and cde do not, on each of three nodes.
    program = create_program(problem(CHAIN), {Term.R: 1.0})
    define_path_covers(program)
    assert len([name for name in names(program) if name.startswith("path_cover")]) == 9


def test_where_all_operators_fit_on_every_node_there_is_nothing_to_cut() -> None:
    program = create_program(problem(CHAIN, room=5), {Term.R: 1.0})
    define_path_covers(program)
    define_star_capacities(program)
    assert not [name for name in names(program) if name.startswith(("path_cover", "star"))]


def test_a_hub_that_overfills_a_node_with_its_neighbours_gets_a_row_for_each_pair_of_nodes() -> (
    None
):
    program = create_program(problem(STAR), {Term.N: 1.0})
    define_star_capacities(program)
    assert len([name for name in names(program) if name.startswith("star_operators_0")]) == 9


@pytest.mark.parametrize("streams", [CHAIN, STAR, "ab bc cd de ae ad", "ab ba bc cb ad"])
@pytest.mark.parametrize("limits", [{"room": 2}, {"room": 3, "cpu": 1.0}, {"room": 4, "cpu": 1.6}])
def test_every_valid_placement_obeys_every_cut(streams: str, limits: dict[str, float]) -> None:
    given = problem(streams, **limits)
    program = create_program(given, {Term.N: 1.0})
    plain = names(program)
    define_path_covers(program)
    define_star_capacities(program)
    cuts = [row for row in program.linear.constraints() if row.name not in plain]
    assert cuts
    for nodes in product(("n1", "n2", "n3"), repeat=5):
        placement = dict(zip("abcde", nodes, strict=True))
        if violations(given, placement):
            continue
        for operator, choices in program.x.items():
            for node, x in choices.items():
                x.varValue = float(placement[operator] == node)
        for (i, j), variables in program.y.items():
            for (u, v), y in variables.items():
                y.varValue = float((placement[i], placement[j]) == (u, v))
        assert [row.name for row in cuts if not row.valid(1e-9)] == []


@pytest.mark.parametrize("streams", [CHAIN, STAR])
def test_cuts_leave_the_optimum_where_it_is(streams: str) -> None:
    bounds = []
    for with_cuts in (False, True):
        program = create_program(problem(streams), {Term.N: 1.0})
        if with_cuts:
            define_path_covers(program)
            define_star_capacities(program)
        run = minimise(program.linear, ends_at=20, clock=lambda: 0.0, seed=0)
        assert run.outcome is Outcome.OPTIMAL
        bounds.append(run.bound)
    assert bounds[0] == pytest.approx(bounds[1])
