"""What runs is kept, and moved once a better placement was found that is worth it."""

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service.decision import Keep
from eyewall_sidecar.service.solver_pool import SolverFailure
from eyewall_sidecar.storm import Executor
from obedient_nimbus import is_placed, reason
from pinned_chain import TRIANGLE, ends_pinned, moved_delays, three_hosts
from said import codes, values
from storm_builders import chain, supervisor, worker


def test_a_placed_topology_is_kept_and_its_status_stays() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    placed, *later = nimbus.rounds(topology, 4)
    assert [it.verdict for it in later] == [Keep()] * 3
    assert [it.status for it in later] == [placed.status] * 3


def test_nothing_is_solved_again_while_nothing_changes() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 6)
    assert len(nimbus.solvers.improved) == 1


def test_what_changes_a_little_is_solved_again_after_ten_times_what_that_took() -> None:
    nimbus, topology = three_hosts(frozen=True), ends_pinned()
    nimbus.rounds(topology, 2)
    nimbus.solvers.seconds = 3.0
    nimbus.delays.milliseconds["a", "b"] += 2  # of 10
    nimbus.rounds(topology, 2)
    assert len(nimbus.solvers.improved) == 2
    nimbus.delays.milliseconds["a", "b"] += 2
    nimbus.rounds(topology, 27)  # a second each; its search began 2 s ago
    assert len(nimbus.solvers.improved) == 2
    nimbus.rounds(topology, 2)
    assert len(nimbus.solvers.improved) == 3


def test_a_search_that_fails_is_begun_again_after_ten_times_what_that_took_and_said_meanwhile() -> (
    None
):
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 1)
    died = message(Code.SOLVER_DIED)
    nimbus.solvers.answer = SolverFailure(died)
    # It begins in the second round and has failed by the third, a second later; the fourth to
    # eleventh round are within 10 s of its beginning.
    nimbus.rounds(topology, 10)
    assert len(nimbus.solvers.improved) == 1
    assert nimbus.recorded.records[-1].said == str(died)
    nimbus.solvers.answer = None
    nimbus.rounds(topology, 3)
    assert len(nimbus.solvers.improved) == 2


def test_what_was_found_long_ago_for_other_values_is_searched_for_again_before_it_moves() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.solvers.seconds = 3.0
    nimbus.switches.turn(everything=True)
    nimbus.rounds(topology, 3)
    moved_delays(nimbus)
    nimbus.rounds(topology, 10)  # it is searched for after 9 s, and what was found is held back
    nimbus.delays.milliseconds["a", "c"] += 6  # of 50
    nimbus.rounds(topology, 15)
    searches = len(nimbus.solvers.improved)
    nimbus.switches.turn()
    kept, moved = nimbus.rounds(topology, 2)
    assert kept.verdict == Keep()
    assert len(nimbus.solvers.improved) == searches + 1
    assert is_placed(moved)


@pytest.mark.parametrize(("between", "took"), [(60.0, 0.02), (10.1, 0.02), (25.0, 3.0)])
def test_a_move_is_made_however_far_rounds_are_apart_and_whatever_changes_in_each(
    between: float, took: float
) -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.solvers.seconds = took
    nimbus.rounds(topology, 3)
    moved_delays(nimbus)
    for _ in range(3):
        nimbus.delays.milliseconds["a", "b"] += 30
        decision = nimbus.round(topology)[topology.id]
        nimbus.clock.now += between
    assert nimbus.host_of(topology, 2) in {"a", "c"}, decision


def test_a_changed_delay_leads_to_a_move_in_a_later_round() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 3)
    moved_delays(nimbus)
    asked, moved = nimbus.rounds(topology, 2)
    assert asked.verdict == Keep()
    assert is_placed(moved)
    assert nimbus.host_of(topology, 2) in {"a", "c"}
    found = values(moved.status, Code.MOVING_SOLUTION)
    assert (found["worth"], found["moves"]) == ("R 50 ms (was 200)", 1)


def test_a_move_keeps_unchanged_workers_and_starts_the_moved_executor_in_a_fresh_slot() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 3)
    before = nimbus.running[topology.id]
    moved_delays(nimbus)
    nimbus.rounds(topology, 2)
    after = nimbus.running[topology.id]
    assert {worker("a", 6700, 1), worker("c", 6700, 3)} <= set(after)
    started = [it for it in after if it not in before]
    assert [it.executors for it in started] == [{Executor(2, 2)}]
    assert started[0].slot not in {it.slot for it in before}


def test_nothing_moves_for_less_than_the_minimum_gain() -> None:
    # By way of b it is 54 ms now, straight on 50 ms: a gain of 7.4 %.
    nimbus, topology = three_hosts(minimum_gain=0.1), ends_pinned()
    nimbus.rounds(topology, 3)
    nimbus.delays.milliseconds |= {("a", "b"): 27, ("b", "c"): 27}
    assert [it.verdict for it in nimbus.rounds(topology, 4)] == [Keep()] * 4


def test_the_same_change_moves_when_the_minimum_gain_is_smaller() -> None:
    nimbus, topology = three_hosts(minimum_gain=0.07), ends_pinned()
    nimbus.rounds(topology, 3)
    nimbus.delays.milliseconds |= {("a", "b"): 27, ("b", "c"): 27}
    assert any(map(is_placed, nimbus.rounds(topology, 4)))


