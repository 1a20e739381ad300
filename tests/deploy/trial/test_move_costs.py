"""What moves cost, by the seconds of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from eyewall_deploy.trial.move_costs import MoveCost, find_move_costs
from eyewall_deploy.trial.records import RunSecond, TrialMove
from trial_runs import run, second

GIB = 1 << 30


def quiet(count: int = 60) -> list[RunSecond]:
    """Seconds in which two hosts run a worker each, with half a core and 1 GiB."""
    return [
        second(at, cpu={"h1": 0.3, "h2": 0.2}, memory={"h1": GIB}, workers={"h1": 1, "h2": 1})
        for at in range(count)
    ]


def costs(seconds: list[RunSecond], *at: float, assigned: int = 2) -> list[MoveCost]:
    moves = [TrialMove(it, executors=3, workers=1, assigned=assigned) for it in at]
    return list(find_move_costs([run("eyewall", seconds=seconds, moves=moves)]))


def test_a_move_counts_from_the_second_before_it_is_seen_for_half_a_minute() -> None:
    seconds = quiet()
    for at, gap in [(18, 0), (19, 0), (20, 4), (48, 0), (49, 0)]:
        seconds[at] = replace(seconds[at], out=gap, p99=float(at), replayed=2, failed=1)
    (cost,) = costs(seconds, 20.4)
    # Seconds 19 to 48: those at 18 and 49 are not of it.
    assert (cost.seconds, cost.silent, cost.least_out) == (30, 2, 0)
    assert (cost.p99, cost.replayed, cost.failed) == (48.0, 6, 3)


def test_a_move_that_was_seen_late_counts_from_the_last_look_that_did_not_show_it() -> None:
    seconds = quiet()
    seconds[13] = replace(seconds[13], out=0)
    late = TrialMove(20.4, executors=3, workers=1, assigned=2, unseen_since=12.9)
    (cost,) = find_move_costs([run("eyewall", seconds=seconds, moves=[late])])
    assert cost.silent == 1  # of seconds 12 to 41
    after_the_end = replace(late, at=61.0, unseen_since=58.0)
    (cost,) = find_move_costs([run("eyewall", seconds=seconds, moves=[after_the_end])])
    assert cost.seconds == 2


def test_a_gap_is_known_to_a_twentieth_of_a_second_across_seconds() -> None:
    every = (1 << 20) - 1
    seconds = [second(at, out_slots=every) for at in range(60)]
    # The last 3 twentieths of second 20 and the first 2 of 21, and 4 in the middle of 30.
    seconds[20] = replace(seconds[20], out_slots=every >> 3)
    seconds[21] = replace(seconds[21], out_slots=every & ~0b11)
    seconds[30] = replace(seconds[30], out_slots=every & ~(0b1111 << 8))
    assert [it.gap for it in costs(seconds, 20.4)] == [0.25]
    assert [it.gap for it in costs(seconds, 24.4)] == [0.2]
    seconds[40] = replace(seconds[40], out_slots=0)
    assert [it.gap for it in costs(seconds, 24.4)] == [1.0]
    seconds[41] = replace(seconds[41], out_slots=None)
    assert [it.gap for it in costs(seconds, 24.4)] == [None]


def test_the_next_move_ends_it_and_so_does_the_measurement() -> None:
    # 19 to 28, 29 to 48, 49 to 59.
    assert [it.seconds for it in costs(quiet(), 20.4, 30.9, 50.0)] == [10, 20, 11]


def test_a_move_before_or_after_the_measurement_is_not_judged() -> None:
    assert costs(quiet(), -3.0, 61.1) == []


def test_of_two_moves_in_one_second_both_have_that_second() -> None:
    assert [it.seconds for it in costs(quiet(), 20.1, 20.9)] == [1, 30]


def test_old_workers_are_gone_when_no_more_run_than_are_assigned() -> None:
    seconds = quiet()
    for at in range(22, 31):
        seconds[at] = replace(
            seconds[at],
            cpu={"h1": 0.3, "h2": 0.5},
            memory={"h1": GIB, "h2": at << 20},
            workers={"h1": 1, "h2": 2},
        )
    (cost,) = costs(seconds, 20.4)
    # From second 19 to 30, the last one with three workers: 12. In 9 of these 0.3 cores more were
    # used, 0.225 in the mean; memory was 30 MiB above the 1 GiB of before at most.
    assert cost.both == 12
    assert cost.cores == pytest.approx(9 * 0.3 / 12)
    assert cost.memory == 30 << 20


def test_where_old_workers_are_not_gone_in_time_both_run_all_the_time() -> None:
    seconds = quiet()
    for at in range(22, 60):
        seconds[at] = replace(seconds[at], workers={"h1": 1, "h2": 2})
    assert [it.both for it in costs(seconds, 20.4)] == [30]


def test_a_worker_that_restarts_as_two_never_ran_beside_them() -> None:
    seconds = quiet()
    for at in range(20, 60):
        seconds[at] = replace(seconds[at], workers={"h1": 1, "h2": 0 if at < 30 else 2})
    assert [it.both for it in costs(seconds, 20.4, assigned=3)] == [None]


def test_of_an_earlier_version_it_is_not_known_how_many_are_assigned() -> None:
    seconds = quiet()
    seconds[22] = replace(seconds[22], workers={"h1": 1, "h2": 2})
    assert [it.both for it in costs(seconds, 20.4, assigned=0)] == [None]


def test_a_second_without_a_reading_says_nothing() -> None:
    seconds = quiet()
    for at in range(22, 31):
        seconds[at] = replace(seconds[at], cpu={"h1": 0.9}, workers={"h1": 1, "h2": 2})
    for at in (15, 25, 48):
        seconds[at] = replace(seconds[at], cpu={}, memory={}, workers={})
    (cost,) = costs(seconds, 20.4)
    # 8 of the 11 known seconds from 19 to 30 have 0.4 cores more than 0.5.
    assert cost.both == 12
    assert cost.cores == pytest.approx(8 * 0.4 / 11)


def test_without_a_count_of_workers_or_a_second_before_nothing_is_said_of_both() -> None:
    (uncounted,) = costs([second(at) for at in range(60)], 20.4)
    (never_more,) = costs(quiet(), 20.4)
    assert uncounted.both is never_more.both is None
    assert uncounted.cores is never_more.memory is None
    seconds = quiet()
    seconds[3] = replace(seconds[3], workers={"h1": 2, "h2": 1})
    (at_once,) = costs(seconds, 0.4)
    assert (at_once.both, at_once.cores, at_once.memory) == (4, None, None)
