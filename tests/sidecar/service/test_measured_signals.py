"""What runs is moved by what is measured, and kept where that is not known well enough."""

from collections.abc import Mapping

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service.decision import Decision, Keep
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.service.round import LONGEST_UNREST
from eyewall_sidecar.service.what_if import Change, Forecast, forecast
from eyewall_sidecar.storm import Topology
from measured_topologies import rates_of, report
from obedient_nimbus import Nimbus, is_placed
from said import codes, values
from storm_builders import chain, supervisor, worker

NEAR = {("a", "b"): 10}
RELIEVED = {"node": "a", "needed": pytest.approx(0.6), "available": pytest.approx(0.3)}


def on_two_hosts(
    objective: str = "N=1", settings: Mapping[str, object] | None = None
) -> tuple[Nimbus, Topology]:
    """source pinned to a, sink to b, and `tag` between them on a; two executors to a slot."""
    topology = chain(
        ("source", 1),
        ("tag", 1),
        ("sink", 1),
        settings={
            "pin": {"source": ["a"], "sink": ["b"]},
            "objective": objective,
            **(settings or {}),
        },
    )
    nimbus = Nimbus([supervisor("a", 2, cpu=1.0), supervisor("b", 2, cpu=1.0)], NEAR)
    nimbus.running[topology.id] = (worker("a", 6700, 1, 2), worker("b", 6700, 3))
    nimbus.measured.wanted = True
    return nimbus, topology


def write(nimbus: Nimbus, topology: Topology, into: float, out_of: float, **how: object) -> None:
    """`tag` takes `into` tuples/s and gives `out_of`."""
    nimbus.measured.rates[topology.id] = rates_of(
        topology,
        {2: into, 3: out_of},
        {1: into, 2: out_of},
        **{"until": nimbus.clock.now, **how},  # type: ignore[arg-type]
    )


def report_all(
    nimbus: Nimbus, topology: Topology, used: Mapping[str, float], rounds: int = 7, **machine: float
) -> list[Decision]:
    """Every host reports before each round: the topology's workers use so many cores there."""
    port_of = {it.slot.supervisor: it.slot.port for it in nimbus.running[topology.id]}
    decisions = []
    for _ in range(rounds):
        for host, cores in used.items():
            before = nimbus.measured.hosts.get(host)
            nimbus.measured.hosts[host] = report(
                host,
                before.sequence + 1 if before is not None else 0,
                time=nimbus.clock.now,
                busy=cores,
                used={topology.id: cores} if cores else {},
                port=port_of.get(f"sup-{host}", 6700),
                **machine,
            )
        decisions += nimbus.rounds(topology, 1)
    return decisions


def test_a_forecast_says_that_what_is_measured_has_not_come_to_rest() -> None:
    # Rest takes six measurements, the first of which is the difference of two reports.
    nimbus, topology = on_two_hosts()

    def asked() -> Forecast:
        return forecast(nimbus.context, topology.name, Change(), "", lambda: True)

    nimbus.round(topology)
    assert not asked().unsettled  # no rate is known, and that is what it says
    write(nimbus, topology, into=100, out_of=100)
    report_all(nimbus, topology, {"a": 0.2, "b": 0.1}, rounds=3)
    assert asked().unsettled
    assert asked().remarks.count(message(Code.UNSETTLED)) == 1
    report_all(nimbus, topology, {"a": 0.2, "b": 0.1}, rounds=7)
    assert not asked().unsettled
    assert message(Code.UNSETTLED) not in asked().remarks


def test_after_a_move_it_is_so_before_any_new_worker_has_reported() -> None:
    nimbus, topology = on_two_hosts()
    write(nimbus, topology, into=100, out_of=100)
    report_all(nimbus, topology, {"a": 0.2, "b": 0.1}, rounds=10)
    nimbus.running[topology.id] = (worker("a", 6701, 1, 2), worker("b", 6701, 3))
    nimbus.round(topology, obey=False)
    found = forecast(nimbus.context, topology.name, Change(), "", lambda: True)
    assert found.unsettled


