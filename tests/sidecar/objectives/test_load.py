from dataclasses import replace
from math import isfinite, sqrt
from random import Random

import pytest
from eyewall_contracts.objective_terms import Term
from eyewall_sidecar.model import (
    Link,
    LoadModel,
    Node,
    Operator,
    PlacementProblem,
    ProblemError,
    Stream,
)
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.load import HEADROOM_PENALTY, MOST_SUSTAINABLE, forecast_load
from eyewall_sidecar.objectives.load_prediction import predict_move
from eyewall_sidecar.objectives.load_scenarios import SCENARIOS, LoadScenario

MODEL = LoadModel(worker_cpu=0.05, send_cpu=0.001, receive_cpu=0.002, crossing_seconds=0.003)
# a ─10/s─▶ b; n1 has 1 core of which others use 0.04, n2 has 2 cores of twice the speed.
PROBLEM = PlacementProblem(
    operators=(
        Operator("a", execution_time=0.01, demand=0.1, demand_error=0.05),
        Operator("b", execution_time=0.04, demand=0.4),
    ),
    streams=(Stream("a", "b", 10),),
    nodes=(Node("n1", cpu=0.96, background=0.04), Node("n2", cores=2.0, speedup=2.0)),
    links={("n1", "n2"): Link(0.02), ("n2", "n1"): Link(0.02)},
    load=MODEL,
)
SPLIT = {"a": "n1", "b": "n2"}
TOGETHER = {"a": "n1", "b": "n1"}


def idle_chain(rates: list[float]) -> PlacementProblem:
    """Return operators o0, o1, … of 10 ms each that use no CPU, on the node n."""
    names = [f"o{it}" for it in range(len(rates) + 1)]
    return PlacementProblem(
        operators=tuple(Operator(it, cpu=0.0, execution_time=0.01) for it in names),
        streams=tuple(Stream(names[it], names[it + 1], rate) for it, rate in enumerate(rates)),
        nodes=(Node("n", cores=1.0),),
        links={},
    )


def test_a_node_is_in_use_by_operators_crossings_workers_and_others() -> None:
    found = forecast_load(PROBLEM, SPLIT)
    # n1: (0.1 + 10 · 0.001 + 0.05) + 0.04 of 1 core; n2: (0.4 + 10 · 0.002 + 0.05) / 2 of 2 cores.
    assert found.node_utilisation == pytest.approx({"n1": 0.20, "n2": 0.1175})


def test_an_operator_has_one_thread_at_most_and_what_others_leave_of_the_node() -> None:
    found = forecast_load(PROBLEM, SPLIT)
    # On n1 workers and others leave 1 − 0.05 − 0.04 = 0.91 cores; n2 leaves more than one.
    assert found.operator_utilisation == pytest.approx({"a": 0.1 / 0.91, "b": 0.4 / 2})


def test_the_sustainable_multiple_is_that_of_whatever_saturates_first() -> None:
    split = forecast_load(PROBLEM, SPLIT)
    # n1: 0.91 / 0.11 = 8.3; n2: 1.975 / 0.21 = 9.4; a: 0.91 / 0.1 = 9.1; b: 1 / 0.2 = 5.
    assert split.sustainable == pytest.approx(5.0)
    assert split.bottleneck == "b"
    together = forecast_load(PROBLEM, TOGETHER)
    # n1: 0.91 / 0.5 = 1.82, before b: 0.91 / 0.4.
    assert together.sustainable == pytest.approx(1.82)
    assert together.bottleneck == "n1"


def test_at_the_sustainable_multiple_the_bottleneck_is_fully_in_use() -> None:
    found = forecast_load(PROBLEM, TOGETHER, rate=1.82)
    assert found.node_utilisation["n1"] == pytest.approx(1.0)
    assert found.sustainable == pytest.approx(1.82)


def test_response_time_is_work_with_its_wait_the_hosts_wait_on_entry_and_crossings() -> None:
    found = forecast_load(PROBLEM, SPLIT)
    # n1 has 0.91 cores for the 10 ms of a, n2 1.975 cores of twice the speed for the 40 ms of b. Of
    # these 0.11 and 0.42 / 2 are needed; the exponents are √(2 · 2) − 1 = 1 and √(2 · 3) − 1. What
    # a takes itself comes before it emits.
    busy, other = 0.11 / 0.91, 0.21 / 1.975
    first = 0.01 / 0.91 * busy / (1 - busy)
    second = 0.04 / (2 * 1.975) * other ** (sqrt(6) - 1) / (1 - other)
    at_b = 0.04 / 2 * (1 + 0.2 / 0.8)
    assert found.response_time == pytest.approx(first + 0.003 + 0.02 + second + at_b)
    assert found.longest_path == pytest.approx(found.response_time)
    assert found.load_response_time == found.response_time


