from collections.abc import Mapping
from dataclasses import replace

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
    # 40 of 900 tuples are the slowest 4 %. A block of five begins in 8 of 90 seconds that has one
    # of those four, so they are in no one of 18 blocks in (1 - 8/90)^18 = 19 % of the draws.
    stall = dict.fromkeys(range(40, 44), 200.0)
    found = ratios(seconds_of("eyewall", 10.0, stall), seconds_of("ras", 10.0))
    p99 = found["eyewall", 99]
    assert (p99.value, p99.least, p99.greatest) == (ratio(200, 10), 1.0, ratio(200, 10))
    assert (found["eyewall", 50].least, found["eyewall", 50].greatest) == (1.0, 1.0)


def test_schedulers_that_stall_in_the_same_second_are_drawn_by_themselves() -> None:
    stall = dict.fromkeys(range(40, 44), 200.0)
    found = ratios(seconds_of("eyewall", 10.0, stall), seconds_of("ras", 10.0, stall))
    p99 = found["eyewall", 99]
    assert (p99.value, p99.least, p99.greatest) == (1.0, ratio(10, 200), ratio(200, 10))


def test_as_neighbours_are_alike_some_seconds_are_drawn_together() -> None:
    # 33 slow seconds of 90 in a row are half of a draw or more in 12 % of the draws: with 18 blocks
    # the share of 37 % has a deviation of 11 %. With single seconds it would have 5 %.
    slow = dict.fromkeys(range(33), 20.0)
    found = ratios(seconds_of("eyewall", 10.0, slow), seconds_of("ras", 10.0))
    assert (found["eyewall", 50].value, found["eyewall", 50].greatest) == (1.0, ratio(20, 10))


def test_a_start_that_differs_from_the_others_may_be_chance() -> None:
    # Of three repetitions one is slow: two of three drawn or more are in 7 of 27 draws.
    starts = [seconds_of("eyewall", it) for it in (10.0, 10.0, 20.0)]
    p50 = ratios(*starts, seconds_of("ras", 10.0))["eyewall", 50]
    assert (p50.value, p50.greatest) == (1.0, ratio(20, 10))


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


def test_what_is_missing_at_the_end_counts_in_the_second_in_which_it_was_due() -> None:
    # Nothing is acked from second 60 on: 300 of 900 tuples wait 0 to 30 s, in any draw but one of
    # 18 blocks from the first 60 seconds alone.
    seconds = [second(at, latency=ten_acks(10.0) if at < 60 else {}) for at in range(90)]
    stuck = [it if it.at < 60 else replace(it, acked=0) for it in seconds]
    stops = run("eyewall", seconds=stuck, due=900.0)
    assert [sum(it.values()) for it in stops.latency_by_second()] == [10] * 90
    (longest,) = {max(it) for it in stops.latency_by_second()[60:61]}
    assert bucket_middle(longest) == pytest.approx(30, rel=0.02)
    found = ratios(stops, seconds_of("ras", 10.0))
    assert found["eyewall", 50].value == 1.0
    assert found["eyewall", 99].least > 1000


@pytest.mark.parametrize(
    "others",
    [
        [],
        [seconds_of("ras", 10.0, count=29)],
        [run("ras", seconds=[second(at) for at in range(90)])],
        [run("ras", seconds=[second(at, acked=5) for at in range(90)], due=900.0)],
    ],
    ids=["alone", "too short", "latency not known by second", "not known, and some are missing"],
)
def test_nothing_is_said_without_enough_of_another_scheduler(others: list[TrialRun]) -> None:
    assert ratios(seconds_of("eyewall", 10.0), *others) == {}
