from dataclasses import replace
from math import inf

import pytest
from delay_tables import all_delays, delay_table
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.violations import violations
from eyewall_sidecar.storm import (
    Executor,
    HostLoad,
    MeasuredTopology,
    Slot,
    Worker,
)
from eyewall_sidecar.storm.topology_estimates import MeasuredValue
from storm_builders import (
    MEGABYTE,
    ask,
    capacity,
    chain,
    many_supervisors,
    state,
    supervisor,
    worker,
)


def test_executors_become_operators_and_supervisors_become_nodes() -> None:
    topology = chain(("source", 1), ("tag", 2), acker=True)
    problem = ask(
        [supervisor("a"), supervisor("b", speed="0.5", availability="0.9")], topology
    ).problem
    assert [it.id for it in problem.operators] == [
        "source[1-1]",
        "tag[2-2]",
        "tag[3-3]",
        "__acker[4-4]",
    ]
    assert [(it.id, it.speedup, it.availability) for it in problem.nodes] == [
        ("a", 1, 1),
        ("b", 0.5, 0.9),
    ]
    assert problem.delay("a", "b") == pytest.approx(0.010)
    assert problem.current is None


def test_only_ack_streams_are_system_streams() -> None:
    problem = ask([supervisor("a")], chain(("source", 1), ("tag", 1), acker=True)).problem
    assert {(it.source, it.target) for it in problem.streams if not it.system} == {
        ("source[1-1]", "tag[2-2]")
    }


def test_a_node_holds_as_many_operators_as_its_free_slots_hold_executors() -> None:
    # a has 2 slots of which another topology holds one, b has 3; EPS_max is 4.
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    problem = ask(
        [supervisor("a", 2), supervisor("b", 3)], chain(("source", 1)), others=[other]
    ).problem
    assert capacity(problem) == {"a": 4, "b": 12}


def test_with_eckers_score_a_supervisor_that_serves_another_topology_takes_no_more() -> None:
    # Paper 002, section 4: one topology a supervisor at most. Of a's 2 slots one is free all the
    # same; other objectives may use it.
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    hosts = [supervisor("a", 2), supervisor("b", 3)]
    alone = chain(("source", 1), settings={"policy": "hybrid", "objective": "ecker"})
    assert capacity(ask(hosts, alone, others=[other]).problem) == {"b": 12}
    assert capacity(ask(hosts, chain(("source", 1)), others=[other]).problem) == {
        "a": 4,
        "b": 12,
    }


def test_with_eckers_score_nothing_may_stay_where_another_topology_runs() -> None:
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    topology = chain(("source", 2), settings={"policy": "hybrid", "objective": "ecker"})
    asked = ask(
        [supervisor("a", 2), supervisor("b", 1)],
        topology,
        worker("a", 6701, 1, 2),
        others=[other],
        moving=True,
    )
    assert capacity(asked.problem) == {"a": 0, "b": 4}


def test_with_eckers_score_and_every_supervisor_taken_it_is_said_so() -> None:
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    topology = chain(("source", 1), settings={"policy": "hybrid", "objective": "ecker"})
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a", 2)], topology, others=[other])
    assert refused.value.args == (message(Code.NO_UNSHARED_SLOT, unreadable=[]),)


def test_a_greylisted_supervisor_is_used_where_the_others_have_no_room() -> None:
    # Four executors a worker: b's one slot holds four.
    grey = replace(supervisor("a", 2), greylisted=True)
    hosts = [grey, supervisor("b", 1)]
    assert capacity(ask(hosts, chain(("source", 4))).problem) == {"b": 4}
    assert capacity(ask(hosts, chain(("source", 5))).problem) == {"a": 8, "b": 4}


def test_what_runs_on_a_greylisted_supervisor_stays_and_nothing_is_moved_there() -> None:
    grey = replace(supervisor("a", 2), greylisted=True)
    topology = chain(("source", 2))
    running = worker("a", 6700, 1), worker("b", 6700, 2)
    problem = ask([grey, supervisor("b", 2)], topology, *running, moving=True).problem
    assert capacity(problem) == {"a": 1, "b": 8}


