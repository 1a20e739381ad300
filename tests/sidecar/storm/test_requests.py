from dataclasses import replace

from eyewall_sidecar.storm import Requests, SharedMemory, requests
from eyewall_sidecar.storm.requests import heap_alone, shared_bytes
from storm_builders import MEGABYTE, chain, worker

TABLE = SharedMemory(
    "table",
    frozenset({"tag", "count"}),
    on_heap_bytes=100 * MEGABYTE,
    off_heap_worker_bytes=20 * MEGABYTE,
    off_heap_supervisor_bytes=3 * MEGABYTE,
)
WORDS = replace(
    chain(("source", 1), ("tag", 2), ("count", 1), cpu=0.1, heap_megabytes=10),
    shared_memory=(TABLE,),
)


def test_shared_memory_counts_once_for_each_worker_and_once_for_each_supervisor() -> None:
    # a: executors 4 · 10 MB; two workers hold tag or count, 2 · (100 + 20); the supervisor, 3.
    # b: nothing of it.
    found = requests(
        [
            (WORDS, worker("a", 6700, 2, 3)),
            (WORDS, worker("a", 6701, 4)),
            (replace(WORDS, id="words-2"), worker("b", 6700, 1)),
        ]
    )
    assert found["sup-a"].memory_bytes == (30 + 240 + 3) * MEGABYTE
    assert found["sup-b"].memory_bytes == 10 * MEGABYTE


def test_two_topologies_share_nothing_with_each_other() -> None:
    other = replace(WORDS, id="words-2")
    found = requests([(WORDS, worker("a", 6700, 2)), (other, worker("a", 6701, 2))])
    assert found["sup-a"].memory_bytes == 2 * (10 + 120 + 3) * MEGABYTE


def test_memory_shared_under_two_names_is_shared_twice() -> None:
    twice = replace(WORDS, shared_memory=(TABLE, replace(TABLE, name="index")))
    found = requests([(twice, worker("a", 6700, 2))])
    assert found["sup-a"].memory_bytes == (10 + 2 * 123) * MEGABYTE


def test_a_worker_requests_at_least_what_storm_counts_for_one() -> None:
    # Workers of 0.1 and 0.3 cores, of which each counts 0.25 at least.
    workers = [(WORDS, worker("a", 6700, 1)), (WORDS, worker("a", 6701, 2, 3, 4))]
    assert round(requests(workers, 0.25)["sup-a"].cpu_cores, 9) == 0.55
    assert round(requests(workers)["sup-a"].cpu_cores, 9) == 0.4


def test_executors_that_the_topology_lost_request_nothing() -> None:
    assert requests([(WORDS, worker("a", 6700, 9))]) == {"sup-a": Requests(0, 0, {})}


def test_what_one_worker_may_share_is_all_of_it_and_of_one_executor_what_it_declares() -> None:
    source, tag, _ = WORDS.components
    assert shared_bytes(WORDS.shared_memory) == 123 * MEGABYTE
    assert heap_alone(WORDS, source) == 10 * MEGABYTE
    assert heap_alone(WORDS, tag) == 110 * MEGABYTE