def test_within_a_worker_there_is_no_crossing() -> None:
    found = forecast_load(PROBLEM, TOGETHER)
    assert found.node_utilisation == pytest.approx({"n1": 0.1 + 0.4 + 0.05 + 0.04, "n2": 0.0})
    # Both work on tuples with the 0.91 cores that are free: one waits for 50 ms of it, 50 / 0.91.
    wait = 0.05 / 0.91 * 0.5 / 0.41
    used = 0.4 / 0.91
    at_b = 0.04 / 0.91 * (1 + used / (1 - used))
    assert found.response_time == pytest.approx(wait + at_b)


def test_a_tuple_begins_when_its_source_has_emitted_it() -> None:
    slow = replace(PROBLEM.operators[0], execution_time=0.09)
    problem = replace(PROBLEM, operators=(slow, PROBLEM.operators[1]))
    calm = replace(problem, load=replace(MODEL, burstiness=0.0, sharing=0.0))
    # 40 ms for b, on 0.91 cores or on one of twice the speed; the 90 ms for a come before.
    assert forecast_load(calm, TOGETHER).response_time == pytest.approx(0.04 / 0.91)
    assert forecast_load(calm, SPLIT).response_time == pytest.approx(0.003 + 0.02 + 0.02)
    assert forecast_load(calm, SPLIT).longest_path == pytest.approx(0.003 + 0.02 + 0.02)
    # Others wait for a, though: 80 ms more of work that a tuple finds.
    busy, was = forecast_load(problem, TOGETHER), forecast_load(PROBLEM, TOGETHER)
    longer = 0.08 / 0.91 * 0.5 / 0.41
    assert busy.response_time - was.response_time == pytest.approx(longer)


def test_work_shares_its_node_with_threads_that_look_for_tuples_but_what_is_carried_does_not() -> (
    None
):
    still = replace(PROBLEM, load=replace(MODEL, burstiness=0.0, sharing=0.0))
    looking = replace(still, load=replace(still.load, polling_cpu=0.05))
    was, found = forecast_load(still, TOGETHER), forecast_load(looking, TOGETHER)
    # Two threads look with 0.1 cores: 0.91 / 1.1 are left for 40 ms of work. One works for
    # 0.1 / 0.91 of its time, the other for 0.4 / 0.91, and neither looks then.
    assert was.response_time == pytest.approx(0.04 / 0.91)
    assert found.response_time == pytest.approx(0.04 * 1.1 / 0.91)
    assert found.node_shown["n1"] == pytest.approx(0.59 + 0.05 * (2 - 0.5 / 0.91))
    crowded = replace(still, load=replace(still.load, polling_cpu=0.5))
    assert forecast_load(crowded, TOGETHER).node_shown["n1"] == 1.0
    assert found.node_utilisation == was.node_utilisation == was.node_shown
    assert found.sustainable == was.sustainable


def test_on_a_node_of_many_cores_those_that_look_for_tuples_are_hardly_in_the_way() -> None:
    # Of 10 free cores two threads that look take 0.2: 40 ms of work still have a core.
    model = LoadModel(polling_cpu=0.1, burstiness=0.0, sharing=0.0)
    problem = replace(PROBLEM, nodes=(Node("n1", cores=10.0),), links={}, load=model)
    assert forecast_load(problem, TOGETHER).response_time == pytest.approx(0.04)


def test_workers_of_one_node_exchange_what_does_not_stay_in_one_of_them() -> None:
    problem = replace(PROBLEM, load=replace(MODEL, executors_per_worker=1))
    found = forecast_load(problem, TOGETHER)
    # Two workers: of 10 tuples/s half cross between them, and cost 0.001 + 0.002 CPU-seconds each.
    assert found.node_utilisation["n1"] == pytest.approx(0.5 + 5 * 0.003 + 2 * 0.05 + 0.04)