def test_nothing_moves_while_moves_are_frozen() -> None:
    nimbus, topology = three_hosts(frozen=True), ends_pinned()
    nimbus.rounds(topology, 3)
    moved_delays(nimbus)
    assert [it.verdict for it in nimbus.rounds(topology, 4)] == [Keep()] * 4


def test_nothing_moves_before_the_assignment_has_run_for_the_cool_down() -> None:
    # First seen in the second round; a round is a second, so it has run 10 s in the twelfth.
    nimbus, topology = three_hosts(cool_down_seconds=10), ends_pinned()
    nimbus.rounds(topology, 2)
    moved_delays(nimbus)
    early = nimbus.rounds(topology, 9)
    assert [it.verdict for it in early] == [Keep()] * 9
    assert is_placed(nimbus.round(topology)[topology.id])


def test_an_improvement_is_dropped_when_the_assignment_changed_meanwhile() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 3)
    nimbus.solvers.late = True
    moved_delays(nimbus)
    nimbus.round(topology)
    late = nimbus.solvers.improved[-1]
    nimbus.running[topology.id] = (worker("a", 6701, 1, 2), worker("c", 6700, 3))
    nimbus.round(topology)
    assert late.cancelled
    late.ready = True
    assert [it.verdict for it in nimbus.rounds(topology, 2)] == [Keep()] * 2


def test_an_improvement_that_no_longer_pays_is_not_taken() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 3)
    nimbus.solvers.late = True
    moved_delays(nimbus)
    nimbus.round(topology)
    nimbus.delays.milliseconds = dict(TRIANGLE)
    nimbus.solvers.improved[-1].ready = True
    assert nimbus.round(topology)[topology.id].verdict == Keep()


def test_an_improvement_that_no_longer_fits_is_not_taken() -> None:
    nimbus, topology = three_hosts(), ends_pinned(**{"executors.per.slot": 1})
    nimbus.rounds(topology, 3)
    nimbus.solvers.late = True
    moved_delays(nimbus)
    nimbus.round(topology)
    nimbus.hosts = [supervisor("a", 1), supervisor("b"), supervisor("c", 1)]
    nimbus.solvers.improved[-1].ready = True
    assert nimbus.round(topology)[topology.id].verdict == Keep()


def test_the_status_of_a_move_stays_until_the_next() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 3)
    moved_delays(nimbus)
    _, moved, *later = nimbus.rounds(topology, 5)
    assert [it.status for it in later] == [moved.status] * 3


def test_what_others_placed_has_no_status_of_ours() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2), worker("c", 6700, 3))
    assert [it.status for it in nimbus.rounds(topology, 3)] == [None] * 3


def test_an_executor_that_is_not_where_it_is_pinned_moves_whatever_the_gain() -> None:
    nimbus, topology = three_hosts(minimum_gain=1.0), ends_pinned()
    nimbus.running[topology.id] = (worker("b", 6700, 1, 2, 3),)
    _, moved = nimbus.rounds(topology, 2)
    assert is_placed(moved)
    assert Code.NOT_PINNED_THERE in codes(moved.status)
    assert [nimbus.host_of(topology, task) for task in (1, 3)] == ["a", "c"]


def test_with_eckers_score_a_topology_leaves_a_supervisor_that_serves_another_one() -> None:
    # All on a, the score is as good as all on c: only the sharing makes it move.
    nimbus = three_hosts(minimum_gain=1.0)
    topology = chain(("x", 2), settings={"policy": "hybrid", "objective": "ecker"})
    other = chain(("y", 1), name="other-1", settings={"mode": "off"})
    nimbus.running[topology.id] = (worker("a", 6700, 1, 2),)
    nimbus.running[other.id] = (worker("a", 6701, 1),)
    nimbus.round(topology, other)
    moved = nimbus.round(topology, other)[topology.id]
    assert is_placed(moved)
    assert values(moved.status, Code.FOREIGN_NODE) == {"executor": "x[1-1]", "node": "a"}
    assert nimbus.host_of(topology, 1) in {"b", "c"}


def test_a_topology_in_observe_is_solved_for_but_never_touched() -> None:
    nimbus, topology = three_hosts(), ends_pinned(mode="observe")
    assert reason(nimbus.round(topology)[topology.id]) == message(Code.MODE_OBSERVE)
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2), worker("c", 6700, 3))
    moved_delays(nimbus)
    *_, last = nimbus.rounds(topology, 3)
    assert codes(reason(last)) == [Code.OBSERVED, Code.FOUND]
    assert values(reason(last), Code.FOUND)["gain"] == pytest.approx(0.75)
    assert len(nimbus.solvers.improved) == 1


def test_a_topology_on_a_host_whose_delay_became_unknown_stays() -> None:
    nimbus, topology = three_hosts(), chain(("source", 1), ("tag", 1))
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("c", 6700, 2))
    del nimbus.delays.milliseconds["a", "c"]
    del nimbus.delays.milliseconds["b", "c"]
    assert [it.verdict for it in nimbus.rounds(topology, 3)] == [Keep()] * 3
    assert not nimbus.solvers.improved
