"""What a start takes: seen in the hosts' reports, and never expected to take less than the last."""

import pytest
from eyewall_contracts.sample import Sample, TaskInput, TaskSample
from eyewall_contracts.worker_starts import TopologyStarts, WorkerStartRecord
from eyewall_sidecar.service.worker_starts import MOST, WorkerStarts, start_cpu
from kept_knowledge import Kept
from measured_topologies import report
from msgspec.structs import replace
from storm_builders import worker

HOSTS = {"sup-a": "a", "sup-b": "b"}


def running(host: str, id_: str, *, counted: bool, children: float = 0.0) -> Sample:
    """A worker of `t` on port 6700; its first tuples came 2 s before the report's end."""
    sample = report(host, time=1000.0, used={"t": 0.1})
    task = TaskSample(1, "tag", (TaskInput("source", "default", executed=20 if counted else 0),))
    of = replace(sample.workers[0], id=id_, seconds=2.0, tasks=(task,), children_cpu=children)
    return replace(sample, workers=(of,))


def started(starts: WorkerStarts, host: str, at: float, seconds: float, id_: str) -> None:
    """A worker is assigned, and counts its first tuples so many seconds later."""
    starts.expect("t", (), (worker(host, 6700, 1),), HOSTS, at)
    starts.observe([running(host, id_, counted=False)], at + seconds / 2)
    starts.observe([running(host, id_, counted=True)], at + seconds + 2)


def test_before_a_start_was_seen_a_jvm_is_expected_to_take_8_s_and_other_languages_12() -> None:
    starts = WorkerStarts()
    assert starts.seconds("t", "a") == 8.0
    starts.observe([running("a", "w", counted=True, children=0.5)], 10.0)
    assert starts.seconds("t", "a") == 12.0


def test_the_longest_start_of_a_topology_is_the_usual_one_until_one_was_seen() -> None:
    starts = WorkerStarts()
    assert starts.longest("t") == 8.0
    started(starts, "a", at=100.0, seconds=20.0, id_="w1")
    started(starts, "b", at=200.0, seconds=50.0, id_="w2")
    assert starts.longest("t") == pytest.approx(50.0)


def test_others_see_on_which_hosts_workers_start_until_they_have_started() -> None:
    starts = WorkerStarts()
    starts.expect("t", (), (worker("a", 6700, 1), worker("b", 6700, 2)), HOSTS, 100.0)
    assert starts.beside("u", 101.0) == {"a": "t", "b": "t"}
    assert starts.beside("t", 101.0) == {}
    starts.observe([running("a", "w", counted=True)], 110.0)
    assert starts.beside("u", 110.0) == {"b": "t"}
    starts.expect("t", (), (worker("b", 6700, 2),), HOSTS, 150.0)  # Nimbus did not take it
    assert starts.beside("u", 159.0) == {"b": "t"}
    starts.retain({"t", "u"})
    assert starts.beside("u", 159.0) == {"b": "t"}
    starts.retain({"u"})  # t was killed
    assert starts.beside("u", 159.0) == {}
    starts.expect("t", (), (worker("b", 6700, 2),), HOSTS, 100.0)
    assert starts.beside("u", 160.0) == {}


def test_a_start_lasts_from_the_assignment_to_the_first_tuples() -> None:
    starts = WorkerStarts()
    started(starts, "a", at=100.0, seconds=20.0, id_="w1")
    assert starts.seconds("t", "a") == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("used", "busy", "tasks", "learned"),
    [
        (0.04, 0.5, 0, 8.0),  # of a core, and half of the host's core is idle: it waits for tuples
        (0.06, 0.5, 0, 400.0),
        (0.04, 0.85, 0, 400.0),  # what is left of the host is too little to start with
        (0.11, 0.5, 8, 8.0),  # each of eight executors polls for tuples
        (0.18, 0.5, 8, 400.0),
    ],
)
def test_a_worker_that_idles_has_started_and_its_source_gives_nothing(
    used: float, busy: float, tasks: int, learned: float
) -> None:
    starts = WorkerStarts()
    starts.expect("t", (), (worker("a", 6700, 1),), HOSTS, 100.0)
    seen = report("a", time=1000.0, cores=1.0, busy=busy, used={"t": used})
    (of,) = seen.workers
    assert of.cpu == pytest.approx(used * seen.seconds)
    idle = tuple(TaskSample(it, "tag") for it in range(tasks))
    waiting = replace(of, id="w1", seconds=2.0, tasks=idle)
    starts.observe([replace(seen, workers=(waiting,))], 110.0)
    starts.observe([running("a", "w1", counted=True)], 502.0)
    assert starts.seconds("t", "a") == pytest.approx(learned)


