"""HiGHS on the numpy form: its answers, and what of them is believed."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from brute_force import brute_force, carried, every_placement, fits
from eyewall_sidecar.exact import sparse_engine
from eyewall_sidecar.exact.finding import Clock, Finding, Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.exact.integer_program import create_program, read_placement, unit
from eyewall_sidecar.exact.sparse_engine import integer_program, solve_families
from eyewall_sidecar.exact.sparse_program import SparseProgram, families
from eyewall_sidecar.model import Link, LinkMatrix, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import cost, weigh
from random_problems import random_problem

WEIGHTS = (
    {Term.R: 1.0},
    {Term.A: 1.0},
    {Term.T: 1.0},
    {Term.N: 1.0},
    {Term.EE: 1.0},
    {Term.R: 10.0, Term.A: 1.0, Term.T: 0.01, Term.N: 0.3, Term.EE: 3.0},
    {Term.R: 1.0, Term.A: 0.0},
)


def found(
    problem: PlacementProblem,
    weights: dict[Term, float],
    *,
    start: list[int] | None = None,
    ends_at: float = 30.0,
    clock: Clock = lambda: 0.0,
) -> Finding:
    arrays = ProblemArrays.of(problem)
    places = None if start is None else np.array(start)
    return integer_program(
        arrays, weigh(arrays, weights), start=places, ends_at=ends_at, clock=clock, seed=0
    )


def two_nodes(
    *operators: Operator,
    streams: tuple[Stream, ...] = (),
    rooms: tuple[float, float] = (inf, inf),
    delay: float = 0.01,
    bandwidth: float = inf,
) -> PlacementProblem:
    """Operators on n1 and n2."""
    return PlacementProblem(
        operators,
        streams,
        (Node("n1", operators=rooms[0]), Node("n2", operators=rooms[1])),
        {
            ("n1", "n2"): Link(delay, bandwidth=bandwidth),
            ("n2", "n1"): Link(delay * 1.5, bandwidth=bandwidth),
        },
    )


def chain(operators: int, nodes: int, *, seed: int = 0) -> PlacementProblem:
    """Operators in a row on nodes with room for four, delays around 22 ms."""
    names = [f"n{place}" for place in range(nodes)]
    delays = np.random.default_rng(seed).normal(0.022, 0.005, (nodes, nodes))
    return PlacementProblem(
        tuple(Operator(f"o{place}") for place in range(operators)),
        tuple(Stream(f"o{place}", f"o{place + 1}") for place in range(operators - 1)),
        tuple(Node(name, operators=4) for name in names),
        LinkMatrix.from_delays(names, np.maximum(delays, 0.001)),
    )


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_the_answer_is_that_of_trying_every_placement(weights: dict[Term, float]) -> None:
    for seed in range(70):
        arrays = ProblemArrays.of(random_problem(seed, operators=5))
        costs = weigh(arrays, weights)
        truth = brute_force(arrays, costs)
        tried = every_placement(arrays)
        valid = tried[fits(arrays, tried) & carried(arrays, tried)]
        start = valid[-1] if len(valid) and seed % 2 else None
        finding = integer_program(
            arrays, costs, start=start, ends_at=30.0, clock=lambda: 0.0, seed=seed
        )
        assert finding.outcome is truth.outcome, seed
        if truth.places is not None and finding.places is not None:
            assert finding.cost == pytest.approx(truth.cost, rel=1e-7, abs=1e-9), seed
            assert finding.cost == cost(arrays, costs, finding.places), seed
            assert finding.bound <= truth.cost * (1 + 1e-9), seed


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_the_readable_form_in_pulp_has_the_same_optimum(weights: dict[Term, float]) -> None:
    for seed in range(100, 106):
        problem = random_problem(seed, operators=5)
        arrays = ProblemArrays.of(problem)
        scaled = {term: weight * unit(problem, term) for term, weight in weights.items()}
        most = max(scaled.values()) or 1.0
        program = create_program(problem, {term: it / most for term, it in scaled.items()})
        run = minimise(program.linear, ends_at=30.0, clock=lambda: 0.0, seed=0)
        finding = found(problem, weights)
        assert finding.outcome is run.outcome
        if finding.places is not None:
            node = {it.id: place for place, it in enumerate(problem.nodes)}
            placement = read_placement(program)
            places = np.array([node[placement[it.id]] for it in problem.operators])
            value = cost(arrays, weigh(arrays, weights), places)
            assert finding.cost == pytest.approx(value, rel=1e-6, abs=1e-9)


def test_a_link_carries_the_streams_of_all_pairs_together() -> None:
    # b and c are pinned to n2; with a on n1 the link would carry 60 + 50 of 100 bytes/s.
    far = ("n2",)
    operators = (Operator("a"), Operator("b", candidates=far), Operator("c", candidates=far))
    streams = (Stream("a", "b", 6, tuple_bytes=10), Stream("a", "c", 5, tuple_bytes=10))
    crowd = Operator("d", candidates=far)
    for limit, place in ((100, None), (110, 0)):
        # n2 has room for b, c and d only, so a has to be on n1.
        problem = two_nodes(*operators, crowd, streams=streams, rooms=(inf, 3), bandwidth=limit)
        finding = found(problem, {Term.N: 1.0})
        if place is None:
            assert finding.outcome is Outcome.INFEASIBLE
        else:
            assert finding.places is not None
            assert finding.places.tolist() == [0, 1, 1, 1]


def test_a_link_carries_what_flows_back_and_only_in_its_own_direction() -> None:
    # b and c, on n2, send 60 + 50 bytes/s to a. n2 has room for two, so a has to be on n1, and
    # that takes 110 bytes/s from n2 to n1; n1 → n2 carries nothing.
    far = ("n2",)
    problem = two_nodes(
        Operator("a"),
        Operator("b", candidates=far),
        Operator("c", candidates=far),
        streams=(Stream("b", "a", 6, tuple_bytes=10), Stream("c", "a", 5, tuple_bytes=10)),
        rooms=(inf, 2),
    )
    for limited, outcome in (("n2", Outcome.INFEASIBLE), ("n1", Outcome.OPTIMAL)):
        links = {
            ends: replace(link, bandwidth=100.0 if ends[0] == limited else inf)
            for ends, link in problem.links.items()
        }
        assert found(replace(problem, links=links), {Term.N: 1.0}).outcome is outcome


def test_a_load_beyond_all_capacities_is_no_number_that_highs_refuses() -> None:
    # 1e15 cores would be 1e27 thousandths of a node of 1e-9.
    problem = two_nodes(Operator("a", cpu=1e15), Operator("b", cpu=1.0))
    nodes = (replace(problem.nodes[0], cpu=1e-9), problem.nodes[1])
    finding = found(replace(problem, nodes=nodes), {Term.T: 1.0})
    assert finding.outcome is Outcome.OPTIMAL
    assert finding.places is not None
    assert finding.places.tolist() == [1, 1]


def test_both_directions_between_two_operators_count_with_their_own_rates() -> None:
    # a → b 3/s and b → a 1/s, apart: n1 → n2 takes 10 ms, back 15. a on n1: 3·10 + 1·15 = 45;
    # a on n2: 3·15 + 1·10 = 55 thousandths of a tuple in flight.
    streams = (Stream("a", "b", 3.0), Stream("b", "a", 1.0))
    finding = found(
        two_nodes(Operator("a"), Operator("b"), streams=streams, rooms=(1, 1)), {Term.N: 1.0}
    )
    assert finding.places is not None
    assert finding.places.tolist() == [0, 1]
    assert finding.cost == pytest.approx(0.045)


def test_what_every_placement_costs_hides_no_difference() -> None:
    # Pitfall: 2 · 1000 s of work, and links of 10 and 15 ns: the difference is 2.5e-12 of R, far
    # below any relative gap.
    operators = (Operator("a", execution_time=1000.0), Operator("b", execution_time=1000.0))
    problem = two_nodes(*operators, streams=(Stream("a", "b"),), rooms=(1, 1), delay=1e-8)
    finding = found(problem, {Term.R: 1.0})
    assert finding.outcome is Outcome.OPTIMAL
    assert finding.places is not None
    assert finding.places.tolist() == [0, 1]


def test_where_all_placements_cost_the_same_any_is_optimal() -> None:
    # Pitfall: with A = 1 everywhere, best and worst case are both 0, and nothing can be scaled.
    finding = found(two_nodes(Operator("a"), Operator("b"), rooms=(1, 1)), {Term.A: 1.0})
    assert (finding.outcome, finding.cost, finding.bound) == (Outcome.OPTIMAL, 0.0, 0.0)


def test_nothing_to_place_is_placed() -> None:
    finding = found(two_nodes(), {Term.R: 1.0})
    assert (finding.outcome, finding.cost) == (Outcome.OPTIMAL, 0.0)


def test_what_is_never_available_is_not_used_and_if_it_must_be_there_is_no_placement() -> None:
    # Pitfall: log 0.
    dead = Node("dead", operators=1, availability=0.0)
    for room, outcome in ((2, Outcome.OPTIMAL), (1, Outcome.INFEASIBLE)):
        problem = PlacementProblem(
            (Operator("a"), Operator("b")),
            (Stream("a", "b"),),
            (dead, Node("n1", operators=room, availability=0.5)),
            {("dead", "n1"): Link(0.1), ("n1", "dead"): Link(0.1)},
        )
        finding = found(problem, {Term.A: 1.0})
        assert finding.outcome is outcome
        if finding.places is not None:
            assert finding.cost == pytest.approx(-2 * np.log(0.5))


@pytest.mark.parametrize(
    ("needs", "outcome"),
    [
        ([0.5, 0.5, 1.0], Outcome.OPTIMAL),  # exactly used
        ([0.1 + 0.2, 0.7, 1.0], Outcome.OPTIMAL),  # exactly used, but for the sum of decimals
        ([0.5, 0.5 + 1e-7, 1.0], Outcome.INFEASIBLE),  # more, by a hair
        ([1.1, 0.1, 0.1], Outcome.INFEASIBLE),  # one operator fits nowhere
        ([0.7, 0.7, 0.7], Outcome.INFEASIBLE),  # all together are too much
        ([0.6, 0.6, 0.6, 0.1], Outcome.INFEASIBLE),  # enough in all, but not in these pieces
    ],
)
def test_a_capacity_may_be_used_up_and_not_a_hair_more(
    needs: list[float], outcome: Outcome
) -> None:
    problem = two_nodes(*(Operator(f"o{place}", cpu=need) for place, need in enumerate(needs)))
    problem = replace(problem, nodes=tuple(replace(node, cpu=1.0) for node in problem.nodes))
    finding = found(problem, {Term.T: 1.0})
    assert finding.outcome is outcome
    assert (finding.bound == inf) is (outcome is Outcome.INFEASIBLE)


def test_resources_are_counted_each_by_itself() -> None:
    # By cpu, a and b fit together; by memory they do not. a and c fit by both.
    operators = (
        Operator("a", cpu=0.5, memory=6e8),
        Operator("b", cpu=0.5, memory=6e8),
        Operator("c", cpu=0.5, memory=4e8),
    )
    streams = (Stream("a", "b", 100.0), Stream("a", "c", 1.0))
    problem = two_nodes(*operators, streams=streams)
    nodes = tuple(replace(node, cpu=1.0, memory=1e9) for node in problem.nodes)
    finding = found(replace(problem, nodes=nodes), {Term.T: 1.0})
    assert finding.cost == 100.0


def test_operators_on_no_path_have_no_response_time() -> None:
    # Only acks between them: R is 0, T is not, with a start and without.
    acks = (Stream("a", "b", 2.0, system=True),)
    problem = two_nodes(Operator("a"), Operator("b"), streams=acks, rooms=(1, 1))
    for start in (None, [1, 0]):
        finding = found(problem, {Term.R: 1.0, Term.N: 1.0}, start=start)
        # 2/s over 10 ms, a on n1.
        assert finding.outcome is Outcome.OPTIMAL
        assert finding.cost == pytest.approx(0.02)


class Hand:
    """A clock that someone sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def cut_short(at: float, start: Places | None) -> Finding:
    """Solve a chain of 12 on 8 nodes by 30 s, where the last family takes until `at`."""
    hand = Hand()

    def linger(_: SparseProgram) -> None:
        hand.now = at

    arrays = ProblemArrays.of(chain(12, 8))
    return solve_families(
        arrays,
        weigh(arrays, {Term.R: 1.0}),
        (*families(), linger),
        start=start,
        ends_at=30.0,
        clock=hand,
        seed=0,
    )


