"""What the load model gets of a topology and its hosts: measured, or declared until then."""

from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code
from eyewall_sidecar.storm import (
    Executor,
    HostLoad,
    MeasuredTopology,
    Slot,
    TopologyProblem,
    Worker,
)
from eyewall_sidecar.storm.topology_estimates import MeasuredValue
from eyewall_sidecar.storm.worker_overhead import HALF_RATE, USUAL_COST
from said import codes
from storm_builders import ask, chain, state, supervisor, worker

LOADED = chain(
    ("source", 1),
    ("sink", 1),
    cpu=0.1,
    settings={"policy": "ras", "objective": "L=1", "headroom": 2},
)
USED = MeasuredTopology(cores={1: MeasuredValue(0.2, 0.02), 2: MeasuredValue(0.4, 0.01)})


def test_under_load_what_is_declared_limits_and_what_was_measured_is_the_demand() -> None:
    # a has 2 of 8 declared cores as measured, of which the topology uses 0.6 and others 0.5.
    load = HostLoad(cores=2.0, busy=1.1, by_topology={LOADED.id: 0.6})
    asked = ask(
        [supervisor("a")],
        LOADED,
        worker("a", 6700, 1, 2),
        moving=True,
        measured=USED,
        loads={"a": load},
    )
    source, sink = asked.problem.operators
    # 0.011 · (1 − 0.2) and 0.011 · (1 − 0.4) went into looking for tuples, known within half.
    assert [source.cpu, sink.cpu] == [0.1, 0.1]
    assert [source.demand, sink.demand] == pytest.approx([0.2 - 0.0088, 0.4 - 0.0066])
    assert source.demand_error == pytest.approx(0.02 + 0.0044)
    (node,) = asked.problem.nodes
    assert (node.cpu, node.cores) == (8.0, 2.0)
    assert node.background == pytest.approx(0.5)
    assert asked.problem.load.polling_cpu == 0.011
    assert asked.problem.load.headroom == 2.0


def test_what_was_measured_on_a_slow_host_is_less_at_speed_one() -> None:
    # 0.2 cores at speed 0.5 do the work of 0.1 at speed 1; 0.0099 went into looking for tuples.
    asked = ask([supervisor("a", speed="0.5")], LOADED, worker("a", 6700, 1, 2), measured=USED)
    assert [it.demand for it in asked.problem.operators] == pytest.approx([0.0901, 0.1912])


@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0])
def test_what_tuples_and_workers_take_is_known_for_speed_one(speed: float) -> None:
    # A tuple that takes 10 ms at speed 1 was measured to take 20, 10 or 2.5 ms, and executors and
    # workers to use as many times more or fewer cores.
    measured = MeasuredTopology(
        cores={it: MeasuredValue(cpu / speed, 0.0) for it, cpu in ((1, 0.1), (2, 0.4))},
        execution_times={"sink": MeasuredValue(0.01 / speed, 0.0)},
    )
    asked = ask(
        [supervisor("a", speed=str(speed))],
        LOADED,
        worker("a", 6700, 1, 2),
        measured=measured,
        overheads={("a", 6700): 0.03 / speed},
    )
    at_one = ask(
        [supervisor("a", speed="1")],
        LOADED,
        worker("a", 6700, 1, 2),
        measured=MeasuredTopology(
            cores={1: MeasuredValue(0.1, 0.0), 2: MeasuredValue(0.4, 0.0)},
            execution_times={"sink": MeasuredValue(0.01, 0.0)},
        ),
        overheads={("a", 6700): 0.03},
    )
    sink = asked.problem.operator("sink[2-2]")
    assert sink.execution_time == pytest.approx(0.01, rel=0.1)
    assert sink.execution_time == pytest.approx(
        at_one.problem.operator("sink[2-2]").execution_time, rel=0.05
    )
    assert asked.problem.load.worker_cpu == pytest.approx(at_one.problem.load.worker_cpu)


@pytest.mark.parametrize(
    ("busy", "looked"),
    # The host's 2 cores are in use up to 1, 0.95 and 0.8 of them: nothing, a half, all of it.
    [(2.0, 0.0), (1.9, 0.5), (1.6, 1.0)],
)
def test_where_a_host_is_full_nobody_looks_for_tuples(busy: float, looked: float) -> None:
    load = HostLoad(cores=2.0, busy=busy, by_topology={LOADED.id: 0.6})
    asked = ask(
        [supervisor("a")], LOADED, worker("a", 6700, 1, 2), measured=USED, loads={"a": load}
    )
    source, sink = asked.problem.operators
    assert source.demand == pytest.approx(0.2 - 0.0088 * looked)
    assert sink.demand == pytest.approx(0.4 - 0.0066 * looked)
    # How much it was remains as uncertain as where there is room.
    assert source.demand_error == pytest.approx(0.02 + 0.0044)


