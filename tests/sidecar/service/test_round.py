"""One round: what has no slot is placed before the deadline; one topology stops no other."""

from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.service import decision_log
from eyewall_sidecar.service.solver_pool import SolverFailure
from eyewall_sidecar.storm import Executor, TopologyProblem, Worker
from measured_topologies import report
from obedient_nimbus import Nimbus, is_placed, reason
from pinned_chain import ends_pinned, moved_delays, three_hosts
from said import codes, values
from storm_builders import chain, supervisor, worker


def test_a_first_placement_is_decided_in_the_round_with_its_pins_kept() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    decision = nimbus.round(topology)[topology.id]
    assert is_placed(decision)
    assert [nimbus.host_of(topology, task) for task in (1, 2, 3)] == ["a", "b", "c"]
    # a → b → c: 10 + 10 ms.
    assert codes(decision.status) == [Code.PLACED, Code.SOLUTION, Code.SELECTIVITY_ASSUMED]
    assert str(decision.status) == ("eyewall: odp, optimal, R 20 ms; selectivity 1 assumed for tag")


def test_the_time_limit_is_what_the_deadline_leaves_for_each_waiting_topology() -> None:
    nimbus = three_hosts(first_placement_seconds=1.2)
    nimbus.round(chain(("x", 1), name="one-1"), chain(("y", 1), name="two-1"))
    # 2 s, less 0.1 s for the reply: 0.95 s for the first of two, of which 85 % are solved in; the
    # clock stands still, so 1.9 s are left for the second, more than the 1.2 s configured.
    assert [it.limit for it in nimbus.solvers.placed] == [pytest.approx(0.8075), 1.2]


def test_a_topology_may_ask_for_less_time_than_the_sidecar_gives_but_not_for_more() -> None:
    nimbus = three_hosts(first_placement_seconds=1.2, improvement_seconds=10)
    hasty = chain(("x", 2), name="hasty-1", settings={"time.limit.ms": 300})
    patient = chain(("y", 2), name="patient-1", settings={"time.limit.ms": 60_000})
    nimbus.round(hasty, patient)
    nimbus.round(hasty, patient)
    assert [it.limit for it in nimbus.solvers.placed] == [0.3, 1.2]
    assert [it.limit for it in nimbus.solvers.improved] == [0.3, 10]


def test_rates_that_are_assumed_equal_are_said_to_be() -> None:
    nimbus, topology = three_hosts(), chain(("source", 1), ("tag", 1))
    status = nimbus.round(topology)[topology.id].status
    assert values(status, Code.PLACED)["remarks"] == [message(Code.RATES_EQUAL)]


def test_two_topologies_placed_in_one_round_do_not_share_a_slot() -> None:
    nimbus = Nimbus([supervisor("a", 2)], {})
    one, two = chain(("x", 4), name="one-1"), chain(("y", 4), name="two-1")
    assert all(map(is_placed, nimbus.round(one, two).values()))
    slots = [it.slot for workers in nimbus.running.values() for it in workers]
    assert len(set(slots)) == len(slots) == 2


def test_what_is_not_solved_in_time_is_declined_and_used_in_a_later_round() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.solvers.late = True
    assert reason(nimbus.round(topology)[topology.id]) == message(Code.STILL_SOLVING)
    nimbus.solvers.placed[0].ready = True
    assert is_placed(nimbus.round(topology)[topology.id])
    assert len(nimbus.solvers.placed) == 1


def test_a_late_answer_is_dropped_when_the_cluster_changed_meanwhile() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.solvers.late = True
    nimbus.round(topology)
    nimbus.hosts[1] = supervisor("b", 1)
    nimbus.round(topology)
    assert nimbus.solvers.placed[0].cancelled
    assert len(nimbus.solvers.placed) == 2


def test_a_late_answer_is_used_though_others_use_more_of_a_host_meanwhile() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.measured.wanted = True
    nimbus.solvers.late = True
    for turn, busy in enumerate((0.4, 3.0), start=1):
        nimbus.measured.hosts = {"a": report("a", turn, cores=4.0, busy=busy)}
        nimbus.round(topology)
    request = nimbus.service.last_round().records[topology.id].request
    assert request is not None
    assert isinstance(request.problem, TopologyProblem)
    (job,) = nimbus.solvers.placed
    # 0.1 of 8 declared cores, and smoothed a good deal more.
    then, now = job.task.problem.node("a"), request.problem.problem.node("a")
    assert then.background == pytest.approx(0.8)
    assert now.background > 2
    job.ready = True
    assert is_placed(nimbus.round(topology)[topology.id])


def test_what_cannot_be_placed_is_declined_with_the_constraint_that_binds() -> None:
    nimbus = Nimbus([supervisor("a", 1)], {})
    topology = chain(("source", 5))  # one slot holds 4
    said = reason(nimbus.round(topology)[topology.id])
    assert values(said, Code.NO_PLACEMENT)["status"] is Status.INFEASIBLE
    assert "operators" in str(said)


def test_the_same_state_is_answered_the_same_without_solving_again() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    first = nimbus.round(topology, obey=False)
    assert nimbus.round(topology, obey=False) == first
    assert len(nimbus.solvers.placed) == 1


def test_with_eckers_score_it_is_said_which_supervisors_others_have() -> None:
    nimbus = Nimbus([supervisor("a", 2)], {})
    topology = chain(("x", 2), settings={"policy": "hybrid", "objective": "ecker"})
    other = chain(("y", 1), name="other-1", settings={"mode": "off"})
    nimbus.running[other.id] = (worker("a", 6701, 1),)
    assert "serves no other topology" in str(reason(nimbus.round(topology, other)[topology.id]))
    nimbus.running[topology.id] = (worker("a", 6700, 1),)
    declined = reason(nimbus.round(topology, other)[topology.id])
    assert "a left out, another topology runs there" in str(declined)


