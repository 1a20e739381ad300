"""Every answer says how many placements, whole or in part, its policy looked at."""

from dataclasses import replace

from eyewall_sidecar.heuristic.ant_colony import Colony
from eyewall_sidecar.heuristic.neighbourhoods import MOVE
from eyewall_sidecar.heuristic.stopping_criteria import After
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Status, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import load_policy
from eyewall_sidecar.policies.ant_system import AntSystem
from eyewall_sidecar.policies.bound_guided import BoundGuided
from eyewall_sidecar.policies.hill_climbing import HillClimbing
from eyewall_sidecar.policies.hybrid import Hybrid
from small_problems import chain_of

PATIENCE = 120.0
N = Objective.parse("N=1")
T = Objective.parse("T=1")


def test_one_after_the_other_counts_the_nodes_that_could_take_each_operator() -> None:
    # a has two nodes to choose from, b the other one, for each holds one operator.
    problem = chain_of([1], rooms=[1, 1])
    for name, objective in (("greedy", N), ("round_robin", N), ("xu", T)):
        found = load_policy(name)(problem, objective, time_limit=PATIENCE, seed=0)
        assert found.evaluated == 2 + 1, name


def test_ras_counts_what_it_put_somewhere() -> None:
    found = load_policy("ras")(chain_of([1, 1], rooms=[2, 1]), N, time_limit=PATIENCE, seed=0)
    assert found.evaluated == 3


def test_hill_climbing_counts_the_changes_of_each_neighbourhood_that_it_went_through() -> None:
    # The greedy start, both on n1, is the optimum: one look at 2 operators × 3 nodes.
    problem = chain_of([1], rooms=[2, 2, 2])
    found = HillClimbing((MOVE,))(problem, N, time_limit=PATIENCE, seed=0)
    assert found.evaluated == 6


def test_the_ant_system_counts_ants_and_the_hybrid_adds_the_climb() -> None:
    problem = chain_of([1], rooms=[2, 2, 2])
    ants = AntSystem(Colony(ants=7), After(steps=5, idle=5), limit=PATIENCE)
    assert ants(problem, N, time_limit=PATIENCE, seed=0).evaluated == 5 * 7
    both = Hybrid(ants, (MOVE,), limit=2 * PATIENCE)(problem, N, time_limit=PATIENCE, seed=0)
    assert both.evaluated == 5 * 7 + 6


def test_the_bound_guided_search_counts_its_steps() -> None:
    problem = chain_of([1, 1], rooms=[2, 2])
    assert BoundGuided(steps=9)(problem, N, time_limit=PATIENCE, seed=0).evaluated == 9


def test_operators_in_a_cost_space_count_their_turns() -> None:
    problem = chain_of([1, 1], rooms=[1, 1, 1], pins={"a": "n1", "c": "n3"})
    for name in ("rizou", "pietzuch"):
        found = load_policy(name)(problem, N, time_limit=PATIENCE, seed=0)
        turns = next(it for it in found.reasons if "turns" in it)
        assert found.evaluated > 0
        assert f" {found.evaluated} turns" in turns


def test_odp_counts_all_that_its_engines_looked_at_for_a_sum_over_its_terms_too() -> None:
    problem = chain_of([3, 1, 4, 1, 5], rooms=[2, 2, 2], pins={"a": "n1", "f": "n3"})
    alone = load_policy("odp")(problem, N, time_limit=PATIENCE, seed=0).evaluated
    mixed = Objective.parse("N=0.5,T=0.5")
    together = load_policy("odp")(problem, mixed, time_limit=PATIENCE, seed=0).evaluated
    assert 0 < alone < together


def test_what_was_looked_at_before_the_room_ran_out_counts_too() -> None:
    # Of 0.6 cores each no two fit on a node of one: a finds a node of two, b the other, c none.
    nodes = Node("n1", cpu=1), Node("n2", cpu=1)
    links = {("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)}
    operators = tuple(Operator(it, cpu=0.6) for it in "abc")
    problem = PlacementProblem(operators, (Stream("a", "b"), Stream("b", "c")), nodes, links)
    found = load_policy("greedy")(problem, N, time_limit=PATIENCE, seed=0)
    assert found.status is Status.INFEASIBLE
    assert found.evaluated >= 2 + 1


def test_odp_counts_what_it_took_to_see_whether_availability_0_can_be_avoided() -> None:
    # The same question twice: once to see whether there is a way around n2, once to answer.
    problem = chain_of([3, 1, 4, 1, 5], rooms=[2, 2, 2], pins={"a": "n1", "f": "n3"})
    n1, n2, n3 = problem.nodes
    dead = replace(problem, nodes=(n1, replace(n2, availability=0.0), n3))
    alive = replace(problem, nodes=(n1, replace(n2, availability=0.5), n3))
    found = [
        load_policy("odp")(it, Objective.parse("A=1"), time_limit=PATIENCE, seed=0).evaluated
        for it in (alive, dead)
    ]
    assert found[1] > found[0]