def test_executors_per_slot_is_the_topologys_setting() -> None:
    topology = chain(("source", 1), settings={"executors.per.slot": 2})
    assert capacity(ask([supervisor("a", 2)], topology).problem) == {"a": 4}


def test_when_all_may_move_the_slots_held_by_the_topology_count_as_room() -> None:
    topology = chain(("source", 2))
    asked = ask(
        [supervisor("a", 2), supervisor("b", 1)], topology, worker("a", 6700, 1, 2), moving=True
    )
    assert capacity(asked.problem) == {"a": 8, "b": 4}
    assert asked.problem.current == {"source[1-1]": "a", "source[2-2]": "a"}
    assert asked.problem.candidates("source[1-1]") == ("a", "b")


def test_cpu_and_memory_are_what_other_topologies_leave() -> None:
    # The other topology's two executors request 0.5 cores and 256 MB each:
    # 8 − 1 cores and 4096 − 512 MB are left.
    busy = chain(("x", 2), name="other-1", cpu=0.5, heap_megabytes=256)
    problem = ask(
        [supervisor("a")], chain(("source", 1)), others=[state(busy, worker("a", 6700, 1, 2))]
    ).problem
    assert problem.node("a").cpu == pytest.approx(7)
    assert problem.node("a").memory == 3584 * MEGABYTE


def test_running_executors_stay_when_others_have_no_slot() -> None:
    topology = chain(("source", 1), ("tag", 2))
    problem = ask([supervisor("a"), supervisor("b")], topology, worker("a", 6700, 1, 2)).problem
    assert problem.candidates("source[1-1]") == ("a",)
    assert problem.candidates("tag[2-2]") == ("a",)
    assert problem.candidates("tag[3-3]") == ("a", "b")
    # One of a's two slots is held: its two executors, and 4 more in the fresh slot.
    assert capacity(problem) == {"a": 6, "b": 8}


def test_executors_that_stay_fit_even_where_the_host_is_overcommitted() -> None:
    topology = chain(("source", 2), ("tag", 1), cpu=3)
    problem = ask(
        [supervisor("a", cpu=4), supervisor("b", cpu=4)], topology, worker("a", 6700, 1, 2)
    ).problem
    assert problem.node("a").cpu == 6


def test_a_pin_names_hosts_labels_or_sites() -> None:
    hosts = [
        supervisor("edge-1", site="edge", labels="camera, gpu"),
        supervisor("edge-2", site="edge"),
        supervisor("cloud-1", site="cloud", labels="gpu"),
    ]
    topology = chain(
        ("a", 1),
        ("b", 1),
        ("c", 1),
        ("d", 1),
        settings={"pin": {"a": ["edge-2"], "b": ["label:gpu"], "c": ["site:edge"]}},
    )
    problem = ask(hosts, topology).problem
    assert problem.candidates("a[1-1]") == ("edge-2",)
    assert problem.candidates("b[2-2]") == ("edge-1", "cloud-1")
    assert problem.candidates("c[3-3]") == ("edge-1", "edge-2")
    assert problem.candidates("d[4-4]") == ("edge-1", "edge-2", "cloud-1")


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        ("c", "eyewall.pin of source: no host c; hosts are a, b"),
        ("label:gpu", "eyewall.pin of source: no host has the label gpu; labels are camera"),
        ("site:moon", "eyewall.pin of source: no host is at the site moon; sites are edge"),
    ],
)
def test_a_pin_that_names_nothing_is_refused_with_the_choice(pin: str, said: str) -> None:
    topology = chain(("source", 1), settings={"pin": {"source": [pin]}})
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a", site="edge", labels="camera"), supervisor("b")], topology)
    assert str(refused.value) == said