def test_workers_that_tuples_wake_use_more_the_more_often_until_they_hardly_sleep() -> None:
    model = replace(MODEL, crossing_cpu=0.2, crossing_half_rate=30.0)
    problem = replace(PROBLEM, load=model)
    split, together = (forecast_load(problem, it) for it in (SPLIT, TOGETHER))
    # 10 tuples/s leave n1 and enter n2: 10 / 40 of 0.2 cores on each, of twice the speed on n2.
    assert split.node_utilisation == pytest.approx({"n1": 0.20 + 0.05, "n2": 0.1175 + 0.05 / 4})
    assert together == forecast_load(PROBLEM, TOGETHER)
    # n1 is left 0.91 − 0.05 of its core for the 0.11 that grow with the rate.
    assert split.sustainable == pytest.approx(min(0.86 / 0.11, 5.0))
    alone = replace(problem, load=replace(model, executors_per_worker=1))
    # Two workers of n1 exchange half of 10 tuples/s: 5 / 35 of 0.2 cores each.
    assert forecast_load(alone, TOGETHER).node_utilisation["n1"] == pytest.approx(
        0.5 + 5 * 0.003 + 2 * (0.05 + 0.2 / 7) + 0.04
    )


def test_workers_are_woken_as_often_as_the_multiple_of_the_rates_has_it() -> None:
    problem = replace(PROBLEM, load=replace(MODEL, crossing_cpu=0.2, crossing_half_rate=30.0))
    found = forecast_load(problem, SPLIT, rate=3.0)
    # n1 at 30 bursts/s: 3 · 0.11 that grow with the rate, 0.05, 30 / 60 of 0.2, and 0.04 of others.
    assert found.node_utilisation["n1"] == pytest.approx(0.33 + 0.05 + 0.1 + 0.04)


def test_lacking_headroom_costs_what_is_lacking() -> None:
    problem = replace(PROBLEM, load=replace(MODEL, headroom=2.0))
    found = forecast_load(problem, TOGETHER)
    assert found.headroom_penalty == pytest.approx(HEADROOM_PENALTY * (2.0 / 1.82 - 1))
    assert found.load_response_time == found.response_time + found.headroom_penalty
    assert forecast_load(problem, SPLIT).headroom_penalty == 0.0


def test_paths_count_by_their_rate_and_the_longest_by_itself() -> None:
    problem = PlacementProblem(
        operators=tuple(
            Operator(name, cpu=0, execution_time=work)
            for name, work in {"a": 0.0, "b": 0.01, "c": 0.03, "acker": 1.0}.items()
        ),
        streams=(
            Stream("a", "b", 30),
            Stream("a", "c", 10),
            Stream("b", "acker", 30, system=True),
        ),
        nodes=(Node("n", cores=1.0),),
        links={},
    )
    found = forecast_load(problem, dict.fromkeys(["a", "b", "c", "acker"], "n"))
    assert found.response_time == pytest.approx(0.75 * 0.01 + 0.25 * 0.03)
    assert found.longest_path == pytest.approx(0.03)


