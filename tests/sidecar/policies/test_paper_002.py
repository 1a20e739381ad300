"""Hill climbing, the ant system and the hybrid: what is true of all three, and of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise, permutations, product
from random import Random

import pytest
from eyewall_contracts.objective_terms import PAPER_TERMS
from eyewall_sidecar.heuristic.ant_colony import Colony
from eyewall_sidecar.heuristic.neighbourhoods import MOVE
from eyewall_sidecar.heuristic.ranges import ranges_of
from eyewall_sidecar.heuristic.stopping_criteria import After
from eyewall_sidecar.model import (
    Link,
    Node,
    Operator,
    Placement,
    PlacementProblem,
    Status,
    Stream,
    violations,
)
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import EckerWeights, Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.ecker import ecker_score, with_headroom
from eyewall_sidecar.policies import Policy
from eyewall_sidecar.policies.ant_system import AntSystem
from eyewall_sidecar.policies.hill_climbing import HillClimbing
from eyewall_sidecar.policies.hybrid import Hybrid

SHORT = After(steps=60, idle=20)
ALL: dict[str, Policy] = {
    "hill_climbing": HillClimbing(),
    "ant_system": AntSystem(rounds=SHORT),
    "hybrid": Hybrid(ants=AntSystem(rounds=SHORT)),
}
every = pytest.mark.parametrize("policy", ALL.values(), ids=ALL.keys())
ECKER = Objective(ecker=EckerWeights())


def problem_of(seed: int, operators: int = 6, nodes: int = 4) -> PlacementProblem:
    """Return operators in a row with a short cut, on nodes for two each that differ in all else."""
    draw = Random(seed)
    names, places = [f"o{i}" for i in range(operators)], [f"n{u}" for u in range(nodes)]
    return PlacementProblem(
        operators=tuple(Operator(it, execution_time=0.001) for it in names),
        streams=(
            *(Stream(i, j, draw.uniform(1, 10)) for i, j in pairwise(names)),
            Stream(names[0], names[-1], 1),
        ),
        nodes=tuple(Node(it, operators=2, speedup=draw.uniform(1, 2)) for it in places),
        links={pair: Link(draw.uniform(0.001, 0.05)) for pair in permutations(places, 2)},
    )


@cache
def placements(seed: int) -> tuple[Placement, ...]:
    """Return every valid placement of a seed's problem."""
    problem = problem_of(seed)
    operators = [it.id for it in problem.operators]
    every = product(*(problem.candidates(it) for it in operators))
    tried = (dict(zip(operators, nodes, strict=True)) for nodes in every)
    return tuple(it for it in tried if not violations(problem, it))


@cache
def best_value(seed: int, text: str) -> float:
    """Return the best that any valid placement of a seed's problem has by an objective."""
    problem, objective = problem_of(seed), Objective.parse(text)
    ranges = ranges_of(ProblemArrays.of(problem), objective)
    values = [evaluate(problem, it, objective, ranges).value for it in placements(seed)]
    return max(values) if objective.maximised else min(values)