def test_a_pin_to_a_host_without_free_slot_is_refused() -> None:
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    topology = chain(("source", 1), settings={"pin": {"source": ["a"]}})
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a", 1), supervisor("b")], topology, others=[other])
    assert refused.value.args == (
        message(Code.PIN_FULL, component="source", reasons=["a: no free slot"]),
    )


def test_two_supervisors_on_one_host_are_two_nodes_without_delay_between_them() -> None:
    hosts = [supervisor("a", name="one"), supervisor("a", name="two"), supervisor("b")]
    asked = ask(hosts, chain(("source", 1)))
    assert set(asked.supervisors) == {"a/one", "a/two", "b"}
    assert asked.problem.delay("a/one", "a/two") == 0
    assert asked.problem.delay("a/one", "b") == pytest.approx(0.010)


def test_a_host_whose_description_cannot_be_read_is_left_out_and_that_is_said() -> None:
    hosts = [supervisor("a"), supervisor("b", availability="99%")]
    asked = ask(hosts, chain(("source", 1)))
    assert [it.id for it in asked.problem.nodes] == ["a"]
    assert str(asked.assumptions[-1]) == (
        "1 host left out: b: supervisor.scheduler.meta availability is '99%'; it must be a number "
        "in (0, 1]"
    )


def test_executors_on_a_supervisor_that_is_gone_cannot_be_modelled() -> None:
    topology = chain(("source", 2))
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a")], topology, worker("z", 6700, 1))
    assert refused.value.args == (message(Code.SUPERVISOR_UNKNOWN, supervisor="sup-z"),)


def test_an_executor_larger_than_a_worker_is_refused() -> None:
    topology = chain(("source", 1), heap_megabytes=512, max_heap_megabytes=256)
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a")], topology)
    assert refused.value.args == (
        message(Code.HEAP_TOO_LARGE, component="source", wanted=512, allowed=256),
    )


def test_hints_of_execution_time_are_the_operators() -> None:
    topology = chain(("source", 1), ("tag", 1), settings={"execution.time.hint.ms": {"tag": 3}})
    problem = ask([supervisor("a")], topology).problem
    assert [it.execution_time for it in problem.operators] == [0.0, 0.003]


def test_no_free_slot_anywhere_is_refused() -> None:
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a", 0)], chain(("source", 1)))
    assert refused.value.args == (message(Code.NO_FREE_SLOT, unreadable=[]),)


def test_what_runs_in_a_withdrawn_slot_stays_and_makes_no_room_for_others() -> None:
    # b is blacklisted: it offers no slot, two executors run there. a: 2 slots × 4, one held.
    topology = chain(("source", 2), ("tag", 1), settings={"pin": {"source": ["a"]}})
    hosts = [supervisor("a", 2), supervisor("b", 0)]
    running = (worker("b", 6700, 1, 2), worker("a", 6700, 3))
    problem = ask(hosts, topology, *running, moving=True).problem
    assert capacity(problem) == {"a": 8, "b": 2}
    assert [problem.candidates(f"source[{n}-{n}]") for n in (1, 2)] == [("b",), ("b",)]
    assert problem.candidates("tag[3-3]") == ("a", "b")


def test_a_withdrawn_slot_has_no_room_for_what_is_missing_either() -> None:
    # No slot is fresh: what is missing has to share a's worker, not b's.
    topology = chain(("source", 3))
    hosts = [supervisor("a", 1), supervisor("b", 0)]
    asked = ask(hosts, topology, worker("b", 6700, 1), worker("a", 6700, 2))
    assert capacity(asked.problem) == {"a": 4, "b": 1}


def test_a_host_so_slow_that_its_work_could_not_be_counted_is_left_out() -> None:
    asked = ask([supervisor("a"), supervisor("b", speed="1e-300")], chain(("source", 1)))
    assert [it.id for it in asked.problem.nodes] == ["a"]
    assert str(asked.assumptions[-1]) == (
        "1 host left out: b: supervisor.scheduler.meta speed is '1e-300'; it must be a number from "
        "1e-06 to 1000"
    )


