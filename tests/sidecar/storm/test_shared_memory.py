"""Memory that executors share, in problems and in slots."""

from dataclasses import replace

import pytest
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.storm import (
    Executor,
    SharedMemory,
    choose_slots,
    supervisor_capacities,
)
from eyewall_sidecar.storm.capacity import executors_per_slot
from storm_builders import (
    MEGABYTE,
    ask,
    chain,
    choose,
    cluster,
    state,
    supervisor,
    worker,
)

TABLE = SharedMemory("table", frozenset({"tag"}), on_heap_bytes=100 * MEGABYTE)


def test_memory_that_executors_share_takes_heap_of_their_worker_once() -> None:
    # 250 MB of heap hold two executors of tag, 2 · 60 + 100, or four of source.
    topology = replace(
        chain(("source", 1), ("tag", 3), heap_megabytes=60, max_heap_megabytes=250),
        shared_memory=(TABLE,),
    )
    choice = choose([supervisor("a", 2)], state(topology), dict.fromkeys(range(1, 5), "a"))
    assert sorted(sorted(it.last_task for it in of.executors) for of in choice.assignment) == [
        [1, 2],
        [3, 4],
    ]


def test_a_slot_holds_as_many_as_share_nothing_and_none_where_one_alone_is_too_large() -> None:
    # Of 250 MB four executors of 60, if none of them is of tag; one of tag needs 160 alone.
    topology = replace(
        chain(("source", 4), ("tag", 1), heap_megabytes=60, max_heap_megabytes=250),
        shared_memory=(TABLE,),
    )
    assert executors_per_slot(topology, 5) == 4
    assert executors_per_slot(replace(topology, worker_max_heap_bytes=160 * MEGABYTE), 5) == 2
    assert executors_per_slot(replace(topology, worker_max_heap_bytes=159 * MEGABYTE), 5) == 0


def test_components_that_share_the_same_memory_take_its_heap_once() -> None:
    # source and sink share 100 MB: 2 · 60 + 100 of 220.
    topology = replace(
        chain(("source", 1), ("sink", 1), heap_megabytes=60, max_heap_megabytes=220),
        shared_memory=(replace(TABLE, components=frozenset({"source", "sink"})),),
    )
    choice = choose([supervisor("a", 2)], state(topology), {1: "a", 2: "a"})
    assert choice.assignment == (worker("a", 6700, 1, 2),)


def test_too_little_memory_for_what_so_many_workers_share_is_refused() -> None:
    # Three workers with an executor of tag each: 3 · (60 + 1310) of 4096 MB.
    topology = replace(
        chain(("tag", 3), heap_megabytes=60),
        shared_memory=(replace(TABLE, on_heap_bytes=0, off_heap_worker_bytes=1310 * MEGABYTE),),
    )
    hosts, everything = [supervisor("a", 3)], dict.fromkeys(range(1, 4), "a")
    assert len(choose(hosts, state(topology), everything, per_slot=2).assignment) == 2
    with pytest.raises(ProblemError) as refused:
        choose(hosts, state(replace(topology, one_executor_per_worker=True)), everything)
    assert str(refused.value) == (
        "a: executors and the memory they share need 4110 MB of 4096 in 3 workers"
    )


def test_what_a_worker_may_share_is_no_room_for_executors_but_what_runs_has_room() -> None:
    # 4096 MB, of which a worker may share 3900; the four that run take 512.
    table = SharedMemory("table", frozenset({"tag"}), on_heap_bytes=3900 * MEGABYTE)
    topology = replace(chain(("source", 3), ("tag", 1)), shared_memory=(table,))
    hosts = [supervisor("a"), supervisor("b")]
    first = ask(hosts, topology).problem
    assert {it.id: it.memory for it in first.nodes} == {"a": 196 * MEGABYTE, "b": 196 * MEGABYTE}
    moving = ask(hosts, topology, worker("a", 6700, 1, 2, 3, 4), moving=True).problem
    assert {it.id: it.memory for it in moving.nodes} == {"a": 512 * MEGABYTE, "b": 196 * MEGABYTE}


def test_what_cannot_be_shared_on_a_supervisor_leaves_its_memory_to_the_others() -> None:
    # tag and its table need 4128 MB: nowhere but where it runs. source may use all of b's memory.
    table = SharedMemory("table", frozenset({"tag"}), on_heap_bytes=4000 * MEGABYTE)
    topology = replace(chain(("source", 1), ("tag", 1)), shared_memory=(table,))
    hosts = [supervisor("a"), supervisor("b")]
    problem = ask(hosts, topology, worker("a", 6700, 1, 2), moving=True).problem
    assert problem.node("b").memory == 4096 * MEGABYTE
    assert {it.id: it.candidates for it in problem.operators} == {
        "source[1-1]": None,
        "tag[2-2]": ("a",),
    }


def test_where_pins_forbid_what_shares_its_memory_is_not_kept_free() -> None:
    table = SharedMemory("table", frozenset({"tag"}), on_heap_bytes=1000 * MEGABYTE)
    topology = replace(
        chain(("source", 1), ("tag", 1), settings={"pin": {"tag": ["a"]}}), shared_memory=(table,)
    )
    problem = ask([supervisor("a"), supervisor("b")], topology).problem
    memory = {it.id: it.memory for it in problem.nodes}
    assert memory == {"a": 3096 * MEGABYTE, "b": 4096 * MEGABYTE}


def test_where_no_supervisor_has_memory_for_what_is_shared_slots_are_refused_with_the_numbers() -> (
    None
):
    table = SharedMemory("table", frozenset({"source"}), off_heap_worker_bytes=5000 * MEGABYTE)
    topology = replace(chain(("source", 1)), shared_memory=(table,))
    asked = ask([supervisor("a")], topology)
    assert asked.problem.node("a").memory == 4096 * MEGABYTE
    capacities = supervisor_capacities(cluster([supervisor("a")], state(topology)), state(topology))
    placed = {Executor(1, 1): "sup-a"}
    with pytest.raises(ProblemError, match="need 5128 MB of 4096 in 1 workers"):
        choose_slots(placed, state(topology), capacities, 4, {})