def test_a_tuple_that_is_acked_goes_on_to_its_acker_and_back_to_its_source() -> None:
    # s → b → c, all acked at k; delays of 10 ms between any two nodes, and no CPU. c, where the way
    # ends, sends an ack to k, and k one to s. That b acks too is on no path, nor are its metrics.
    streams = (
        Stream("s", "b", 10),
        Stream("b", "c", 10),
        Stream("s", "k", 10, system=True),
        Stream("b", "k", 10, system=True),
        Stream("c", "k", 10, system=True),
        Stream("k", "s", 10, system=True),
        Stream("c", "metrics", 1, system=True),
    )
    problem = PlacementProblem(
        operators=tuple(Operator(it, cpu=0) for it in ("s", "b", "c", "k", "metrics")),
        streams=streams,
        nodes=(Node("n1", cores=1.0), Node("n2", cores=1.0)),
        links={("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)},
    )

    def seconds(*places: str) -> float:
        placement = dict(zip(("s", "b", "c", "k", "metrics"), places, strict=True))
        return forecast_load(problem, placement).response_time

    assert seconds("n1", "n1", "n1", "n1", "n2") == 0.0
    assert seconds("n1", "n1", "n1", "n2", "n2") == pytest.approx(0.02)
    assert seconds("n1", "n1", "n2", "n2", "n2") == pytest.approx(0.02)
    assert seconds("n1", "n2", "n1", "n1", "n2") == pytest.approx(0.02)
    assert seconds("n2", "n1", "n1", "n2", "n2") == pytest.approx(0.02)


def test_acks_go_to_each_acker_in_proportion_to_their_rates() -> None:
    # A quarter of the acks of s → c goes to k1, which is 10 ms away, the rest to k2 next to them.
    problem = PlacementProblem(
        operators=tuple(Operator(it, cpu=0) for it in ("s", "c", "k1", "k2")),
        streams=(
            Stream("s", "c", 8),
            *(Stream("c", it, rate, system=True) for it, rate in (("k1", 2), ("k2", 6))),
            *(Stream(it, "s", rate, system=True) for it, rate in (("k1", 2), ("k2", 6))),
        ),
        nodes=(Node("n1", cores=1.0), Node("n2", cores=1.0)),
        links={("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)},
    )
    placement = {"s": "n1", "c": "n1", "k1": "n2", "k2": "n1"}
    assert forecast_load(problem, placement).response_time == pytest.approx(0.02 / 4)


@pytest.mark.parametrize(("acks", "part"), [(10.0, 1.0), (2.5, 0.25), (0.0, 0.0), (40.0, 1.0)])
def test_what_is_not_acked_does_not_wait_for_its_ack(acks: float, part: float) -> None:
    problem = PlacementProblem(
        operators=tuple(Operator(it, cpu=0) for it in ("s", "c", "k")),
        streams=(
            Stream("s", "c", 10),
            Stream("c", "k", acks, system=True),
            Stream("k", "s", acks, system=True),
        ),
        nodes=(Node("n1", cores=1.0), Node("n2", cores=1.0)),
        links={("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)},
    )
    found = forecast_load(problem, {"s": "n1", "c": "n1", "k": "n2"})
    assert found.response_time == pytest.approx(0.02 * part)


def test_without_rates_every_path_counts_the_same() -> None:
    found = forecast_load(idle_chain([0.0, 0.0]), dict.fromkeys(["o0", "o1", "o2"], "n"))
    assert found.response_time == pytest.approx(0.02)  # of the second and the third


def test_what_needs_no_cpu_carries_the_greatest_multiple() -> None:
    found = forecast_load(idle_chain([1.0]), dict.fromkeys(["o0", "o1"], "n"))
    assert found.sustainable == MOST_SUSTAINABLE


def test_a_node_without_limits_is_never_in_use() -> None:
    problem = PlacementProblem((Operator("a", cpu=0.5),), (), (Node("n"),), {})
    found = forecast_load(problem, {"a": "n"})
    assert found.node_utilisation == {"n": 0.0}
    assert found.sustainable == pytest.approx(2.0)
    assert found.bottleneck == "a"


@pytest.mark.parametrize("seed", range(20))
def test_more_load_is_never_better_and_always_finite(seed: int) -> None:
    draw = Random(seed)
    problem = replace(
        PROBLEM,
        nodes=tuple(
            Node(it.id, cores=draw.uniform(0.05, 3), speedup=draw.uniform(0.3, 3))
            for it in PROBLEM.nodes
        ),
    )
    placement = {it.id: draw.choice(problem.nodes).id for it in problem.operators}
    busier = replace(problem, nodes=tuple(replace(it, background=0.1) for it in problem.nodes))
    heavier = replace(
        problem,
        operators=tuple(replace(it, demand=(it.demand or 0) * 1.1) for it in problem.operators),
    )
    values = [
        forecast_load(problem, placement, rate).load_response_time
        for rate in (0.01, 0.5, 1, 2, 4, 5, 8, 16, 1e3, 1e9, 1e15)
    ]
    assert values == sorted(values)
    assert all(map(isfinite, values))
    now = forecast_load(problem, placement)
    for worse in (forecast_load(busier, placement), forecast_load(heavier, placement)):
        assert worse.load_response_time >= now.load_response_time
        assert worse.sustainable <= now.sustainable


def test_a_rate_that_is_none_is_refused() -> None:
    with pytest.raises(ProblemError, match="rate is 0"):
        forecast_load(PROBLEM, SPLIT, rate=0.0)


def test_scenarios_change_demand_crossings_and_what_looks_for_tuples() -> None:
    # a needs 0.1 ± 0.05 cores; uncertainty 2 makes that ± 0.1 and a factor of 2 one of 4.
    problem = replace(PROBLEM, load=replace(MODEL, uncertainty=2.0))
    more = forecast_load(problem, SPLIT, scenario=LoadScenario(demand=1.0))
    assert more.node_utilisation["n1"] == pytest.approx(0.20 + 0.1)
    dear = forecast_load(problem, SPLIT, scenario=LoadScenario(crossing=2.0))
    assert dear.node_utilisation["n1"] == pytest.approx(0.20 + 3 * 0.01)
    # a looks for tuples with 0.01 cores while it does not work for them, or with 0.04.
    looking = replace(problem, load=replace(problem.load, polling_cpu=0.01))
    for factor, cores in ((1.0, 0.01), (2.0, 0.04)):
        busy = forecast_load(looking, SPLIT, scenario=LoadScenario(polling=factor))
        assert busy.node_shown["n1"] == pytest.approx(0.20 + cores * (1 - 0.1 / 0.91))


def test_the_gain_of_a_move_lies_between_its_least_and_greatest_of_all_scenarios() -> None:
    gains, reliefs = [], []
    for scenario in SCENARIOS:
        was = forecast_load(PROBLEM, SPLIT, scenario=scenario)
        then = forecast_load(PROBLEM, TOGETHER, scenario=scenario)
        gains.append(was.response_time - then.response_time)
        reliefs.append(then.sustainable / was.sustainable)
    predicted = predict_move(PROBLEM, SPLIT, TOGETHER)
    assert predicted.gain == pytest.approx((min(gains), max(gains)))
    assert predicted.least_relief == pytest.approx(min(reliefs))
    assert predicted.expected_relief == pytest.approx(reliefs[0])
    carried = [forecast_load(PROBLEM, TOGETHER, scenario=it).sustainable for it in SCENARIOS]
    assert predicted.sustainable == pytest.approx(min(carried))
    # Split, Θ is 5: the errors of inputs bring no bottleneck near.
    stays = predict_move(PROBLEM, SPLIT, SPLIT)
    assert (stays.gain, stays.saturated) == ((0.0, 0.0), False)
    assert (stays.least_relief, stays.expected_relief) == (1.0, 1.0)
    assert stays.sustainable == pytest.approx(5.0)
    certain = replace(PROBLEM, load=replace(MODEL, uncertainty=0.0))
    assert predict_move(certain, SPLIT, TOGETHER).gain == pytest.approx((gains[0], gains[0]))


def test_what_runs_is_saturated_if_it_may_carry_no_more_than_now() -> None:
    # Θ at the greatest demand of a is less than at the estimate; at Θ times the rates it is < 1.
    sustainable = forecast_load(PROBLEM, SPLIT, scenario=LoadScenario(demand=1.0)).sustainable
    full = replace(
        PROBLEM,
        operators=tuple(
            replace(
                it,
                demand=None if it.demand is None else it.demand * sustainable * 1.1,
                demand_error=it.demand_error * sustainable * 1.1,
                cpu=it.cpu * sustainable * 1.1,
            )
            for it in PROBLEM.operators
        ),
        streams=tuple(replace(it, rate=it.rate * sustainable * 1.1) for it in PROBLEM.streams),
    )
    assert predict_move(full, SPLIT, TOGETHER).saturated


def test_an_error_as_large_as_a_small_demand_saturates_nothing() -> None:
    # b needs 0.2 of its thread by the estimate (Θ = 5), and all of it at the greatest demand.
    unsure = replace(
        PROBLEM,
        operators=tuple(
            replace(it, demand_error=2.0) if it.id == "b" else it for it in PROBLEM.operators
        ),
    )
    at_most = forecast_load(unsure, SPLIT, scenario=LoadScenario(demand=1.0)).sustainable
    assert at_most < 1.0
    assert not predict_move(unsure, SPLIT, TOGETHER).saturated


def test_every_evaluation_has_both_metrics() -> None:
    found = evaluate(PROBLEM, SPLIT, Objective.parse("L=1"), {})
    forecast = forecast_load(PROBLEM, SPLIT)
    assert found.value == found.metrics[Term.L] == forecast.load_response_time
    assert found.metrics[Term.THETA] == forecast.sustainable
