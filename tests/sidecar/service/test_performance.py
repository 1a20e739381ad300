"""When a topology has come to rest, and what was measured of it then."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import pytest
from delay_tables import delay_table
from eyewall_contracts.sample import Sample, TaskInput, TaskOutput, TaskQueue, TaskSample
from eyewall_sidecar.service.measurement import ONE_TASK_EACH
from eyewall_sidecar.service.performance import Performance, update_performance
from eyewall_sidecar.storm import DelayTable
from measured_topologies import report
from msgspec.structs import replace

NO_DELAYS = DelayTable()
WORKER = frozenset([("a", 6700)])
NONE_MISSED: Mapping[int, Sample] = MappingProxyType({})


def sample(
    number: int,
    rate: float,
    *,
    worker: str = "w",
    latency: float = 0.02,
    waiting: int = 0,
    bolts: int = 1,
) -> Sample:
    """A report over 5 s: a spout and bolts in one worker, all at so many tuples/s."""
    count = round(5 * rate)
    more = (
        TaskSample(2 + it, f"bolt-{it}", (TaskInput("tag", "default", count),))
        for it in range(2, 1 + bolts)
    )
    tasks = (
        TaskSample(
            1,
            "source",
            outputs=(
                TaskOutput("default", count, count, count, 0, complete_latency=latency),
                TaskOutput("__ack_init", count, count, 0, 0),
            ),
        ),
        TaskSample(
            2, "tag", (TaskInput("source", "default", count),), queue=TaskQueue(waiting, 1000)
        ),
        TaskSample(3, "__acker"),
        *more,
    )
    of = report("a", number, time=5.0 * number, used={"t": 0.3})
    return replace(of, workers=(replace(of.workers[0], id=worker, tasks=tasks),))


def counting_in_turns(number: int) -> Sample:
    """A report in which one of two workers has new counts, and in the next the other one."""
    of = sample(number, 100)
    (counting,) = of.workers
    silent = replace(counting, seconds=0.0, tasks=())
    one, other = (counting, silent) if number % 2 else (silent, counting)
    return replace(of, workers=(replace(one, port=6700, id="w"), replace(other, port=6701, id="v")))


def after(
    reports: Iterable[Sample],
    wanted: frozenset[tuple[str, int]] = WORKER,
    missed: Mapping[int, Sample] = NONE_MISSED,
    first_tasks: Mapping[int, int] = ONE_TASK_EACH,
) -> Performance:
    """One round for each report; `missed` has the one that came before some, by their sequence."""
    performance = Performance()
    for it in reports:
        before = {"a": (missed[it.sequence],)} if it.sequence in missed else {}
        performance = update_performance(
            performance,
            "t",
            wanted,
            NO_DELAYS,
            {"a": it},
            now=it.time,
            missed=before,
            first_tasks=first_tasks,
        )
    return performance


def test_what_does_not_change_is_at_rest_after_six_reports() -> None:
    steady = [sample(n, 100) for n in range(6)]
    assert not after(steady[:5]).at_rest
    found = after(steady)
    assert found.at_rest
    assert found.throughput is not None
    assert found.throughput.mean == pytest.approx(200)  # 100/s emitted and 100/s taken
    assert found.latency is not None
    assert found.latency.mean == pytest.approx(0.02)


def test_a_latency_that_still_falls_is_not_at_rest() -> None:
    falling = [sample(n, 100, latency=1.0 - 0.1 * n) for n in range(8)]
    assert not after(falling).at_rest
    assert after([*falling, *(sample(n, 100, latency=0.2) for n in range(8, 14))]).at_rest


def test_the_step_of_sampled_counters_is_no_trend() -> None:
    # 4 tuples/s: 20 in 5 s are counted as 20 or 40 now and then.
    counts = [4, 8, 4, 4, 0, 4, 8, 4]
    assert after(sample(n, it) for n, it in enumerate(counts)).at_rest


def test_a_worker_that_starts_again_has_to_come_to_rest_again() -> None:
    steady = [sample(n, 100) for n in range(6)]
    assert not after([*steady, sample(6, 100, worker="another")]).at_rest


def test_workers_run_since_the_last_of_them_started() -> None:
    steady = [sample(n, 100) for n in range(6)]
    assert after(steady).since == 0.0
    assert (
        after([*steady, sample(6, 100, worker="another"), sample(7, 100, worker="another")]).since
        == 30.0
    )


def test_a_worker_that_has_no_tuples_yet_is_not_measured() -> None:
    assert after(sample(n, 0) for n in range(8)).measurements == ()


def test_beside_workers_with_tuples_one_that_counts_none_for_a_minute_is_a_quiet_one() -> None:
    both = WORKER | {("a", 6701)}

    def busy_and_quiet(number: int) -> Sample:
        of = sample(number, 100)
        quiet = replace(of.workers[0], id="q", port=6701, tasks=(TaskSample(4, "errors"),))
        return replace(of, workers=(*of.workers, quiet))

    performance = Performance()
    for number in range(18):
        it = busy_and_quiet(number)
        performance = update_performance(performance, "t", both, NO_DELAYS, {"a": it}, now=it.time)
        # From second 60 on, which six reports follow.
        assert len(performance.measurements) == max(0, number - 11)
    assert performance.at_rest


def test_a_report_that_is_repeated_is_measured_once() -> None:
    assert len(after([sample(1, 100)] * 8).measurements) == 1


def test_workers_of_one_host_that_count_in_turns_are_measured_together() -> None:
    performance = after(map(counting_in_turns, range(14)), WORKER | {("a", 6701)})
    assert performance.at_rest
    assert performance.throughput is not None
    assert performance.throughput.mean == pytest.approx(400)  # twice what one of them does


def test_reports_between_two_rounds_count_as_those_that_rounds_meet() -> None:
    # Rounds of 10 s meet every other report, in which it is always the same worker that counts.
    wanted = WORKER | {("a", 6701)}

    met = [counting_in_turns(n) for n in range(1, 15, 2)]
    assert not after(met, wanted).measurements
    found = after(met, wanted, {it.sequence: counting_in_turns(it.sequence - 1) for it in met})
    assert found.at_rest
    assert found.throughput is not None
    assert found.throughput.mean == pytest.approx(400)  # twice what one of them does


def test_counts_of_a_worker_that_has_started_again_since_are_not_taken() -> None:
    earlier = (sample(1, 100, worker="before"),)
    silent = sample(2, 100)
    silent = replace(silent, workers=(replace(silent.workers[0], seconds=0.0, tasks=()),))
    found = update_performance(
        Performance(), "t", WORKER, NO_DELAYS, {"a": silent}, now=10.0, missed={"a": earlier}
    )
    assert not found.counted


def test_a_queue_that_all_tasks_of_an_executor_report_waits_once() -> None:
    # 12 tuples wait before one executor of two tasks, 200/s are taken: 0.06 s of them.
    def measured(number: int) -> Sample:
        of = sample(number, 100, waiting=12)
        source, tag, acker = of.workers[0].tasks
        tasks = (source, tag, replace(tag, task=4, inputs=()), acker)
        return replace(of, workers=(replace(of.workers[0], tasks=tasks),))

    assert after(map(measured, range(6))).is_saturated
    assert not after(map(measured, range(6)), first_tasks={2: 2, 4: 2}).is_saturated


def test_what_has_a_worker_that_nobody_reports_is_not_measured() -> None:
    wanted = WORKER | {("a", 6701)}
    found = update_performance(
        Performance(), "t", wanted, NO_DELAYS, {"a": sample(1, 100)}, now=5.0
    )
    assert not found.measurements


def test_queues_that_hold_more_than_a_tenth_of_a_second_are_saturation() -> None:
    # 200 tuples/s are taken in all: 20 of them are a tenth of a second.
    assert not after(sample(n, 100, waiting=19) for n in range(6)).is_saturated
    assert after(sample(n, 100, waiting=21) for n in range(6)).is_saturated


@pytest.mark.parametrize(
    ("rate", "waiting", "is_saturated"),
    # 190 tuples, all that may be pending, are 0.45 s of 420/s; 100 are 0.24 s. 49 are few.
    [(420, 190, True), (420, 100, False), (100, 50, True), (100, 49, False)],
)
def test_one_full_bolt_of_many_saturates_a_topology(
    rate: float, waiting: int, is_saturated: bool
) -> None:
    # Ten executors take ten times the rate: a tenth of a second's tuples in the mean is 1 s of it.
    found = after(sample(n, rate, waiting=waiting, bolts=9) for n in range(6))
    assert found.is_saturated is is_saturated


def test_what_was_at_rest_without_queues_has_caught_up_until_its_workers_change() -> None:
    quiet = [sample(n, 100, waiting=5) for n in range(6)]
    assert after(quiet).caught_up
    # A rate that it does not carry is not what waited for its start.
    assert after([*quiet, *(sample(n, 100, waiting=500) for n in range(6, 12))]).caught_up
    assert not after([*quiet, sample(6, 100, worker="second")]).caught_up
    assert not after(sample(n, 100, waiting=500) for n in range(12)).caught_up
    # A moment without queues is none in which all is made up for.
    calm_once = [*(sample(n, 100, waiting=500) for n in range(8)), sample(8, 100, waiting=5)]
    assert not after(calm_once).caught_up


def test_latency_that_grows_and_grows_is_saturation_though_no_queue_of_storm_fills() -> None:
    # 2 s in the mean of the first three, then 5 s: 1.5 times more. From 1.1 to 1.4 is less.
    growing = after(sample(n, 100, latency=1.0 * n) for n in range(1, 7))
    assert growing.at_rest
    assert growing.is_saturated
    assert not after(sample(n, 100, latency=0.9 + 0.1 * n) for n in range(1, 7)).is_saturated


def test_latency_that_a_higher_rate_lifts_to_another_level_is_no_saturation() -> None:
    # Live, three times the rate took a chain from 20 to 100 and 200 ms, and no further.
    lifted = [0.02, 0.02, 0.02, 0.1, 0.2, 0.2]
    assert not after(sample(n, 100, latency=it) for n, it in enumerate(lifted)).is_saturated
    # By 0.6 s it is.
    behind = [0.02, 0.02, 0.02, 0.3, 0.6, 0.9]
    assert after(sample(n, 100, latency=it) for n, it in enumerate(behind)).is_saturated


def test_a_topology_whose_queues_fill_is_at_rest_though_tuples_take_longer_and_longer() -> None:
    filling = [sample(n, 100, latency=1.0 * n, waiting=100 * n) for n in range(1, 8)]
    assert after(filling).at_rest


@pytest.mark.parametrize(("begun", "wait"), [(0, 0.5), (500, None)])
def test_where_ackers_have_nothing_to_do_tuples_wait_in_queues(
    begun: int, wait: float | None
) -> None:
    # 50 tuples in front of the bolt, of which the spout emits 100/s.
    def unacked(number: int) -> Sample:
        of = sample(number, 100, waiting=50)
        (worker,) = of.workers
        spout, bolt, acker = worker.tasks
        silent = replace(spout.outputs[0], complete_latency=None)
        acker = replace(acker, inputs=(TaskInput("source", "__ack_init", begun),))
        tasks = (replace(spout, outputs=(silent,)), bolt, acker)
        return replace(of, workers=(replace(worker, tasks=tasks),))

    found = after(unacked(n) for n in range(6))
    assert found.is_acked == (begun > 0)
    assert found.newest_wait == wait


def test_a_delay_that_the_acker_does_not_see_is_in_the_latency_as_soon_as_it_is_known() -> None:
    # The bolt and the acker on b: Storm says 20 ms, whatever the delay from a to b is.
    def far(number: int, milliseconds: float | None, before: Performance) -> Performance:
        of = sample(number, 100)
        (worker,) = of.workers
        spout, bolt, acker = worker.tasks
        here = replace(of, workers=(replace(worker, tasks=(spout,)),))
        others = replace(worker, tasks=(bolt, acker))
        there = replace(of, host="b", workers=(others,))
        return update_performance(
            before,
            "t",
            WORKER | {("b", 6700)},
            NO_DELAYS if milliseconds is None else delay_table({("a", "b"): milliseconds}),
            {"a": here, "b": there},
            now=of.time,
        )

    found = Performance()
    for n in range(6):
        found = far(n, 10, found)
    assert found.latency is not None
    assert found.latency.mean == pytest.approx(0.02 + 2 * 0.01)
    found = far(6, 400, found)
    assert found.measurements[-1].latencies.complete == pytest.approx(0.02 + 2 * 0.4)
    # That says nothing of queues, though it is more than ten times as much from now on.
    for n in range(7, 9):
        found = far(n, 400, found)
    assert not found.is_saturated
    assert found.is_steady
    assert not found.lacks_delay
    # One that is unknown for a moment leaves the mean of the last six unknown.
    found = far(9, None, found)
    assert found.latency is None
    assert found.lacks_delay