def test_the_next_start_is_expected_to_take_the_mean_but_never_less_than_the_last() -> None:
    starts = WorkerStarts()
    for number, seconds in enumerate([20.0, 10.0]):
        started(starts, "a", 100.0 * number, seconds, f"w{number}")
    assert starts.seconds("t", "a") == pytest.approx(15.0)
    started(starts, "a", 300.0, 30.0, "w3")
    assert starts.seconds("t", "a") == pytest.approx(30.0)  # the mean is 20


@pytest.mark.parametrize(
    ("cores", "alone"),
    [
        (1.0, 16.0),  # 20 s less the 4 CPU-seconds that the other one takes
        (0.25, 10.0),  # the other one takes 16 s of them, and no start takes less than its part
    ],
)
def test_of_workers_that_start_at_once_on_one_host_it_is_kept_what_one_alone_would_take(
    cores: float, alone: float
) -> None:
    starts = WorkerStarts()
    both = worker("a", 6700, 1), worker("a", 6701, 2)
    starts.expect("t", (), both, HOSTS, 100.0)
    machine = report("a", cores=cores).machine
    starts.observe([replace(running("a", "w", counted=True), machine=machine)], 122.0)
    assert starts.seconds("t", "a") == pytest.approx(alone)
    assert starts.longest("t") == pytest.approx(20.0)  # what both took together


def test_a_start_that_another_topologys_begins_beside_is_no_longer_for_that() -> None:
    # Of the 16 s on one core 4 were the other's, which began a second later.
    starts = WorkerStarts()
    starts.expect("t", (), (worker("a", 6700, 1),), HOSTS, 100.0)
    starts.expect("u", (), (worker("a", 6701, 1),), HOSTS, 101.0)
    machine = report("a", cores=1.0).machine
    starts.observe([replace(running("a", "w", counted=True), machine=machine)], 118.0)
    assert starts.seconds("t", "a") == pytest.approx(12.0)


def test_a_host_without_a_start_takes_as_long_as_the_slowest_of_the_others() -> None:
    starts = WorkerStarts()
    started(starts, "a", at=100.0, seconds=20.0, id_="w1")
    assert starts.seconds("t", "b") == pytest.approx(20.0)
    assert starts.seconds("another", "a") == pytest.approx(20.0)  # of the same kind there
    assert starts.seconds("another", "b") == 8.0


def with_cores(sample: Sample, cores: float) -> Sample:
    assert sample.machine is not None
    return replace(sample, machine=replace(sample.machine, cpus=1, quota=cores))


def test_where_there_are_fewer_cores_a_start_takes_longer_and_never_less_than_elsewhere() -> None:
    # Three times as long with a third of the cores, and not a third with three times as many.
    starts = WorkerStarts()
    started(starts, "a", at=100.0, seconds=20.0, id_="w1")
    starts.observe([with_cores(running("a", "w1", counted=True), 0.3)], 130.0)
    starts.observe([with_cores(running("b", "w", counted=True), 0.1)], 130.0)
    starts.observe([with_cores(running("c", "w", counted=True), 0.9)], 130.0)
    assert starts.seconds("t", "b") == pytest.approx(60.0)
    assert starts.seconds("t", "c") == pytest.approx(20.0)


def test_before_a_start_was_seen_it_takes_4_core_seconds_of_what_the_host_has() -> None:
    starts = WorkerStarts()
    starts.observe([with_cores(running("a", "w", counted=True), 0.1)], 10.0)
    starts.observe([with_cores(running("b", "w", counted=True), 0.8)], 10.0)
    assert starts.seconds("t", "a") == pytest.approx(40.0)
    assert starts.seconds("t", "b") == 8.0  # not 5: more than the CPU takes time


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ((), 4.0),
        ((None, None), 4.0),
        ((12.0, None), 12.0),
        ((6.0, 7.0, 90.0), 7.0),  # the last one waited for tuples
        ((90.0, 6.0), 6.0),
        ((2.5,), 4.0),  # until its code is fast it takes more
    ],
)
def test_one_more_start_takes_as_much_cpu_as_those_of_running_workers(
    reported: tuple[float | None, ...], expected: float
) -> None:
    (worker_sample,) = running("a", "w1", counted=True).workers
    assert start_cpu(replace(worker_sample, start_cpu=it) for it in reported) == expected


