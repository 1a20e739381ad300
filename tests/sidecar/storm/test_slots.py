from collections import Counter
from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.storm import (
    Executor,
    Slot,
    Supervisor,
    Topology,
    TopologyState,
    Worker,
    supervisor_capacities,
)
from eyewall_sidecar.storm.capacity import executors_per_slot
from eyewall_sidecar.storm.worker_rules import WorkerRules
from hypothesis import given
from hypothesis import strategies as st
from storm_builders import MEGABYTE, chain, choose, cluster, state, supervisor, worker

Case = tuple[list[Supervisor], TopologyState, dict[int, str], int]


def test_executors_of_a_supervisor_share_as_few_workers_as_they_fit_in() -> None:
    # 5 executors, 4 to a slot: two workers, the first one full.
    topology = state(chain(("source", 5)))
    choice = choose([supervisor("a", 3)], topology, dict.fromkeys(range(1, 6), "a"))
    assert choice.assignment == (worker("a", 6700, 1, 2, 3, 4), worker("a", 6701, 5))
    assert choice.reused == ()


def test_executors_that_exchange_tuples_share_a_worker() -> None:
    # Two chains side by side, 1 → 3 and 2 → 4: in the order of the executors 1 and 2 would share a
    # worker, and all 20 tuples/s would cross.
    topology = state(chain(("source", 4)))
    choice = choose(
        [supervisor("a", 2)],
        topology,
        dict.fromkeys(range(1, 5), "a"),
        per_slot=2,
        traffic={(1, 3): 10.0, (2, 4): 10.0},
    )
    assert set(choice.assignment) == {worker("a", 6700, 1, 3), worker("a", 6701, 2, 4)}


def test_pairs_change_places_where_filling_workers_one_after_the_other_is_not_best() -> None:
    # 4 exchanges the most (19) and takes 3; {3, 4} and {1, 2} cut 7 + 3 + 7 = 17. With 3 and 2 in
    # each other's place the workers cut 3 + 9 = 12.
    topology = state(chain(("source", 4)))
    choice = choose(
        [supervisor("a", 2)],
        topology,
        dict.fromkeys(range(1, 5), "a"),
        per_slot=2,
        traffic={(1, 3): 7.0, (1, 4): 3.0, (2, 4): 7.0, (3, 4): 9.0},
    )
    together = {frozenset(it.first_task for it in one.executors) for one in choice.assignment}
    assert together == {frozenset({1, 3}), frozenset({2, 4})}


def test_a_worker_whose_executors_all_stay_keeps_its_slot() -> None:
    topology = state(chain(("source", 3)), worker("a", 6701, 1, 2), worker("b", 6700, 3))
    choice = choose([supervisor("a"), supervisor("b")], topology, {1: "a", 2: "a", 3: "b"})
    assert set(choice.assignment) == set(topology.assignment)


def test_a_moved_executor_starts_in_a_fresh_slot_and_restarts_nobody_there() -> None:
    topology = state(chain(("source", 2)), worker("a", 6700, 1), worker("b", 6700, 2))
    choice = choose([supervisor("a"), supervisor("b")], topology, {1: "a", 2: "a"})
    assert set(choice.assignment) == {worker("a", 6700, 1), worker("a", 6701, 2)}


def test_a_worker_that_loses_an_executor_goes_to_a_fresh_slot_too() -> None:
    topology = state(chain(("source", 2)), worker("a", 6700, 1, 2))
    choice = choose([supervisor("a"), supervisor("b")], topology, {1: "a", 2: "b"})
    assert set(choice.assignment) == {worker("a", 6701, 1), worker("b", 6700, 2)}
    assert choice.reused == ()


def test_a_slot_is_reused_where_no_fresh_one_is_left_and_that_is_said() -> None:
    topology = state(chain(("source", 2)), worker("a", 6700, 1, 2))
    choice = choose([supervisor("a", 1), supervisor("b")], topology, {1: "a", 2: "b"})
    assert worker("a", 6700, 1) in choice.assignment
    assert choice.reused == (Slot("sup-a", 6700),)