def test_what_never_comes_to_rest_counts_as_known_in_the_end() -> None:
    # b does not report, so that the topology is never measured as a whole.
    nimbus, topology = on_two_hosts()
    write(nimbus, topology, into=100, out_of=100)
    report_all(nimbus, topology, {"a": 0.2}, rounds=10)
    assert forecast(nimbus.context, topology.name, Change(), "", lambda: True).unsettled
    nimbus.clock.now += LONGEST_UNREST
    write(nimbus, topology, into=100, out_of=100)
    report_all(nimbus, topology, {"a": 0.2}, rounds=1)
    assert not forecast(nimbus.context, topology.name, Change(), "", lambda: True).unsettled


def test_before_rates_are_known_what_runs_is_kept_and_it_is_said_why() -> None:
    nimbus, topology = on_two_hosts()
    decision = nimbus.rounds(topology, 3)[-1]
    assert decision.verdict == Keep()
    assert values(decision.status, Code.NOT_SOUGHT) == {
        "reason": "rates not known yet: source:default, tag:default"
    }
    assert nimbus.solvers.improved == []


def test_measured_rates_move_an_operator_to_where_most_of_its_tuples_go() -> None:
    # On a, the 1000/s that `tag` gives out cross 10 ms; on b only the 100/s it takes: N 10 → 1.
    nimbus, topology = on_two_hosts()
    write(nimbus, topology, into=100, out_of=1000)
    decisions = nimbus.rounds(topology, 3)
    moved = next(it for it in decisions if is_placed(it))
    assert values(moved.status, Code.MOVING_SOLUTION)["worth"] == "N 1 tuples (was 10)"
    assert nimbus.host_of(topology, 2) == "b"


def test_rates_that_are_not_confident_enough_move_nothing_and_it_is_said() -> None:
    nimbus, topology = on_two_hosts()
    write(nimbus, topology, into=100, out_of=1000, confidence=0.3)
    decision = nimbus.rounds(topology, 3)[-1]
    assert decision.verdict == Keep()
    assert "confidence 0.30 of 0.5 wanted" in str(decision.status)
    assert nimbus.host_of(topology, 2) == "a"


def test_what_held_a_topology_back_is_no_longer_said_once_it_is_known() -> None:
    nimbus, topology = on_two_hosts()
    nimbus.rounds(topology, 2)
    write(nimbus, topology, into=1000, out_of=100)
    assert Code.NOT_SOUGHT not in codes(nimbus.rounds(topology, 2)[-1].status)


def test_an_objective_that_no_rate_changes_does_not_wait_for_rates() -> None:
    nimbus, topology = on_two_hosts("R=1")
    nimbus.rounds(topology, 2)
    assert len(nimbus.solvers.improved) == 1


def test_hints_do_where_nothing_is_measured_yet() -> None:
    nimbus, topology = on_two_hosts(settings={"rate.hint": {"source": 100, "tag": 1000}})
    assert any(map(is_placed, nimbus.rounds(topology, 3)))


def test_measured_rates_overrule_hints() -> None:
    nimbus, topology = on_two_hosts(settings={"rate.hint": {"source": 100, "tag": 1000}})
    write(nimbus, topology, into=1000, out_of=100)
    assert not any(map(is_placed, nimbus.rounds(topology, 3)))


def test_documents_that_differ_by_chance_alone_ask_nothing_anew() -> None:
    nimbus, topology = on_two_hosts()
    for rate in (1000, 1040, 970, 1010):
        write(nimbus, topology, into=rate, out_of=100)
        nimbus.rounds(topology, 6)
    assert len(nimbus.solvers.improved) == 1


def test_a_heavy_operator_leaves_a_host_that_was_made_slow_though_it_is_nearer_there() -> None:
    nimbus, topology = on_two_hosts("R=1", {"pin": {"source": ["a"]}})
    nimbus.running[topology.id] = (worker("a", 6700, 1, 2, 3),)
    cores = {1: 0.05, 2: 0.5, 3: 0.05}
    write(nimbus, topology, into=100, out_of=100, cores=cores)
    # All in one place: R is least.
    assert not any(map(is_placed, report_all(nimbus, topology, {"a": 0.6, "b": 0.0})))
    nimbus.measured.hosts["a"] = report(
        "a", 9, time=nimbus.clock.now, cores=0.3, busy=0.3, used={topology.id: 0.3}
    )
    moved = next(it for it in nimbus.rounds(topology, 4) if is_placed(it))
    assert values(moved.status, Code.OVERLOADED) == RELIEVED
    assert nimbus.host_of(topology, 2) == "b"
    # It does not come back when a is idle for the lack of it.
    nimbus.measured.hosts["a"] = report("a", 10, time=nimbus.clock.now, cores=0.3, busy=0.05)
    assert not any(map(is_placed, nimbus.rounds(topology, 4)))


