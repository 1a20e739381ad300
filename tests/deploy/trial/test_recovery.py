import io
from pathlib import Path

import pytest
from eyewall_deploy.measure.load_samples import bucket_of
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.records import RunSecond, TrialMove
from eyewall_deploy.trial.recovery import Change, Recovery, find_recoveries, trial_changes
from eyewall_deploy.trial.report import show_table
from eyewall_deploy.trial.trial_file import Trial
from rich.console import Console
from trial_runs import run, second

TEXT = """
version = 1
name = "changes"
cluster = "six-unequal"
seconds = 60
schedulers = ["ras", "eyewall"]
[rate]
steps = [[0, 10], [20, 30]]
[[topologies]]
name = "chain"
shape = "chain"
[[events]]
at = 40
until = 60
cpu = "h1"
factor = 0.5
"""
QUICK, SLOW = bucket_of(10_000), bucket_of(500_000)
"""10 ms and half a second; the p99 before the change is 10 ms, so half a second is late."""


@pytest.fixture
def changing() -> Trial:
    return trial_file.parse(TEXT, Path("changes.toml"), 2)


def seconds(slow: range = range(0), *, silent: range = range(0)) -> list[RunSecond]:
    """Return 60 s of 10 acks each: slow ones in `slow`, no output in `silent`."""
    return [
        second(
            at,
            out=0 if at in silent else 10,
            latency={SLOW if at in slow else QUICK: 10},
        )
        for at in range(60)
    ]


def recoveries(trial: Trial, made: list[RunSecond], *moves: TrialMove) -> list[Recovery]:
    return find_recoveries(trial, [run(seconds=made, moves=moves, due=600.0)])


def test_a_change_lasts_until_the_next_one(changing: Trial) -> None:
    # what is undone at the end of the measurement is no change of it
    assert trial_changes(changing) == [
        Change("10 → 30 tuples/s", 20, 40),
        Change("h1 CPU × 0.5", 40, 60),
    ]
    assert trial_changes(changing, 2.0)[0].what == "20 → 60 tuples/s"


def test_it_is_good_again_after_the_last_second_with_late_tuples(changing: Trial) -> None:
    rate, cpu = recoveries(changing, seconds(range(20, 27)), TrialMove(25.0, 2, 1))
    # ten seconds from 27 on have no late tuple, those from 26 on have 10 of 100
    assert (rate.good_after, rate.late, rate.moves) == (7, 70, 1)
    assert (cpu.good_after, cpu.late, cpu.moves) == (0, 0, 0)


def test_a_second_without_output_is_not_good(changing: Trial) -> None:
    rate, _ = recoveries(changing, seconds(silent=range(22, 25)))
    assert (rate.good_after, rate.silent, rate.late) == (5, 3, 0)


def test_what_is_not_good_for_ten_seconds_before_the_next_change_is_not_good_again(
    changing: Trial,
) -> None:
    rate, _ = recoveries(changing, seconds(range(20, 32)))  # 8 s are left
    assert rate.good_after is None


def test_where_nothing_is_acked_nothing_is_good(changing: Trial) -> None:
    made = seconds()
    stuck = [*made[:20], *(second(at, acked=0, latency={}) for at in range(20, 60))]
    assert [it.good_after for it in recoveries(changing, stuck)] == [None, None]


def test_late_is_the_same_for_all_schedulers(changing: Trial) -> None:
    # p99 before: 10 ms and 500 ms, the median 255 ms: beyond 510 ms nothing was acked
    runs = [
        run("ras", seconds=seconds(), due=600.0),
        run("eyewall", seconds=seconds(range(60)), due=600.0),
    ]
    assert [it.late for it in find_recoveries(changing, runs)] == [0, 0, 0, 0]


def test_runs_of_earlier_versions_have_no_latencies_by_second(changing: Trial) -> None:
    assert recoveries(changing, [second(at) for at in range(60)]) == []


def test_a_trial_in_which_nothing_changes_has_none(trial: Trial) -> None:
    assert find_recoveries(trial, [run(seconds=seconds(), due=600.0)]) == []


def test_the_table_says_how_often_it_was_not_good_again(changing: Trial) -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    runs = [
        run("ras", repetition=number, seconds=seconds(slow), due=600.0)
        for number, slow in enumerate((range(20, 27), range(20, 40)), start=1)
    ]
    show_table(console, changing, runs)
    (line,) = (it for it in console.export_text().splitlines() if "10 → 30 tuples/s" in it)
    assert line.split() == [
        *("1", "10", "→", "30", "tuples/s", "20", "ras", "7,", "not", "in", "1", "of", "2"),
        *("135", "[70–200]", "0", "0"),
    ]