def loaded(**needs: float) -> PlacementProblem:
    """Return operators that need so much cpu, on two nodes of cpu 10."""
    return PlacementProblem(
        operators=tuple(Operator(it, cpu=cpu) for it, cpu in needs.items()),
        streams=tuple(Stream(i, j) for i, j in pairwise(needs)),
        nodes=(Node("n1", cpu=10), Node("n2", cpu=10)),
        links={("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)},
    )


@every
@pytest.mark.parametrize(
    "objective", ["ecker", *(f"{term}=1" for term in PAPER_TERMS), "R=0.5,N=0.5"]
)
def test_under_any_objective_the_answer_is_valid_with_its_true_value_and_not_better_than_possible(
    policy: Policy, objective: str
) -> None:
    problem, wanted = problem_of(1), Objective.parse(objective)
    solution = policy(problem, wanted, time_limit=20, seed=0)
    assert solution.status is Status.HEURISTIC
    assert solution.placement is not None
    assert solution.evaluation is not None
    assert violations(problem, solution.placement) == ()
    ranges = ranges_of(ProblemArrays.of(problem), wanted)
    assert solution.evaluation == evaluate(problem, solution.placement, wanted, ranges)
    # By less than the rounding of sums in another order.
    beyond = solution.evaluation.value - best_value(1, objective)
    assert (beyond if wanted.maximised else -beyond) <= 1e-12


@every
@pytest.mark.parametrize("seed", range(5))
def test_under_ecker_a_small_problem_is_placed_within_a_tenth_of_its_optimum(
    policy: Policy, seed: int
) -> None:
    problem = problem_of(seed)
    solution = policy(problem, ECKER, time_limit=20, seed=0)
    assert solution.evaluation is not None
    best = best_value(seed, "ecker")
    assert best - 1e-12 <= solution.evaluation.value <= best * 1.1


@every
def test_the_same_seed_gives_the_same_placement(policy: Policy) -> None:
    problem = problem_of(2, operators=12, nodes=8)
    first = policy(problem, ECKER, time_limit=20, seed=5)
    assert policy(problem, ECKER, time_limit=20, seed=5).placement == first.placement


def test_another_seed_lets_ants_go_another_way() -> None:
    ants = AntSystem(rounds=After(1, 1))
    problem = problem_of(2, operators=8, nodes=12)
    found = [ants(problem, ECKER, time_limit=20, seed=it).placement for it in range(5)]
    assert any(it != found[0] for it in found)


@every
def test_under_ecker_95_percent_of_a_nodes_cpu_may_be_used(policy: Policy) -> None:
    # 4.8 + 4.8 = 9.6 of 10 is too much for one node, though it would score less; 4.7 + 4.7 fits.
    apart = policy(loaded(a=4.8, b=4.8), ECKER, time_limit=20, seed=0)
    assert apart.placement is not None
    assert len(set(apart.placement.values())) == 2
    together = policy(loaded(a=4.7, b=4.7), ECKER, time_limit=20, seed=0)
    assert together.placement is not None
    assert len(set(together.placement.values())) == 1


@every
def test_under_any_other_objective_all_of_it_may_be_used(policy: Policy) -> None:
    solution = policy(loaded(a=4.8, b=4.8), Objective.parse("N=1"), time_limit=20, seed=0)
    assert solution.placement is not None
    assert len(set(solution.placement.values())) == 1


@every
def test_what_fits_no_node_within_95_percent_is_infeasible_and_said_so(policy: Policy) -> None:
    solution = policy(loaded(a=9.6, b=1), ECKER, time_limit=20, seed=0)
    assert solution.status is Status.INFEASIBLE
    assert solution.placement is None
    assert solution.reasons[-1] == ("of CPU and memory 95% may be used (paper 002, section 4.2)")
    assert "operator a needs cpu 9.6" in solution.reasons[0]


@every
def test_a_placement_that_only_one_search_in_many_would_find_is_found_all_the_same(
    policy: Policy,
) -> None:
    # 6, 4, 5, 3, 2 on two nodes of 10: {6, 4} and {5, 3, 2} is the only way.
    problem = loaded(a=5, b=6, c=3, d=4, e=2)
    solution = policy(problem, Objective.parse("N=1"), time_limit=20, seed=0)
    assert solution.placement is not None
    assert violations(problem, solution.placement) == ()


def test_hill_climbing_starts_where_operators_run_and_stays_if_that_is_a_local_optimum() -> None:
    # Both nodes of the pair are full; under T the current placement and its mirror are equal.
    problem = loaded(a=5, b=5, c=5, d=5)
    current = {"a": "n2", "b": "n2", "c": "n1", "d": "n1"}
    running = PlacementProblem(
        problem.operators, problem.streams, problem.nodes, problem.links, current
    )
    solution = HillClimbing()(running, Objective.parse("T=1"), time_limit=20, seed=0)
    assert solution.placement == current
    assert solution.moves == 0


def test_an_exact_engine_helps_where_hill_climbing_ends_with_an_overload() -> None:
    # By moves alone {5, 4} and {6, 3, 2} is a dead end: no move mends the overload of 1.
    problem = loaded(a=5, b=6, c=3, d=4, e=2)
    stuck = {"a": "n1", "d": "n1", "b": "n2", "c": "n2", "e": "n2"}
    running = PlacementProblem(
        problem.operators, problem.streams, problem.nodes, problem.links, stuck
    )
    solution = HillClimbing(neighbourhoods=(MOVE,))(
        running, Objective.parse("T=1"), time_limit=20, seed=0
    )
    assert solution.placement is not None
    assert violations(problem, solution.placement) == ()
    assert "the local optimum breaks a constraint" in solution.reasons[0]


def test_where_every_ant_breaks_a_constraint_the_answer_is_a_greedy_start() -> None:
    # Thirty operators, thirty nodes for one each: an ant would have to draw a permutation.
    names = [f"o{number}" for number in range(30)]
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in names),
        streams=tuple(Stream(i, j) for i, j in pairwise(names)),
        nodes=tuple(Node(it.replace("o", "n"), operators=1) for it in names),
        links={(f"n{u}", f"n{v}"): Link(0.01) for u, v in permutations(range(30), 2)},
    )
    solution = AntSystem(rounds=After(1, 1))(problem, ECKER, time_limit=20, seed=0)
    assert solution.placement is not None
    assert violations(problem, solution.placement) == ()
    assert solution.decided_by == "greedy start"
    assert solution.reasons == ("every ant broke a constraint; a greedy start does not",)