def test_a_plan_that_relieves_a_host_says_that_it_was_overloaded() -> None:
    nimbus, topology = on_two_hosts("R=1", {"pin": {"source": ["a"]}})
    nimbus.running[topology.id] = (worker("a", 6700, 1, 2, 3),)
    write(nimbus, topology, into=100, out_of=100, cores={1: 0.05, 2: 0.5, 3: 0.05})
    nimbus.measured.hosts["a"] = report(
        "a", time=nimbus.clock.now, cores=0.3, busy=0.3, used={topology.id: 0.3}
    )
    nimbus.round(topology, obey=False)
    plan = nimbus.planner.make(PlanOptions(topology.name), lambda: True)
    assert message(Code.OVERLOADED, **RELIEVED) in plan.remarks


def test_what_was_too_heavy_for_a_host_does_not_go_back_while_its_weight_is_not_known() -> None:
    nimbus, topology = on_two_hosts("R=1", {"pin": {"source": ["a"]}})
    nimbus.running[topology.id] = (worker("a", 6700, 1, 2, 3),)
    cores = {1: 0.05, 2: 0.5, 3: 0.05}
    write(nimbus, topology, into=100, out_of=100, cores=cores)
    nimbus.measured.hosts["b"] = report("b", time=nimbus.clock.now)
    assert any(map(is_placed, report_all(nimbus, topology, {"a": 0.3}, cores=0.3)))
    assert nimbus.host_of(topology, 2) == "b"
    write(nimbus, topology, into=100, out_of=100, cores=cores, confidence=0.4)
    decisions = report_all(nimbus, topology, {"a": 0.1, "b": 0.2}, cores=0.3)
    assert not any(map(is_placed, decisions))
    # What else changes is still acted on: b is far from a now, and c as near as b was.
    nimbus.hosts.append(supervisor("c", 2, cpu=1.0))
    nimbus.measured.hosts["c"] = report("c", time=nimbus.clock.now)
    nimbus.delays.milliseconds |= {("a", "b"): 100, ("a", "c"): 10, ("b", "c"): 100}
    moved = next(it for it in nimbus.rounds(topology, 4) if is_placed(it))
    assert "CPU of 3 tasks as it was last known" in str(moved.status)
    assert nimbus.host_of(topology, 2) == "c"


def test_a_host_without_reports_is_taken_as_it_declares_itself() -> None:
    nimbus, topology = on_two_hosts("R=1")
    write(nimbus, topology, 100, 100, cores={1: 0.3, 2: 0.3, 3: 0.3})
    nimbus.rounds(topology, 1)
    asked = nimbus.solvers.improved[0].task.problem
    assert {it.id: it.cpu for it in asked.nodes} == {"a": 1.0, "b": 1.0}


def test_what_has_to_be_placed_anew_is_placed_though_the_hosts_are_busy() -> None:
    nimbus, topology = on_two_hosts("R=1")
    write(nimbus, topology, 100, 100, cores={1: 0.9, 2: 0.9, 3: 0.9})
    del nimbus.running[topology.id]
    assert is_placed(nimbus.round(topology)[topology.id])


def test_measured_cpu_is_the_time_of_execution_where_none_is_declared() -> None:
    # 2 ms of CPU for each tuple; of 0.1 cores, 0.011 · 0.9 went into looking for tuples. Of `tag`
    # its owner knows that it waits for more.
    nimbus, topology = on_two_hosts("R=1", {"execution.time.hint.ms": {"tag": 9}})
    write(nimbus, topology, 100, 100, cost=0.002)
    nimbus.rounds(topology, 1)
    asked = nimbus.solvers.improved[0].task.problem
    times = [it.execution_time for it in asked.operators]
    assert times == pytest.approx([0.001802, 0.009, 0.001802])


def test_a_store_that_is_broken_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    nimbus, topology = on_two_hosts()
    nimbus.measured.remark = "measurements in ZooKeeper here:1: no connection"
    nimbus.rounds(topology, 3)
    nimbus.measured.remark = ""
    nimbus.rounds(topology, 2)
    said = [it.getMessage() for it in caplog.records if it.name == "eyewall.measurements"]
    assert said == [
        "measurements in ZooKeeper here:1: no connection",
        "measurements are good again",
    ]
