"""What a round costs where little or nothing changed, counted in problems that are built."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from delay_tables import all_delays
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service import movement_rules, problem_cache
from eyewall_sidecar.service.crossing_memory import CrossingLesson
from eyewall_sidecar.service.decision import Keep, TopologyRecord, record_of
from eyewall_sidecar.service.estimates import Estimates
from eyewall_sidecar.service.problem_cache import (
    Observation,
    request_placement,
)
from eyewall_sidecar.storm import (
    USUAL_COST,
    CrossingCost,
    KnownDelays,
    KnownDelaysCache,
    Topology,
    TopologyProblem,
    Worker,
    WorkerAddress,
    known_delays,
    problem_of_moving,
    read_settings,
    supervisor_capacities,
)
from measured_topologies import report
from obedient_nimbus import Nimbus
from storm_builders import IDLE_HOSTS, chain, cluster, state, supervisor, worker


class _Counted:
    """Calls of a function, each of which may do something first."""

    def __init__(self, call: Callable[..., Any], first: Callable[[], None] = lambda: None) -> None:
        self.call = call
        self.first = first
        self.times = 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.times += 1
        self.first()
        return self.call(*given, **named)


def three_running() -> tuple[Nimbus, list[Topology]]:
    """Three topologies of two executors, side by side on a and b; nothing is moved."""
    nimbus = Nimbus([supervisor("a", 4), supervisor("b", 4)], {("a", "b"): 10}, frozen=True)
    running = [chain(("source", 1), ("sink", 1), name=f"t-{place}") for place in range(3)]
    for place, topology in enumerate(running):
        nimbus.running[topology.id] = (
            worker("a", 6700 + place, 1),
            worker("b", 6700 + place, 2),
        )
    return nimbus, running


def counted_builds(
    monkeypatch: pytest.MonkeyPatch, first: Callable[[], None] = lambda: None
) -> _Counted:
    built = _Counted(problem_of_moving, first)
    monkeypatch.setattr(problem_cache, "problem_of_moving", built)
    return built


def test_nothing_is_built_or_assessed_again_while_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built = counted_builds(monkeypatch)
    assessed = _Counted(movement_rules.assess_move)
    monkeypatch.setattr(movement_rules, "assess_move", assessed)
    nimbus, running = three_running()
    for _ in range(5):
        nimbus.round(*running, obey=False)
    assert (built.times, assessed.times) == (3, 3)


def test_the_very_same_state_is_not_even_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    nimbus, running = three_running()
    same = cluster(nimbus.hosts, *(state(it, *nimbus.running[it.id]) for it in running))
    compared = _Counted(supervisor_capacities)
    monkeypatch.setattr(problem_cache, "supervisor_capacities", compared)
    nimbus.solvers.late = True
    for _ in range(5):
        nimbus.service.decide(same, nimbus.clock.now + 2)
    assert compared.times == 3


def test_a_changed_delay_a_changed_host_and_a_changed_neighbour_are_each_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nimbus, (one, other, _) = three_running()
    nimbus.round(one, other)
    built = counted_builds(monkeypatch)
    nimbus.delays.milliseconds = {("a", "b"): 20}
    nimbus.round(one, other, obey=False)
    assert built.times == 2
    nimbus.hosts[0] = supervisor("a", 3)
    nimbus.round(one, other, obey=False)
    assert built.times == 4
    nimbus.running[other.id] = (worker("a", 6700 + 2, 1, 2),)
    nimbus.round(one, other, obey=False)
    assert built.times == 6


def test_a_short_round_has_time_for_something_too() -> None:
    # 50 ms are less than the 100 ms that a reply is given elsewhere.
    nimbus, (topology, *_) = three_running()
    running = cluster(nimbus.hosts, state(topology, *nimbus.running[topology.id]))
    nimbus.service.decide(running, nimbus.clock.now + 0.05)
    assert len(nimbus.solvers.improved) == 1


def test_what_the_deadline_leaves_no_time_for_stays_and_is_looked_at_in_a_later_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A round has 2 s, 0.1 s of them for the reply; building takes 1 s. Two are built in the first
    # round (the second is begun after 1 s), the third in the next.
    nimbus, running = three_running()
    nimbus.solvers.late = True

    def takes_a_second() -> None:
        nimbus.clock.now += 1

    built = counted_builds(monkeypatch, takes_a_second)
    first = nimbus.round(*running)
    assert built.times == 2
    assert [it.verdict for it in first.values()] == [Keep()] * 3
    nimbus.round(*running)
    assert built.times == 3
    assert len(nimbus.solvers.improved) == 3


def test_another_rate_or_load_does_not_look_at_every_pair_of_hosts_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nimbus, running = three_running()
    nimbus.measured.wanted = True
    nimbus.round(*running)
    looked = _Counted(known_delays._between)  # once for each time that the pairs are gone through
    monkeypatch.setattr(known_delays, "_between", looked)
    built = counted_builds(monkeypatch)
    nimbus.measured.hosts["a"] = report("a", time=nimbus.clock.now, cores=0.5)
    nimbus.round(*running)
    assert (built.times, looked.times) == (3, 0)
    nimbus.delays.milliseconds["a", "b"] = 20
    nimbus.round(*running)
    # For all three: of all delays, and of those that are trusted.
    assert (built.times, looked.times) == (6, 2)


def test_what_a_round_had_no_time_for_comes_first_in_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nimbus, running = three_running()

    def take_long() -> None:
        nimbus.clock.now += 5  # a round has two seconds

    counted_builds(monkeypatch, take_long)
    asked = []
    for milliseconds in (10, 20, 30):  # so that each has to be built again in every round
        nimbus.delays.milliseconds["a", "b"] = milliseconds
        nimbus.round(*running)
        records = nimbus.service.last_round().records
        asked.append([it.id for it in running if records[it.id].request is not None])
    assert asked == [["t-0"], ["t-0", "t-1"], ["t-0", "t-1", "t-2"]]


def known_of(nimbus: Nimbus, topology: Topology) -> KnownDelays:
    request = nimbus.service.last_round().records[topology.id].request
    assert request is not None
    assert isinstance(request.problem, TopologyProblem)
    return request.problem.known


def test_topologies_on_the_same_hosts_do_not_each_look_at_every_pair_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = _Counted(known_delays._between)
    monkeypatch.setattr(known_delays, "_between", looked)
    nimbus, running = three_running()
    nimbus.round(*running)
    assert looked.times == 2  # for all delays, and for those that are trusted
    known = [known_of(nimbus, it) for it in running]
    assert known[0] is known[1] is known[2]


def test_nor_do_they_after_a_host_has_joined_or_left(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = _Counted(known_delays._between)
    monkeypatch.setattr(known_delays, "_between", looked)
    nimbus, running = three_running()
    nimbus.round(*running)
    before = list(nimbus.hosts)
    nimbus.hosts.append(supervisor("joined", 4))
    nimbus.round(*running)
    known = [known_of(nimbus, it) for it in running]
    assert known[0] is known[1] is known[2]
    assert looked.times == 4
    nimbus.hosts = before  # what was found for them is remembered
    nimbus.round(*running)
    assert looked.times == 4


def test_topologies_that_all_leave_out_the_same_host_share_what_is_known_of_the_others() -> None:
    # c's delays are unknown and nothing runs there; here runs on a and b, there on b alone.
    hosts = [supervisor(it, 4) for it in ("a", "b", "c")]
    nimbus = Nimbus(hosts, {("a", "b"): 10}, frozen=True)
    here, there = (chain(("source", 1), ("sink", 1), name=name) for name in ("here-1", "there-1"))
    nimbus.running[here.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    nimbus.running[there.id] = (worker("b", 6701, 1, 2),)
    nimbus.round(here, there)
    assert known_of(nimbus, here).left_out == ("c",)
    assert known_of(nimbus, here) is known_of(nimbus, there)


def test_where_delays_lack_each_topology_has_hosts_of_its_own_that_are_needed() -> None:
    # c's delays are unknown: the topology that runs there keeps it, the other leaves it out.
    hosts = [supervisor(it, 4) for it in ("a", "b", "c")]
    nimbus = Nimbus(hosts, {("a", "b"): 10}, frozen=True)
    here, there = (chain(("source", 1), ("sink", 1), name=name) for name in ("here-1", "there-1"))
    nimbus.running[here.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    nimbus.running[there.id] = (worker("a", 6701, 1), worker("c", 6701, 2))
    nimbus.round(here, there)
    known = {it.id: known_of(nimbus, it) for it in (here, there)}
    assert known[here.id].left_out == ("c",)
    assert known[there.id].left_out == ()
    assert known[there.id].assumption.startswith("delay unknown, taken as the largest known")


def test_what_crossings_cost_is_not_forgotten_when_a_topology_moves_into_one_worker() -> None:
    topology = chain(("source", 1), ("sink", 1), settings={"rate.hint": {"source": 1000}})
    settings = read_settings(topology, IDLE_HOSTS, policy_catalogue())
    hosts = [supervisor("a"), supervisor("b")]

    def decided(
        record: TopologyRecord | None, *workers: Worker, overheads: dict[WorkerAddress, float]
    ) -> tuple[TopologyRecord, CrossingCost]:
        running = state(topology, *workers)
        record = record_of(record, running, set(), 0.0, USUAL_COST)
        observation = Observation(
            cluster(hosts, running),
            all_delays(["a", "b"], 10),
            Estimates(overheads={topology.id: overheads}),
        )
        request = request_placement(
            record.request,
            observation,
            running,
            settings,
            KnownDelaysCache(),
            crossing_cost=record.crossing_cost,
        )
        assert request.crossing_cost is not None
        lesson = CrossingLesson.after(record.lesson, 1000.0, request.crossing_cost)
        return replace(record, request=request, lesson=lesson), request.crossing_cost

    # 1,000 tuples/s usually cost a worker 0.015 + 0.08 · 2/3 + 0.005 cores; here 0.2.
    apart = worker("a", 6700, 1), worker("b", 6700, 2)
    record, dear = decided(None, *apart, overheads={("a", 6700): 0.2, ("b", 6700): 0.2})
    again, same = decided(record, *apart, overheads={("a", 6700): 0.2, ("b", 6700): 0.20001})
    assert dear.crossing > 1.5 * USUAL_COST.crossing
    # The same workers do not count once more each time that the problem is built.
    assert same == pytest.approx(dear, rel=1e-3)
    together = worker("a", 6700, 1, 2)
    _, after = decided(again, together, overheads={("a", 6700): 0.02})
    assert after.crossing == pytest.approx(same.crossing)
    assert after.worker == pytest.approx(0.02, rel=0.5)
    _, fresh = decided(None, together, overheads={("a", 6700): 0.02})
    assert fresh.crossing == pytest.approx(USUAL_COST.crossing)


def test_a_round_without_a_problem_keeps_what_crossings_cost() -> None:
    topology = chain(("source", 1), ("sink", 1))
    before, now = (state(topology, worker("a", port, 1, 2)) for port in (6700, 6701))
    known = CrossingCost(0.03, 0.1, 1e-5)
    record = TopologyRecord(before.assignment_digest, 0.0, crossing_cost=known)
    assert record_of(record, now, set(), 1.0, USUAL_COST).crossing_cost == known


def test_what_the_model_overrates_is_wanted_as_headroom_in_addition() -> None:
    topology = chain(("source", 1), ("sink", 1), settings={"headroom": 1.3})
    settings = read_settings(topology, IDLE_HOSTS, policy_catalogue())
    running = state(topology, worker("a", 6700, 1, 2))
    delays = all_delays(["a"], 10)
    observation = Observation(cluster([supervisor("a")], running), delays, Estimates())
    asked = [
        request_placement(None, observation, running, settings, KnownDelaysCache(), overrated=it)
        for it in (1.0, 1.2)
    ]
    problems = [it.problem for it in asked if isinstance(it.problem, TopologyProblem)]
    assert [it.problem.load.headroom for it in problems] == [1.3, pytest.approx(1.56)]