def test_ants_keep_the_current_placement_if_they_find_none_that_is_better() -> None:
    problem = problem_of(3)
    best = min(placements(3), key=lambda it: ecker_score(problem, it, EckerWeights()))
    running = PlacementProblem(
        problem.operators, problem.streams, problem.nodes, problem.links, best
    )
    solution = AntSystem(colony=Colony(ants=1), rounds=After(2, 2))(
        running, ECKER, time_limit=20, seed=0
    )
    assert solution.placement == best


@pytest.mark.parametrize("seed", range(5))
def test_the_hybrid_is_never_worse_than_its_ants(seed: int) -> None:
    problem, rounds = problem_of(seed, operators=8, nodes=12), After(5, 5)
    ants = AntSystem(rounds=rounds)(problem, ECKER, time_limit=20, seed=seed)
    hybrid = Hybrid(ants=AntSystem(rounds=rounds))(problem, ECKER, time_limit=20, seed=seed)
    assert ants.evaluation is not None
    assert hybrid.evaluation is not None
    assert hybrid.evaluation.value <= ants.evaluation.value


@dataclass
class Ticking:
    """A clock that is a hundredth of a second later each time it is asked."""

    asked: Iterator[int]

    def __call__(self) -> float:
        return next(self.asked) / 100


def ticks(policy: HillClimbing | AntSystem | Hybrid, time_limit: float) -> float:
    """Return when, by its clock, a policy answered that nothing else would have stopped."""
    numbers = count()
    clock = policy.clock
    assert isinstance(clock, Ticking)
    clock.asked = numbers
    policy(loaded(a=1, b=1, c=1), ECKER, time_limit=time_limit, seed=0)
    return next(numbers) / 100


ENDLESS = After(10**9, 10**9)


def test_ants_stop_after_the_papers_second_or_the_time_limit_whichever_comes_first() -> None:
    ants = AntSystem(rounds=ENDLESS, clock=Ticking(count()))
    assert ticks(ants, time_limit=60) == pytest.approx(1.0, abs=0.1)
    assert ticks(ants, time_limit=0.5) == pytest.approx(0.5, abs=0.1)


def test_ants_of_the_hybrid_get_half_of_the_time() -> None:
    # Without neighbourhoods climbing ends at once: all that takes time are the ants.
    hybrid = Hybrid(ants=AntSystem(rounds=ENDLESS), neighbourhoods=(), clock=Ticking(count()))
    assert ticks(hybrid, time_limit=60) == pytest.approx(0.5, abs=0.1)
    assert ticks(hybrid, time_limit=0.6) == pytest.approx(0.3, abs=0.1)


def test_the_score_under_95_percent_is_that_of_the_problem_itself() -> None:
    problem = loaded(a=3, b=3)
    placement = {"a": "n1", "b": "n2"}
    weights = EckerWeights()
    assert ecker_score(with_headroom(problem), placement, weights) == ecker_score(
        problem, placement, weights
    )
