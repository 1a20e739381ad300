"""T, N and EE weigh bytes where the size of every stream's tuples is known, else tuples."""

from dataclasses import replace
from itertools import product

import pytest
from brute_force import every_placement, fits
from eyewall_contracts.objective_terms import DataUnit
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.objective import EckerWeights, Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.ecker import events
from eyewall_sidecar.policies import load_policy
from eyewall_sidecar.problem_file.answer import answer

# camera ─10/s of 5,000 bytes─▶ middle ─100/s of 20 bytes─▶ store: 50,000 and 2,000 bytes/s. The
# ends are pinned, 10 ms apart, and the middle shares a node with one of them.
HEAVY, MANY = Stream("camera", "middle", 10, 5_000), Stream("middle", "store", 100, 20)
SIZED = PlacementProblem(
    operators=(
        Operator("camera", candidates=("edge",)),
        Operator("middle"),
        Operator("store", candidates=("cloud",)),
    ),
    streams=(HEAVY, MANY),
    nodes=(Node("edge"), Node("cloud")),
    links={("edge", "cloud"): Link(0.01), ("cloud", "edge"): Link(0.01)},
)
UNSIZED = replace(SIZED, streams=(HEAVY, replace(MANY, tuple_bytes=None)))
AT_EDGE = {"camera": "edge", "middle": "edge", "store": "cloud"}
AT_CLOUD = AT_EDGE | {"middle": "cloud"}

TERMS = ("T=1", "N=1", "EE=1", "T=0.4,N=0.3,EE=0.3")
POLICIES = (
    *product(("odp", "greedy", "bound_guided", "hill_climbing"), TERMS),
    ("xu", "T=1"),
)


@pytest.mark.parametrize(("policy", "objective"), POLICIES)
def test_by_bytes_the_middle_stays_with_the_heavy_stream_and_by_tuples_with_the_other(
    policy: str, objective: str
) -> None:
    for problem, best in ((SIZED, AT_EDGE), (UNSIZED, AT_CLOUD)):
        solution = load_policy(policy)(problem, Objective.parse(objective), time_limit=1, seed=1)
        assert solution.placement == best


def test_the_terms_are_in_bytes_where_every_size_is_known() -> None:
    found = evaluate(SIZED, AT_EDGE, Objective({Term.N: 1.0}), {})
    # 100 tuples/s of 20 bytes over 10 ms.
    assert found.data_unit is DataUnit.BYTES
    assert found.metrics[Term.T] == 2_000
    assert found.value == found.metrics[Term.N] == pytest.approx(20)
    assert found.metrics[Term.EE] == pytest.approx(0.2)


def test_one_unknown_size_makes_them_count_tuples() -> None:
    found = evaluate(UNSIZED, AT_EDGE, Objective({Term.N: 1.0}), {})
    # 100 tuples/s over 10 ms, though the other stream has a size.
    assert found.data_unit is DataUnit.TUPLES
    assert found.metrics[Term.T] == 100
    assert found.value == found.metrics[Term.N] == pytest.approx(1)


def test_a_size_of_0_is_known_and_unknown_is_not_0() -> None:
    weightless = replace(SIZED, streams=(replace(HEAVY, tuple_bytes=0), MANY))
    assert [weightless.data_rate(it) for it in weightless.streams] == [0, 2_000]
    assert [UNSIZED.data_rate(it) for it in UNSIZED.streams] == [10, 100]


def test_without_streams_nothing_has_a_size() -> None:
    assert replace(SIZED, streams=()).data_unit is DataUnit.TUPLES


def test_eckers_share_of_events_counts_tuples_whatever_they_weigh() -> None:
    # 100 of 110 tuples/s cross, 2,000 of 52,000 bytes/s.
    assert events(SIZED, AT_EDGE) == pytest.approx(100 / 110)
    only_events = Objective(ecker=EckerWeights(lat=0, sup=0, co=0, event=1))
    solution = load_policy("hill_climbing")(SIZED, only_events, time_limit=1, seed=1)
    assert solution.placement == AT_CLOUD


@pytest.mark.parametrize("objective", TERMS)
@pytest.mark.parametrize("problem", [SIZED, UNSIZED], ids=["bytes", "tuples"])
def test_the_proven_optimum_is_the_best_of_all_placements(
    problem: PlacementProblem, objective: str
) -> None:
    goal = Objective.parse(objective)
    solution = load_policy("odp")(problem, goal, time_limit=1, seed=1)
    evaluation = solution.evaluation
    assert evaluation is not None
    arrays = ProblemArrays.of(problem)
    tried = every_placement(arrays)
    values = [
        evaluate(problem, placement_of(problem, places), goal, evaluation.ranges).value
        for places in tried[fits(arrays, tried)]
    ]
    assert evaluation.value == pytest.approx(max(values) if goal.maximised else min(values))


def test_a_mix_is_normalised_in_the_unit_that_it_weighs() -> None:
    solution = load_policy("odp")(SIZED, Objective.parse("T=0.5,N=0.5"), time_limit=1, seed=1)
    assert solution.evaluation is not None
    # At worst both streams cross: 52,000 bytes/s. At best the lighter one does: 2,000.
    traffic = solution.evaluation.ranges[Term.T]
    assert (traffic.better, traffic.worse) == (2_000, 52_000)
    assert solution.evaluation.value == pytest.approx(1)


@pytest.mark.parametrize(("problem", "unit"), [(SIZED, "bytes"), (UNSIZED, "tuples")])
def test_the_answer_as_json_says_which(problem: PlacementProblem, unit: str) -> None:
    found = load_policy("odp")(problem, Objective.parse("T=1"), time_limit=1, seed=1)
    assert answer(found)["objective"]["data_unit"] == unit