def test_of_many_hosts_whose_description_cannot_be_read_one_is_named_and_the_rest_counted() -> None:
    asked = ask([supervisor("a"), *many_supervisors(5, speed="fast")], chain(("source", 1)))
    assert str(asked.assumptions[-1]) == (
        "5 hosts left out: host-00: supervisor.scheduler.meta speed is 'fast'; it must be a number "
        "from 1e-06 to 1000 and 4 more"
    )


def test_a_few_of_many_hosts_are_named_where_none_has_room_or_none_is_known() -> None:
    with pytest.raises(ProblemError) as refused:
        ask(many_supervisors(60), chain(("source", 1)), delays=delay_table({}))
    assert str(refused.value).endswith("host-11 and 48 more")
    topology = chain(("source", 1), settings={"pin": {"source": ["site:full"]}})
    full = [supervisor(f"full-{n:02}", 0, site="full") for n in range(60)]
    with pytest.raises(ProblemError) as refused:
        ask([supervisor("a"), *full], topology)
    assert str(refused.value).endswith("full-02: no free slot and 57 more")


def test_two_supervisors_on_one_host_share_what_it_has_left_by_what_they_declare() -> None:
    # 2 cores left on the host, of which the one with 3 of 4 declared cores has three quarters.
    one = supervisor("a", name="one", cpu=3.0)
    two = supervisor("a", name="two", cpu=1.0)
    topology = chain(("source", 1))
    measured = MeasuredTopology(cores={1: MeasuredValue(0.1, 0.0)})
    running = Worker(Slot("one", 6700), frozenset({Executor(1, 1)}))
    asked = ask(
        [one, two], topology, running, moving=True, measured=measured, loads={"a": HostLoad(2, 0)}
    )
    assert [it.cpu for it in asked.problem.nodes] == [pytest.approx(1.5), pytest.approx(0.5)]


def test_a_node_is_where_the_latency_agents_say_its_host_is() -> None:
    table = replace(all_delays(["a", "b"], 10), coordinates={"a": (0.01, 0.02)})
    problem = ask([supervisor("a"), supervisor("b")], chain(("source", 1)), delays=table).problem
    assert [it.coordinates for it in problem.nodes] == [(0.01, 0.02), None]


def test_what_topologies_declare_remains_a_limit_where_less_is_used() -> None:
    # Each executor uses a tenth of a core and declares a whole one: Storm counts that, and would
    # refuse both on a host of 1.5 cores.
    topology = chain(("source", 1), ("tag", 1), cpu=1.0, settings={"objective": "R=1"})
    measured = MeasuredTopology(cores={it: MeasuredValue(0.1, 0.0) for it in (1, 2)})
    problem = ask(
        [supervisor("a", cpu=1.5), supervisor("b", cpu=1.5)],
        topology,
        worker("a", 6700, 1),
        worker("b", 6700, 2),
        moving=True,
        measured=measured,
        loads={"a": HostLoad(1.5, 0), "b": HostLoad(1.5, 0)},
    ).problem
    assert [(it.cpu, it.reserved) for it in problem.operators] == [(0.1, 1.0)] * 2
    assert [it.reserved for it in problem.nodes] == [1.5] * 2
    on_a = {it.id: "a" for it in problem.operators}
    assert violations(problem, on_a) == ("node a: reserved 2 placed, 1.5 there",)


def test_where_the_load_model_counts_what_is_used_cpu_is_what_is_declared() -> None:
    topology = chain(("source", 1), cpu=1.0, settings={"objective": "L=1"})
    measured = MeasuredTopology(cores={1: MeasuredValue(0.1, 0.0)})
    problem = ask(
        [supervisor("a", cpu=1.5)],
        topology,
        worker("a", 6700, 1),
        moving=True,
        measured=measured,
        loads={"a": HostLoad(1.5, 0)},
    ).problem
    assert [(it.cpu, it.reserved) for it in problem.operators] == [(1.0, 0.0)]
    assert [(it.cpu, it.reserved) for it in problem.nodes] == [(1.5, inf)]