def test_running_workers_are_merged_only_where_slots_are_short_smallest_first() -> None:
    # Two slots, both held, and executor 4 has to come here: the worker with one executor gives way.
    topology = state(chain(("source", 4)), worker("a", 6700, 1, 2), worker("a", 6701, 3))
    choice = choose([supervisor("a", 2)], topology, dict.fromkeys(range(1, 5), "a"))
    assert set(choice.assignment) == {worker("a", 6700, 1, 2), worker("a", 6701, 3, 4)}


def test_slots_of_other_topologies_are_not_touched() -> None:
    other = state(chain(("x", 1), name="other-1"), worker("a", 6700, 1))
    topology = state(chain(("source", 1)))
    choice = choose([supervisor("a", 2)], topology, {1: "a"}, others=[other])
    assert choice.assignment == (worker("a", 6701, 1),)


def test_more_executors_than_slots_hold_are_refused_with_the_numbers() -> None:
    topology = state(chain(("source", 5)))
    with pytest.raises(ProblemError) as refused:
        choose([supervisor("a", 1)], topology, dict.fromkeys(range(1, 6), "a"))
    assert refused.value.args == (
        message(Code.TOO_FEW_SLOTS, host="a", executors=5, slots=1, per_slot=4, rule=""),
    )


def test_a_slot_holds_no_more_executors_than_the_workers_heap() -> None:
    # 128 MB each and 300 MB for a worker: two fit, three (384 MB) do not.
    assert executors_per_slot(chain(("source", 5), max_heap_megabytes=300), 4) == 2
    assert executors_per_slot(chain(("source", 5)), 4) == 4
    assert executors_per_slot(chain(("source", 5), max_heap_megabytes=100), 4) == 0


def test_a_worker_takes_as_many_as_its_heap_holds_of_those_that_are_there() -> None:
    # Of one with 128 MB and five with 64, a worker of 192 holds two, whichever they are, and three
    # of the small ones. Where the large one is elsewhere, these need two workers and not three.
    topology = chain(("source", 6), max_heap_megabytes=192)
    (source,) = topology.components
    executors = source.executors
    small = replace(source, id="small", executors=executors[1:], on_heap_bytes=64 * MEGABYTE)
    mixed = replace(topology, components=(replace(source, executors=executors[:1]), small))
    assert executors_per_slot(mixed, 16) == 2
    placed = {1: "b", **dict.fromkeys(range(2, 7), "a")}
    choice = choose([supervisor("a", 3), supervisor("b")], state(mixed), placed, 16)
    assert sorted(len(it.executors) for it in choice.assignment) == [1, 2, 3]


def constrained(**of: frozenset[str]) -> Topology:
    """Return a chain of source 1, tag 2 and 3, count 4, each incompatible with these."""
    topology = chain(("source", 1), ("tag", 2), ("count", 1))
    components = (
        replace(it, incompatible=of.get(it.id, frozenset())) for it in topology.components
    )
    return replace(topology, components=tuple(components))


def together(topology: Topology, slots: int = 4) -> set[frozenset[int]]:
    """Return the tasks that share a worker, all on one supervisor."""
    choice = choose([supervisor("a", slots)], state(topology), dict.fromkeys(range(1, 5), "a"))
    return {frozenset(it.first_task for it in one.executors) for one in choice.assignment}


def test_incompatible_components_have_workers_of_their_own_and_share_with_all_others() -> None:
    # Said of one of them alone; source goes to whichever.
    apart = together(constrained(tag=frozenset({"count"})))
    assert len(apart) == 2
    assert {2, 3} <= next(it for it in apart if 4 not in it)


def test_executors_of_a_component_that_is_incompatible_with_itself_are_apart() -> None:
    apart = together(constrained(tag=frozenset({"tag"})))
    assert len(apart) == 2
    assert not any({2, 3} <= it for it in apart)


def test_a_worker_may_be_for_one_component_or_one_executor_alone() -> None:
    one_component = replace(constrained(), one_component_per_worker=True)
    assert together(one_component) == {frozenset({1}), frozenset({2, 3}), frozenset({4})}
    one_executor = replace(constrained(), one_executor_per_worker=True)
    assert together(one_executor) == {frozenset({it}) for it in range(1, 5)}
    assert executors_per_slot(one_executor, 16) == 1