def test_a_worker_that_ran_before_in_the_slot_is_not_the_one_that_was_awaited() -> None:
    starts = WorkerStarts()
    starts.observe([running("a", "old", counted=True)], 90.0)
    starts.expect("t", (), (worker("a", 6700, 1),), HOSTS, 100.0)
    starts.observe([running("a", "old", counted=True)], 105.0)
    assert starts.seconds("t", "a") == 8.0
    starts.observe([running("a", "new", counted=True)], 132.0)
    assert starts.seconds("t", "a") == pytest.approx(30.0)


KEPT = TopologyStarts("t", "a", 990.0, last=20.0, mean=16.0, count=4, multilang=True)


def kept(store: Kept[WorkerStartRecord]) -> list[tuple[str, str]]:
    return [(it.topology, it.host) for it in store.record.starts] if store.record else []


def test_a_restarted_sidecar_begins_with_the_starts_that_were_seen() -> None:
    store = Kept[WorkerStartRecord](WorkerStartRecord())
    started(WorkerStarts(store), "a", at=100.0, seconds=20.0, id_="w1")
    # Its report ends at 1000 by the host's clock.
    assert store.record == WorkerStartRecord(
        1000.0, (TopologyStarts("t", "a", 1000.0, last=20.0, mean=20.0),)
    )
    again = WorkerStarts(Kept(store.record))
    again.observe([], 0.0)
    assert again.seconds("t", "a") == pytest.approx(20.0)
    started(again, "a", at=50.0, seconds=10.0, id_="w2")
    assert again.seconds("t", "a") == pytest.approx(15.0)  # the mean of both


def test_what_is_kept_says_what_other_topologies_of_the_kind_take_on_a_host() -> None:
    starts = WorkerStarts(Kept(WorkerStartRecord(990.0, (KEPT,))))
    starts.observe([], 10.0)
    assert starts.seconds("another", "a") == 8.0  # of JVMs alone nothing is known there
    sample = running("a", "w", counted=False, children=0.5)
    of = replace(sample.workers[0], topology="another")
    starts.observe([replace(sample, workers=(of,))], 20.0)
    assert starts.seconds("another", "a") == pytest.approx(20.0)


def test_a_start_that_was_seen_before_the_store_was_read_counts_more_than_what_is_kept() -> None:
    store = Kept[WorkerStartRecord]()
    starts = WorkerStarts(store)
    started(starts, "a", at=100.0, seconds=30.0, id_="w1")
    assert kept(store) == []  # they would replace what is kept
    store.before = WorkerStartRecord(990.0, (KEPT, TopologyStarts("t", "b", 980.0, 9.0, 9.0)))
    starts.observe([], 140.0)
    assert starts.seconds("t", "a") == pytest.approx(30.0)
    assert starts.seconds("t", "b") == pytest.approx(9.0)
    assert kept(store) == [("t", "b"), ("t", "a")]


def test_the_starts_that_were_seen_last_are_kept() -> None:
    rows = tuple(TopologyStarts(f"t{it}", "a", 1.0, 9.0, 9.0) for it in range(MOST))
    store = Kept(WorkerStartRecord(1.0, rows))
    starts = WorkerStarts(store)
    started(starts, "a", at=100.0, seconds=20.0, id_="w1")
    assert kept(store) == [*((it.topology, "a") for it in rows[1:]), ("t", "a")]


def test_a_start_of_more_than_a_week_before_the_last_is_forgotten_by_a_restarted_sidecar() -> None:
    now = 8 * 86_400.0
    rows = (
        TopologyStarts("t", "a", 86_399.0, last=60.0, mean=60.0),
        TopologyStarts("t", "b", 86_401.0, last=20.0, mean=20.0),
        TopologyStarts("t", "c", now, last=9.0, mean=9.0),
    )
    starts = WorkerStarts(Kept(WorkerStartRecord(now, rows)))
    starts.observe([], 0.0)
    assert starts.seconds("t", "a") == pytest.approx(20.0)  # the slowest of the others