def test_executors_of_a_component_remain_alike_where_only_one_of_their_hosts_is_full() -> None:
    # Both bolts work 0.1 cores; the one on b also looks for tuples, with 0.011 · (1 − 0.1099).
    topology = chain(("source", 1), ("sink", 2), settings={"objective": "L=1"})
    used = {1: 0.1, 2: 0.1, 3: 0.1099 - 0.0001}
    measured = MeasuredTopology(cores={it: MeasuredValue(cpu, 0.0) for it, cpu in used.items()})
    asked = ask(
        [supervisor("a"), supervisor("b")],
        topology,
        worker("a", 6700, 1, 2),
        worker("b", 6700, 3),
        measured=measured,
        loads={"a": HostLoad(2.0, 2.0), "b": HostLoad(2.0, 0.2)},
    )
    _, *sinks = asked.problem.operators
    assert [it.demand for it in sinks] == pytest.approx([0.1, 0.1], rel=1e-3)
    assert sinks[0].demand == sinks[1].demand


def test_executors_that_used_alike_are_alike_however_little_of_it_was_work() -> None:
    # 0.009 and 0.011 may be the same within a quarter; what tuples took of them differs more.
    topology = chain(("source", 1), ("sink", 2), settings={"objective": "L=1"})
    used = {1: 0.1, 2: 0.009, 3: 0.011}
    measured = MeasuredTopology(cores={it: MeasuredValue(cpu, 0.0) for it, cpu in used.items()})
    asked = ask(
        [supervisor("a")], topology, worker("a", 6700, 1, 2, 3), measured=measured, moving=True
    )
    _, one, other = asked.problem.operators
    assert one.demand == other.demand


def test_an_executor_that_only_looks_for_tuples_needs_next_to_nothing() -> None:
    # 0.011 used, of which 0.011 · 0.989 for looking: a tenth is left.
    measured = MeasuredTopology(cores=dict.fromkeys((1, 2), MeasuredValue(0.011, 0.0)))
    asked = ask([supervisor("a")], LOADED, worker("a", 6700, 1, 2), measured=measured)
    assert [it.demand for it in asked.problem.operators] == pytest.approx([0.0011, 0.0011])


def test_no_executor_looks_for_tuples_with_more_than_the_least_that_any_of_its_kind_used() -> None:
    # The bolts have another wait strategy: of 0.004 used 0.004 · 0.996 went into looking, of 0.1
    # 0.004 · 0.9. That says nothing of the spout: of its 0.1, 0.011 · 0.9.
    topology = chain(("source", 1), ("tag", 1), ("sink", 1), settings={"objective": "L=1"})
    used = {1: MeasuredValue(0.1, 0.0), 2: MeasuredValue(0.1, 0.0), 3: MeasuredValue(0.004, 0.0)}
    measured = MeasuredTopology(cores=used)
    asked = ask([supervisor("a")], topology, worker("a", 6700, 1, 2, 3), measured=measured)
    demands = [it.demand for it in asked.problem.operators]
    assert demands == pytest.approx([0.0901, 0.0964, 0.0004])
    assert asked.problem.load.polling_cpu == pytest.approx((0.011 + 2 * 0.004) / 3)


def test_nothing_is_known_of_threads_that_look_for_tuples_where_nothing_was_measured() -> None:
    asked = ask([supervisor("a")], LOADED, worker("a", 6700, 1, 2))
    assert asked.problem.load.polling_cpu == 0.0


def test_the_time_for_a_tuple_is_without_looking_for_it() -> None:
    # 0.022 cores at 10 tuples/s are 2.2 ms each; 0.011 · 0.978 of the 0.022 went into looking.
    measured = MeasuredTopology(
        cores=dict.fromkeys((1, 2), MeasuredValue(0.022, 0.0)),
        execution_times={"sink": MeasuredValue(0.0022, 0.0)},
    )
    asked = ask([supervisor("a")], LOADED, worker("a", 6700, 1, 2), measured=measured)
    times = [it.execution_time for it in asked.problem.operators]
    assert times == pytest.approx([0.0, 0.0011242])