def test_what_the_time_limit_ended_is_never_optimal() -> None:
    # Pitfall: PuLP calls such an incumbent optimal.
    start = np.arange(12) // 4
    arrays = ProblemArrays.of(chain(12, 8))
    finding = cut_short(30.0 - 1e-9, start)
    assert finding.outcome is Outcome.INCUMBENT
    assert finding.cost <= cost(arrays, weigh(arrays, {Term.R: 1.0}), start)
    assert finding.bound < finding.cost


def test_without_a_placement_when_the_time_is_up_there_is_nothing_but_a_bound() -> None:
    finding = cut_short(30.0 - 1e-9, None)
    assert (finding.outcome, finding.places, finding.cost) == (Outcome.NOTHING, None, inf)
    assert finding.bound == 0.0


def test_a_program_that_is_not_built_in_time_is_given_up() -> None:
    finding = cut_short(30.0, None)
    assert finding.outcome is Outcome.NOTHING
    assert finding.remark == "there was no time to build the integer program"


def test_a_program_that_cannot_be_built_in_time_is_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 20 · 10 x and 19 · 10² y: 2100 columns are 21 ms at 10 µs each.
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(sparse_engine, "begin", never)
    finding = found(chain(20, 10), {Term.R: 1.0}, ends_at=0.02)
    assert finding.outcome is Outcome.NOTHING
    assert finding.remark == "there was no time to build the integer program"


def test_thousands_of_operators_are_refused_at_once() -> None:
    # 3,000 · 50 x and 2,999 · 50² y.
    finding = found(chain(3_000, 50), {Term.T: 1.0}, ends_at=1e6)
    assert finding.outcome is Outcome.NOTHING
    assert finding.remark == (
        "the integer program would have 7,647,500 columns; it takes up to 5,000,000"
    )


def test_a_start_that_breaks_a_constraint_is_passed_over() -> None:
    assert cut_short(30.0 - 1e-9, np.zeros(12, dtype=np.int64)).outcome is Outcome.NOTHING
    # On another node than its only candidate:
    pinned = two_nodes(Operator("a", candidates=("n2",)), Operator("b"))
    finding = found(pinned, {Term.T: 1.0}, start=[0, 0])
    assert finding.places is not None
    assert finding.places[0] == 1


def test_a_start_that_is_the_optimum_is_proven() -> None:
    problem = chain(8, 4)
    best = found(problem, {Term.R: 1.0})
    assert best.places is not None
    again = found(problem, {Term.R: 1.0}, start=best.places.tolist())
    assert (again.outcome, again.cost) == (Outcome.OPTIMAL, best.cost)