def test_what_may_join_a_worker_changes_with_those_that_are_there() -> None:
    rules = WorkerRules(constrained(tag=frozenset({"count"})), 4)
    source, tag, count = Executor(1, 1), Executor(2, 2), Executor(4, 4)
    room = rules.room([source])
    assert room.fits(count)
    room.add(tag)
    assert not room.fits(count)
    assert rules.admits(count, [source])


def test_what_may_share_a_worker_with_few_is_placed_first() -> None:
    # In the order of the executors the sources would share a worker, and tag and count need two.
    topology = chain(("source", 2), ("tag", 1), ("count", 1))
    source, tag, count = topology.components
    apart = replace(
        topology, components=(source, replace(tag, incompatible=frozenset({"count"})), count)
    )
    placed = dict.fromkeys(range(1, 5), "a")
    choice = choose([supervisor("a", 2)], state(apart), placed, per_slot=2)
    assert sorted(len(it.executors) for it in choice.assignment) == [2, 2]


def test_a_worker_with_one_executor_that_is_incompatible_with_itself_is_kept() -> None:
    running = state(constrained(tag=frozenset({"tag"})), worker("a", 6701, 2), worker("b", 6700, 1))
    stay = {1: "b", 2: "a", 3: "b", 4: "a"}  # 4 has no worker yet
    choice = choose([supervisor("a"), supervisor("b")], running, stay)
    assert worker("a", 6701, 2) in choice.assignment


def test_a_worker_that_breaks_a_rule_is_not_kept() -> None:
    # Storm's default strategy does not read who may share a worker: tag and count run together.
    topology = constrained(tag=frozenset({"count"}))
    running = state(topology, worker("a", 6700, 2, 4), worker("b", 6700, 1, 3))
    choice = choose(
        [supervisor("a", 3), supervisor("b")], running, {1: "b", 2: "a", 3: "b", 4: "a"}
    )
    assert worker("b", 6700, 1, 3) in choice.assignment
    assert {it.executors for it in choice.assignment if it.slot.supervisor == "sup-a"} == {
        frozenset({Executor(2, 2)}),
        frozenset({Executor(4, 4)}),
    }


def test_pairs_that_may_not_share_a_worker_do_not_change_places() -> None:
    # As in the exchange above, {1, 3} and {2, 4} would cut the least; 1 and 3 are incompatible.
    topology = chain(("source", 2), ("tag", 1), ("count", 1))
    source, tag, count = topology.components
    apart = replace(tag, incompatible=frozenset({"source"}))
    choice = choose(
        [supervisor("a", 2)],
        state(replace(topology, components=(source, apart, count))),
        dict.fromkeys(range(1, 5), "a"),
        per_slot=2,
        traffic={(1, 3): 7.0, (1, 4): 3.0, (2, 4): 7.0, (3, 4): 9.0},
    )
    found = {frozenset(it.first_task for it in one.executors) for one in choice.assignment}
    assert found == {frozenset({3, 4}), frozenset({1, 2})}


def test_too_few_slots_for_executors_that_may_not_share_are_refused() -> None:
    with pytest.raises(ProblemError) as refused:
        together(constrained(tag=frozenset({"tag"})), slots=1)
    apart = message(Code.SOME_APART)
    assert refused.value.args == (
        message(Code.TOO_FEW_SLOTS, host="a", executors=4, slots=1, per_slot=4, rule=apart),
    )


@st.composite
def placements(draw: st.DrawFn) -> Case:
    """A topology that runs somewhere, and where its executors shall be; everything fits."""
    hosts = ["a", "b", "c"]
    slots = {host: draw(st.integers(1, 4)) for host in hosts}
    per_slot = draw(st.integers(1, 4))
    topology = chain(("source", draw(st.integers(1, 12))))
    tasks = [it.first_task for it in topology.executors()]
    target: dict[int, str] = {}
    for task in tasks:
        held = Counter(target.values())
        open_ = [it for it in hosts if held[it] < slots[it] * per_slot]
        if not open_:
            break
        target[task] = draw(st.sampled_from(open_))
    cells = [(host, port) for host in hosts for port in range(6700, 6700 + slots[host])]
    running: dict[tuple[str, int], list[int]] = {}
    for task in target:
        cell = draw(st.sampled_from([*cells, None]))
        if cell and len(running.get(cell, [])) < per_slot:
            running.setdefault(cell, []).append(task)
    workers = [worker(host, port, *held) for (host, port), held in running.items()]
    supervisors = [supervisor(host, count) for host, count in slots.items()]
    return supervisors, state(topology, *workers), target, per_slot