def test_a_host_without_a_report_has_as_many_cores_for_what_it_declares_as_the_others() -> None:
    # a has 2 of 8 declared cores, so b likely has 2 of 8, too.
    asked = ask(
        [supervisor("a"), supervisor("b")],
        LOADED,
        worker("a", 6700, 1, 2),
        measured=USED,
        loads={"a": HostLoad(cores=2.0, busy=0.6, by_topology={LOADED.id: 0.6})},
    )
    assert {it.id: it.cores for it in asked.problem.nodes} == {"a": 2.0, "b": 2.0}


def test_without_measurements_nothing_is_known_but_what_is_declared() -> None:
    asked = ask([supervisor("a")], LOADED)
    assert [it.demand for it in asked.problem.operators] == [None, None]
    assert [(it.cores, it.background) for it in asked.problem.nodes] == [(None, 0.0)]


def test_before_cpu_is_measured_others_use_the_same_part_of_declared_cores() -> None:
    # Processes other than workers use 0.5 of 2 cores, so 2 of 8 declared ones; another topology,
    # of which 0.75 were measured, declares 3 and leaves 5.
    other = chain(("source", 1), ("sink", 1), cpu=1.5, name="other-1")
    asked = ask(
        [supervisor("a"), supervisor("b")],
        LOADED,
        loads={"a": HostLoad(cores=2.0, busy=1.25, by_topology={other.id: 0.75})},
        others=[state(other, worker("a", 6700, 1, 2))],
    )
    assert {it.id: (it.cpu, it.cores, it.background) for it in asked.problem.nodes} == {
        "a": (5.0, 5.0, 2.0),
        "b": (8.0, None, 0.0),
    }


def test_cores_are_at_least_what_stays_declares_however_much_others_declare() -> None:
    # The other topology declares all 8 cores; 0.1 stay, and a quarter of a is in use by processes.
    other = chain(("x", 1), cpu=8.0, name="other-1")
    (node,) = ask(
        [supervisor("a")],
        LOADED,
        worker("a", 6700, 1),
        loads={"a": HostLoad(cores=2.0, busy=0.5)},
        others=[state(other, worker("a", 6701, 1))],
    ).problem.nodes
    assert (node.cpu, node.cores, node.background) == (0.1, 0.1, 0.1)


def test_a_host_that_reports_no_cores_says_nothing_of_what_others_use() -> None:
    (node,) = ask(
        [supervisor("a")], LOADED, loads={"a": HostLoad(cores=0.0, busy=0.0)}
    ).problem.nodes
    assert (node.cores, node.background) == (None, 0.0)


def test_what_crossing_a_worker_costs_is_fitted_to_the_workers_that_run() -> None:
    # 10,000 tuples/s leave one worker and enter the other; each uses 1.091 cores beside its
    # executors. 0.015 + 0.08 · 10,000 / 10,500 are usual of a worker, so a tuple takes some
    # 100 µs at each end rather than 5: an eighth of what is more is put down to being woken.
    topology = chain(("source", 1), ("sink", 1), settings={"rate.hint": {"source": 10_000}})
    workers = worker("a", 6700, 1), worker("a", 6701, 2)
    overheads = {("a", 6700): 1.091, ("a", 6701): 1.091}
    load = ask([supervisor("a")], topology, *workers, overheads=overheads).problem.load
    assert load.send_cpu == load.receive_cpu == pytest.approx(100e-6 * 7 / 8, rel=0.02)
    usual = ask([supervisor("a")], topology, *workers).problem.load
    assert (usual.worker_cpu, usual.crossing_cpu, usual.send_cpu) == pytest.approx(
        tuple(USUAL_COST)
    )


def test_what_follows_from_one_tuple_crosses_a_border_as_one_burst() -> None:
    # 100 sentences/s of five words: the first worker's border is crossed by 100 bursts, the
    # second's by 200. Overheads that these explain leave the usual costs as they are.
    topology = chain(
        ("source", 1),
        ("split", 1),
        ("count", 1),
        settings={"rate.hint": {"source": 100, "split": 500}},
    )
    workers = worker("a", 6700, 1), worker("a", 6701, 2), worker("a", 6702, 3)
    tuples, bursts = (100.0, 600.0, 500.0), (100.0, 200.0, 100.0)
    overheads = {
        ("a", 6700 + place): USUAL_COST.worker
        + USUAL_COST.crossing * burst / (burst + HALF_RATE)
        + USUAL_COST.per_tuple * each
        for place, (each, burst) in enumerate(zip(tuples, bursts, strict=True))
    }
    load = ask([supervisor("a")], topology, *workers, overheads=overheads).problem.load
    assert (load.worker_cpu, load.crossing_cpu, load.send_cpu) == pytest.approx(tuple(USUAL_COST))
    assert load.crossing_half_rate == HALF_RATE


