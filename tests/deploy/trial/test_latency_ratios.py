from collections.abc import Mapping

import pytest
from eyewall_deploy.measure.load_samples import bucket_middle, bucket_of
from eyewall_deploy.trial.latency_ratios import LatencyRatio, find_latency_ratios
from eyewall_deploy.trial.records import TrialRun
from trial_runs import run, second


def ten_acks(milliseconds: float) -> dict[int, int]:
    return {bucket_of(int(milliseconds * 1000)): 10}


def seconds_of(
    scheduler: str, milliseconds: float, stalls: Mapping[int, float] | None = None, count: int = 90
) -> TrialRun:
    """Ten acks in each second, of the same latency, but for seconds with a stall."""
    latencies = dict.fromkeys(range(count), milliseconds) | dict(stalls or {})
    seconds = [second(at, latency=ten_acks(it)) for at, it in latencies.items()]
    return run(scheduler, seconds=seconds, due=None)


def ratios(*runs: TrialRun) -> dict[tuple[str, int], LatencyRatio]:
    return {(it.scheduler, it.percent): it for it in find_latency_ratios(runs)}


def ratio(milliseconds: float, other: float) -> float:
    """By the middles of their buckets, which are up to 1.6 % wide."""
    own, theirs = (bucket_middle(bucket_of(int(it * 1000))) for it in (milliseconds, other))
    return own / theirs


def test_what_always_takes_twice_as_long_does_so_in_every_draw() -> None:
    found = ratios(seconds_of("eyewall", 20.0), seconds_of("ras", 10.0))
    twice = ratio(20, 10)
    for percent in (50, 99):
        it = found["eyewall", percent]
        assert (it.than, it.value, it.least, it.greatest) == ("ras", twice, twice, twice)
        assert found["ras", percent].value == pytest.approx(1 / twice)


def test_a_stall_that_decides_the_p99_of_a_window_may_be_chance() -> None:
    # 20 of 900 tuples are the slowest 2 %, so they are the p99. Two seconds of 90 are in no draw
    # of 18 blocks of five as often as (1 - 6/86)^18, in one of four.
    found = ratios(seconds_of("eyewall", 10.0, {40: 200.0, 41: 200.0}), seconds_of("ras", 10.0))
    p99 = found["eyewall", 99]
    assert (p99.value, p99.least, p99.greatest) == (ratio(200, 10), 1.0, ratio(200, 10))
    assert (found["eyewall", 50].least, found["eyewall", 50].greatest) == (1.0, 1.0)


def test_stalls_in_every_tenth_second_are_no_chance() -> None:
    stalls = dict.fromkeys(range(0, 90, 10), 200.0)
    found = ratios(seconds_of("eyewall", 10.0, stalls), seconds_of("ras", 10.0))
    assert found["eyewall", 99].least == ratio(200, 10)


def test_each_percentile_is_held_against_the_best_of_the_others() -> None:
    found = ratios(
        seconds_of("eyewall", 10.0),
        seconds_of("ras", 20.0),
        seconds_of("default", 15.0, dict.fromkeys(range(0, 90, 10), 200.0)),
    )
    assert {it: found[it].than for it in found} == {
        ("eyewall", 50): "default",
        ("eyewall", 99): "ras",
        ("ras", 50): "eyewall",
        ("ras", 99): "eyewall",
        ("default", 50): "eyewall",
        ("default", 99): "eyewall",
    }


def test_repetitions_count_together_and_what_is_missing_counts_as_long_as_it_waited() -> None:
    # Of twice 30 s one waits at the end of its run for 300 tuples: half of all.
    half = [second(at, latency=ten_acks(10.0)) for at in range(30)]
    stuck = [second(at, latency={}, acked=0) for at in range(30)]
    found = ratios(
        run("eyewall", seconds=half, due=300.0),
        run("eyewall", repetition=2, seconds=[*half[:1], *stuck[1:]], due=300.0),
        seconds_of("ras", 10.0),
    )
    assert found["eyewall", 50].value == 1.0
    assert found["eyewall", 99].value > 1000


@pytest.mark.parametrize(
    "others",
    [
        [],
        [seconds_of("ras", 10.0, count=29)],
        [run("ras", seconds=[second(at) for at in range(90)])],
    ],
    ids=["alone", "too short", "latency not known by second"],
)
def test_nothing_is_said_without_enough_of_another_scheduler(others: list[TrialRun]) -> None:
    assert ratios(seconds_of("eyewall", 10.0), *others) == {}