@given(placements())
def test_slots_hold_whatever_is_placed(case: Case) -> None:
    supervisors, topology, target, per_slot = case
    choice = choose(supervisors, topology, target, per_slot)
    placed = [executor for it in choice.assignment for executor in it.executors]
    slots = [it.slot for it in choice.assignment]
    before = {(it.slot.supervisor, it.executors): it.slot for it in topology.assignment}

    assert sorted(placed) == sorted(Executor(it, it) for it in target), "each executor once"
    assert len(set(slots)) == len(slots), "no slot twice"
    assert all(0 < len(it.executors) <= per_slot for it in choice.assignment), "EPS_max"
    for it in choice.assignment:
        assert all(f"sup-{target[ex.first_task]}" == it.slot.supervisor for ex in it.executors)
        kept = before.get((it.slot.supervisor, it.executors), it.slot)
        assert kept == it.slot, "unchanged workers keep their slot"
    assert choose(supervisors, topology, target, per_slot) == choice, "deterministic"


@given(placements())
def test_a_slot_is_reused_only_if_no_fresh_one_is_left_on_that_supervisor(case: Case) -> None:
    supervisors, topology, target, per_slot = case
    choice = choose(supervisors, topology, target, per_slot)
    capacities = supervisor_capacities(cluster(supervisors, topology), topology)
    used = {it.slot for it in choice.assignment}
    for slot in choice.reused:
        assert set(capacities[slot.supervisor].fresh) <= used


@given(placements())
def test_a_worker_that_stays_whole_is_restarted_only_if_slots_are_short(case: Case) -> None:
    supervisors, topology, target, per_slot = case
    choice = choose(supervisors, topology, target, per_slot)
    for it in topology.assignment:
        stays = all(f"sup-{target[ex.first_task]}" == it.slot.supervisor for ex in it.executors)
        slots = sum(len(one.ports) for one in supervisors if one.id == it.slot.supervisor)
        used = sum(one.slot.supervisor == it.slot.supervisor for one in choice.assignment)
        assert not stays or Worker(it.slot, it.executors) in choice.assignment or used == slots


def test_the_executors_of_a_topology_are_gathered_once() -> None:
    topology = chain(("source", 3), ("tag", 2))
    assert topology.executors() is topology.executors()
    assert len(topology.executors()) == 5


def test_a_slot_that_is_no_longer_offered_keeps_its_worker_and_takes_nothing_else() -> None:
    # a offers 6700 and 6701; 6702 is withdrawn. Executor 3 joins a: in 6701, not in 6702.
    topology = state(chain(("source", 3)), worker("a", 6702, 1), worker("a", 6700, 2))
    choice = choose([supervisor("a", 2)], topology, dict.fromkeys([1, 2, 3], "a"), per_slot=1)
    assert set(choice.assignment) == {
        worker("a", 6702, 1),
        worker("a", 6700, 2),
        worker("a", 6701, 3),
    }


def test_a_worker_in_a_withdrawn_slot_is_never_changed() -> None:
    topology = state(chain(("source", 2)), worker("b", 6700, 1, 2))
    with pytest.raises(ProblemError) as refused:
        choose([supervisor("a"), supervisor("b", 0)], topology, {1: "a", 2: "b"})
    assert refused.value.args == (message(Code.WORKER_WITHDRAWN, host="b", port=6700),)


def test_a_withdrawn_slot_is_no_room() -> None:
    topology = state(chain(("source", 2)), worker("a", 6700, 1), worker("a", 6702, 2))
    capacity = supervisor_capacities(cluster([supervisor("a", 2)], topology), topology)["sup-a"]
    assert [it.port for it in capacity.fresh] == [6701]
    assert [it.port for it in capacity.held] == [6700]
    assert [it.port for it in capacity.withdrawn] == [6702]