def test_what_crosses_a_border_is_what_shuffles_send_across_it() -> None:
    # The source shuffles 100 tuples/s and runs in the first tag's worker, so that tag gets all of
    # them. Only what it sends to the count crosses a border; the second tag gets nothing.
    topology = chain(
        ("source", 1), ("tag", 2), ("count", 1), settings={"rate.hint": {"source": 100}}
    )
    workers = worker("a", 6700, 1, 2), worker("a", 6701, 3), worker("a", 6702, 4)
    overheads = {
        ("a", 6700 + place): USUAL_COST.worker
        + USUAL_COST.crossing * tuples / (tuples + HALF_RATE)
        + USUAL_COST.per_tuple * tuples
        for place, tuples in enumerate((100.0, 0.0, 100.0))
    }
    load = ask([supervisor("a")], topology, *workers, overheads=overheads).problem.load
    assert (load.worker_cpu, load.crossing_cpu, load.send_cpu) == pytest.approx(tuple(USUAL_COST))


def test_executors_that_differ_only_by_what_shuffles_sent_them_need_alike() -> None:
    # The first tag did all of the work, 0.2 cores, and the second looked for tuples at 0.011: each
    # needs half of it, wherever it may go.
    topology = chain(("source", 1), ("tag", 2), settings={"rate.hint": {"source": 100}})
    used = {1: 0.05, 2: 0.2, 3: 0.011}
    measured = MeasuredTopology(cores={it: MeasuredValue(cpu, 0.001) for it, cpu in used.items()})
    asked = ask([supervisor("a")], topology, worker("a", 6700, 1, 2, 3), measured=measured)
    first, second = (asked.problem.operator(it).demand for it in ("tag[2-2]", "tag[3-3]"))
    # Of what looking takes at most, 0.011 × 0.8 and × 0.989, a tenth is left of the second's.
    assert first == second == pytest.approx((0.2 - 0.011 * 0.8 + 0.1 * 0.011) / 2, rel=0.01)


def test_an_executor_needs_a_part_for_each_task_that_shuffles_choose_from() -> None:
    # Three tasks, two of them in one executor, with whatever was measured of each: 0.9 cores.
    topology = chain(("source", 1), ("tag", 1), settings={"rate.hint": {"source": 100}})
    source, tag = topology.components
    tag = replace(tag, executors=(Executor(2, 3), Executor(4, 4)))
    topology = replace(topology, components=(source, tag))
    used = {1: 0.05, 2: 0.2, 3: 0.2, 4: 0.5}
    measured = MeasuredTopology(cores={it: MeasuredValue(cpu, 0.001) for it, cpu in used.items()})
    of = Worker(Slot("sup-a", 6700), frozenset([Executor(1, 1), *tag.executors]))
    problem = ask([supervisor("a")], topology, of, measured=measured).problem
    first, second = (problem.operator(it).demand for it in ("tag[2-3]", "tag[4-4]"))
    assert first is not None
    assert second is not None
    assert first == pytest.approx(2 * second)
    assert first + second == pytest.approx(0.9, rel=0.1)


def asked_of_a_and_b(*loads: str, drained: str = "") -> TopologyProblem:
    """What may move of a topology with two executors on a, where these hosts report."""
    load = HostLoad(cores=2.0, busy=0.6, by_topology={LOADED.id: 0.6})
    hosts = [supervisor(it) for it in "ab"]
    return ask(
        [replace(it, drained=it.host == drained) for it in hosts],
        LOADED,
        worker("a", 6700, 1, 2),
        moving=True,
        measured=USED,
        loads=dict.fromkeys(loads, load),
    )


def test_nothing_moves_for_its_load_to_a_host_that_reports_none() -> None:
    asked = asked_of_a_and_b("a")
    assert [it.id for it in asked.problem.nodes] == ["a"]
    assert Code.LEFT_OUT_UNSEEN in [it for said in asked.assumptions for it in codes(said)]
    assert asked.loads_unknown is None


def test_where_a_topology_runs_on_a_host_that_reports_no_load_nothing_is_known_of_it() -> None:
    asked = asked_of_a_and_b("b")
    # Both stay possible where they are.
    assert {it.id: it.operators for it in asked.problem.nodes}["a"] == 2
    assert codes(asked.loads_unknown) == [Code.LOADS_UNKNOWN]


def test_what_leaves_a_drained_host_may_go_where_nothing_is_reported() -> None:
    asked = asked_of_a_and_b("a", drained="a")
    limits = {it.id: it.operators for it in asked.problem.nodes}
    assert limits["a"] == 0
    assert limits["b"] > 1
