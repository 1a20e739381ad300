"""Where the best placement costs too much to move to, hosts on which workers start quickly."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from eyewall_contracts.decision import Verdict
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service import candidate_search
from eyewall_sidecar.service.quick_starts import quick_task
from eyewall_sidecar.service.solver_pool import PlacementTask, SolverFailure
from obedient_nimbus import Nimbus, is_placed
from planned_topologies import topology
from reported_rounds import report_round
from storm_builders import supervisor, worker

WORD = replace(topology(), message_timeout=5.0)
"""source on a, tag, and sink on c, 10 tuples/s; a second without output costs 7.5 s of lateness."""
DELAYS = {
    ("a", "b"): 10,
    ("b", "c"): 10,
    ("a", "c"): 50,
    ("a", "d"): 12,
    ("c", "d"): 12,
    ("b", "d"): 50,
    **dict.fromkeys([("a", "e"), ("b", "e"), ("c", "e"), ("d", "e")], 90),
}


def nimbus_with_tag_on_a(cool_down_seconds: float = 0.0) -> Nimbus:
    limits = {"horizon_seconds": 3600.0, "cool_down_seconds": cool_down_seconds}
    nimbus = Nimbus([supervisor(it, 4) for it in "abcde"], DELAYS, **limits)
    nimbus.running[WORD.id] = (worker("a", 6700, 1, 2), worker("c", 6700, 3))
    return nimbus


@pytest.mark.parametrize(
    ("cores_of_b", "cores_of_e", "goes_to"),
    [
        # Others use 0.01 cores. A start on b takes 4 / 0.09 = 44 s and costs 333 s, where 30 ms
        # less for an hour save 108; on d, where 26 ms save 94 s, 8 s cost 60.
        (0.1, 8.0, "d"),
        (8.0, 8.0, "b"),
        (0.1, 0.02, "d"),  # how much slower a host is that nothing would move to does not matter
    ],
)
def test_what_moves_goes_where_workers_start_quickly_if_the_best_costs_too_much(
    cores_of_b: float, cores_of_e: float, goes_to: str
) -> None:
    nimbus = nimbus_with_tag_on_a()
    cores = {"b": cores_of_b, "e": cores_of_e}
    assert any(is_placed(report_round(nimbus, WORD, 0.05, 0.01, cores=cores)) for _ in range(12))
    assert nimbus.host_of(WORD, 2) == goes_to


def test_the_status_says_that_nimbus_does_not_take_a_move_to_quicker_hosts() -> None:
    nimbus = nimbus_with_tag_on_a(cool_down_seconds=20.0)
    cores, there = {"b": 0.1}, nimbus.running[WORD.id]
    for _ in range(30):
        decision = report_round(nimbus, WORD, 0.05, 0.01, cores=cores)
        nimbus.running[WORD.id] = there
    assert "Nimbus does not take this move" in str(decision.status)


def staying(task: PlacementTask, *_: object) -> PlacementTask:
    """A search that finds what runs, and nothing else."""
    problem, current = task.problem, task.problem.current or {}
    fixed = tuple(replace(it, candidates=(current[it.id],)) for it in problem.operators)
    return replace(task, problem=replace(problem, operators=fixed))


@pytest.mark.parametrize("cheaper", [(staying, quick_task), (quick_task, staying)])
def test_what_costs_less_is_searched_for_in_turn_until_one_is_worth_its_price(
    monkeypatch: pytest.MonkeyPatch, cheaper: tuple[Callable[..., PlacementTask | None], ...]
) -> None:
    monkeypatch.setattr(candidate_search, "CHEAPER", cheaper)
    nimbus = nimbus_with_tag_on_a()
    cores = {"b": 0.1}
    assert any(is_placed(report_round(nimbus, WORD, 0.05, 0.01, cores=cores)) for _ in range(12))
    assert nimbus.host_of(WORD, 2) == "d"
    # The main search, and those that were needed: the second one not where the first was enough.
    assert len(nimbus.solvers.improved) == 1 + 1 + cheaper.index(quick_task)


def test_where_no_host_is_quicker_nothing_else_is_searched_for() -> None:
    # 4 / 0.12 = 33 s without output.
    nimbus = nimbus_with_tag_on_a()
    alike = dict.fromkeys("abcde", 0.13)
    later = [report_round(nimbus, WORD, 0.05, 0.01, cores=alike) for _ in range(12)]
    assert not any(map(is_placed, later))
    assert len(nimbus.solvers.improved) == 1
    said = [it.said for it in nimbus.recorded.records if it.verdict is Verdict.KEPT]
    assert "costs 250 s" in said[-1]


def test_where_the_quicker_hosts_are_no_better_it_is_searched_for_once() -> None:
    # Only b, slow to start on, is on the way.
    nimbus = nimbus_with_tag_on_a()
    nimbus.delays.milliseconds |= {("a", "d"): 60, ("c", "d"): 60}
    slow = {"b": 0.1}
    later = [report_round(nimbus, WORD, 0.05, 0.01, cores=slow) for _ in range(12)]
    assert not any(map(is_placed, later))
    assert len(nimbus.solvers.improved) == 2
    said = [it.said for it in nimbus.recorded.records if it.verdict is Verdict.KEPT]
    assert "costs 333 s" in said[-1]


def test_where_the_search_among_quicker_hosts_fails_the_topology_may_be_searched_for_again() -> (
    None
):
    nimbus = nimbus_with_tag_on_a()
    for _ in range(12):
        report_round(nimbus, WORD, 0.05, 0.01, cores={"b": 0.1})
        for job in nimbus.solvers.improved[1:]:
            job.answer = SolverFailure(message(Code.SOLVER_DIED))
    search = nimbus.service.last_round().records[WORD.id].search
    assert search is not None
    # Of whole workers nothing was searched for, as they would not serve on.
    assert [it.failure is None for it in search.cheaper] == [True, False]
    assert search.seconds < 12