def test_executors_without_a_slot_are_placed_again_and_nothing_else_moves() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 2)
    moved_delays(nimbus)  # a move would pay, but a repair is no licence for it
    lost = next(it for it in nimbus.running[topology.id] if Executor(3, 3) in it.executors)
    survivors = tuple(it for it in nimbus.running[topology.id] if it != lost)
    nimbus.running[topology.id] = survivors
    decision = nimbus.round(topology)[topology.id]
    assert is_placed(decision)
    assert set(survivors) < set(nimbus.running[topology.id])
    assert nimbus.host_of(topology, 3) == "c"


def test_a_topology_that_is_off_is_left_alone() -> None:
    nimbus, topology = three_hosts(), ends_pinned(mode="off")
    assert reason(nimbus.round(topology)[topology.id]) == message(Code.MODE_OFF)
    assert not nimbus.solvers.placed


def test_bad_settings_of_one_topology_do_not_stop_the_others() -> None:
    nimbus = three_hosts()
    bad, good = chain(("x", 1), name="bad-1", settings={"polcy": "odp"}), ends_pinned()
    decisions = nimbus.round(bad, good)
    assert codes(reason(decisions[bad.id])) == [Code.BAD_SETTINGS]
    assert is_placed(decisions[good.id])


def test_a_setting_that_is_nested_too_deeply_does_not_stop_the_others() -> None:
    nimbus, good = three_hosts(), ends_pinned()
    deep = "[" * 1000 + "]" * 1000
    bad = replace(chain(("x", 1), name="bad-1"), settings={"eyewall.mode": deep})
    decisions = nimbus.round(bad, good)
    assert codes(reason(decisions[bad.id])) == [Code.BAD_SETTINGS]
    assert is_placed(decisions[good.id])


def test_a_decision_that_cannot_be_reported_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    nimbus, topology = three_hosts(), ends_pinned()

    def surprise(*_: object) -> None:
        raise OverflowError("a surprise")

    monkeypatch.setattr(decision_log, "describe_decision", surprise)
    assert is_placed(nimbus.round(topology)[topology.id])


def test_a_pin_to_a_host_that_is_not_there_is_declined_with_pin_host_and_hosts() -> None:
    nimbus = three_hosts()
    topology = chain(("source", 1), settings={"pin": {"source": ["z"]}})
    said = reason(nimbus.round(topology)[topology.id])
    assert values(said, Code.NO_PROBLEM) == {
        "problem": "eyewall.pin of source: no host z; hosts are a, b, c",
        "doubt": "",
    }


def test_a_surprise_in_one_topology_does_not_stop_the_others() -> None:
    nimbus = three_hosts()
    nimbus.solvers.breaks_on = "odd[1-1]"
    odd, good = chain(("odd", 1), name="a-1"), ends_pinned()
    decisions = nimbus.round(odd, good)
    assert reason(decisions[odd.id]) == message(Code.FAILED, error="RuntimeError: a surprise")
    assert is_placed(decisions[good.id])


def test_a_solver_that_died_is_declined_and_asked_again() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.solvers.answer = SolverFailure(message(Code.SOLVER_DIED))
    assert reason(nimbus.round(topology)[topology.id]) == message(Code.SOLVER_DIED)
    nimbus.solvers.answer = None
    assert is_placed(nimbus.round(topology)[topology.id])


def test_a_search_that_found_nothing_in_its_time_is_asked_again() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.solvers.answer = Solution(Status.TIMED_OUT, "odp", "integer program", reasons=("1.2 s",))
    declined = values(reason(nimbus.round(topology)[topology.id]), Code.NO_PLACEMENT)
    assert (declined["status"], declined["reasons"]) == (Status.TIMED_OUT, ("1.2 s",))
    nimbus.solvers.answer = None
    assert is_placed(nimbus.round(topology)[topology.id])


def test_without_delays_a_topology_is_declined_with_what_is_wrong_with_their_store() -> None:
    nimbus, topology = three_hosts(), chain(("source", 1))
    nimbus.delays.milliseconds.clear()
    nimbus.delays.remark = "delay file d.json: No such file or directory"
    assert values(reason(nimbus.round(topology)[topology.id]), Code.NO_PROBLEM) == {
        "problem": "no delay is known between any of a, b, c",
        "doubt": "delay file d.json: No such file or directory",
    }


def test_each_decision_is_logged_once_and_not_again_while_it_stays(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", logger="eyewall.decisions")
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.rounds(topology, 6)
    lines = [it.getMessage().split("(")[0].strip() for it in caplog.records]
    assert lines == [
        "chain-1: place: eyewall: odp, optimal, R 20 ms; selectivity 1 assumed for tag",
        "chain-1: keep: looking for a better placement",
        "chain-1: keep: optimal as it is",
    ]


def test_a_topology_that_is_gone_is_forgotten() -> None:
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.solvers.late = True
    nimbus.round(topology)
    nimbus.round()
    assert nimbus.solvers.placed[0].cancelled
    nimbus.round(topology)
    assert len(nimbus.solvers.placed) == 2


def test_executors_beyond_a_slots_limit_get_a_second_worker() -> None:
    nimbus = Nimbus([supervisor("a", 2)], {})
    topology = chain(("source", 3), settings={"executors.per.slot": 2})
    nimbus.round(topology)
    sizes: list[Worker] = list(nimbus.running[topology.id])
    assert sorted(len(it.executors) for it in sizes) == [1, 2]
