import io
from dataclasses import replace
from pathlib import Path

import pytest
from eyewall_deploy.measure.load_samples import bucket_of
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.records import RunSecond, TrialMove, TrialRun
from eyewall_deploy.trial.recovery import Change, Recovery, find_recoveries, trial_changes
from eyewall_deploy.trial.report import results, show_table
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
steps = [[0, 10], [20, 20]]
[[topologies]]
name = "chain"
shape = "chain"
[[events]]
at = 40
until = 60
cpu = "h1"
factor = 0.5
"""
BOTH = "\n[[events]]\nat = 19.5\ncpu = 'h2'\nfactor = 0.5\n"
QUICK, SLOWER, SLOW = bucket_of(10_000), bucket_of(15_000), bucket_of(25_000)
"""10, 15 and 25 ms: beyond 20 ms, twice the p99 before the change, tuples are late."""


def parsed(text: str = TEXT) -> Trial:
    return trial_file.parse(text, Path("changes.toml"), 2)


@pytest.fixture
def changing() -> Trial:
    return parsed()


def seconds(
    *late: int, most: int = 20, silent: range = range(0), stuck: range = range(0)
) -> list[RunSecond]:
    """Return 60 s: 10 acks in each of the first 20, then 20 in each; at most `most` of them late.

    Where it is stuck nothing is acked.
    """
    made = []
    for at in range(60):
        acked = 0 if at in stuck else 10 if at < 20 else 20
        slow = min(most, acked) if at in late else 0
        counts = {QUICK: acked - slow, SLOW: slow}
        latency = {bucket: count for bucket, count in counts.items() if count}
        out = 0 if at in silent or at in stuck else 10
        made.append(second(at, acked=acked, out=out, latency=latency))
    return made


def made(scheduler: str = "ras", *moves: TrialMove, of: list[RunSecond]) -> TrialRun:
    return run(scheduler, seconds=of, moves=moves, due=1000.0, latency={QUICK: 1000})


def recoveries(trial: Trial, of: list[RunSecond], *moves: TrialMove) -> tuple[Recovery, ...]:
    return find_recoveries(trial, [made("ras", *moves, of=of)]).found


def test_a_change_counts_until_the_next_one(changing: Trial) -> None:
    # what is undone when the measurement ends is no change of it
    assert trial_changes(changing) == [
        Change("10 → 20 tuples/s", 20, 40),
        Change("h1 CPU × 0.5", 40, 60),
    ]
    assert trial_changes(changing, 2.0)[0].what == "20 → 40 tuples/s"
    assert [it.at for it in trial_changes(changing, events=False)] == [20]


def test_what_changes_in_one_second_is_one_change() -> None:
    # the second from 19 to 20 has a half without the event: it counts for what was before
    first, _ = trial_changes(parsed(TEXT + BOTH))
    assert first == Change("10 → 20 tuples/s; h2 CPU × 0.5", 20, 40)


def test_a_ramp_is_no_change_and_a_jump_of_a_trace_is_one(tmp_path: Path) -> None:
    ramp = parsed(TEXT.replace("steps", "ramp"))
    assert [it.at for it in trial_changes(ramp)] == [40]
    (tmp_path / "day.csv").write_text("0 10\n30 20\n30 30\n30 50\n")
    text = TEXT.replace("steps = [[0, 10], [20, 20]]", 'trace = "day.csv"')
    trace = trial_file.parse(text, tmp_path / "changes.toml", 2)
    assert trial_changes(trace)[0] == Change("20 → 50 tuples/s", 30, 40)


def test_it_is_good_again_after_the_last_time_that_too_many_are_late(changing: Trial) -> None:
    # Late in 20 to 22 and all of second 25: the ten seconds from 26 on are the first without.
    rate, cpu = recoveries(changing, seconds(20, 21, 22, 25))
    assert (rate.good_after, rate.late) == (6, 80)
    assert (cpu.good_after, cpu.late) == (0, 0)
    assert cpu.late_beyond == pytest.approx(0.02, rel=0.02)


def test_a_twentieth_of_the_tuples_may_be_late(changing: Trial) -> None:
    # 10 of the 200 tuples of ten seconds, then 11
    assert recoveries(changing, seconds(25, most=10))[0].good_after == 0
    assert recoveries(changing, seconds(25, most=11))[0].good_after == 6


def test_up_to_twice_the_latency_before_is_not_late(changing: Trial) -> None:
    slower = [replace(it, latency={SLOWER: it.acked}) for it in seconds()[20:]]
    assert recoveries(changing, [*seconds()[:20], *slower])[0].late == 0


def test_a_second_without_output_is_not_good(changing: Trial) -> None:
    rate, _ = recoveries(changing, seconds(silent=range(22, 25)))
    assert (rate.good_after, rate.silent, rate.late) == (5, 3, 0)


def test_what_is_not_good_for_ten_seconds_before_the_next_change_never_is(changing: Trial) -> None:
    rate, _ = recoveries(changing, seconds(*range(20, 32)))  # 8 s are left
    assert (rate.judged, rate.good_after) == (True, None)


def test_with_less_than_ten_seconds_until_the_next_change_nothing_is_judged() -> None:
    changing = parsed(TEXT.replace("at = 40", "at = 25"))
    rate, cpu = recoveries(changing, seconds())
    assert (rate.judged, rate.good_after) == (False, None)
    assert (cpu.judged, cpu.good_after) == (True, 0)


def test_what_is_not_acked_is_late_once(changing: Trial) -> None:
    # Nothing from 30 on: what was due until 39.98 is overdue at 40, 9.98 s of 20/s; the
    # other 20 s, 400 tuples, are at the end.
    rate, cpu = recoveries(changing, seconds(stuck=range(30, 60)))
    assert (rate.late, cpu.late) == (200, 400)
    assert (rate.good_after, cpu.good_after) == (None, None)
    # Acked late at 41 instead: the same tuples are not late again.
    late = seconds(stuck=range(30, 41))
    late[41] = replace(late[41], acked=240, latency={SLOW: 220, QUICK: 20})
    assert [it.late for it in recoveries(changing, late)] == [200, 20]


def test_what_is_not_late_yet_is_not_overdue(changing: Trial) -> None:
    # All take a second, so late is beyond two: of ten seconds eight are overdue at 40.
    slow = [
        replace(it, latency={bucket_of(1_000_000): it.acked} if it.acked else {})
        for it in seconds(stuck=range(30, 60))
    ]
    assert recoveries(changing, slow)[0].late == pytest.approx(160, abs=1)


def test_tuples_of_all_topologies_are_due() -> None:
    two = parsed(TEXT + '[[topologies]]\nname = "other"\nshape = "chain"\n')
    # 10 acked of 20/s in the first 20 s, 20 of 40/s in the next: 400 more are overdue at 40
    assert recoveries(two, seconds())[0].late == pytest.approx(400, abs=1)


def test_half_of_the_tuples_that_are_missing_make_it_bad_though_the_others_are_in_time(
    changing: Trial,
) -> None:
    half = [replace(it, acked=10, latency={QUICK: 10}) for it in seconds()]
    assert [it.good_after for it in recoveries(changing, half)] == [None, None]


def test_where_no_tuple_is_due_silence_is_not_bad() -> None:
    changing = parsed(TEXT.replace("[20, 20]", "[20, 0]"))
    rate, _ = recoveries(changing, seconds(stuck=range(20, 60)))
    assert (rate.good_after, rate.silent, rate.late) == (0, 0, 0)


def test_sources_that_emit_as_much_as_goes_have_nothing_overdue() -> None:
    unlimited = parsed(TEXT.replace("steps = [[0, 10], [20, 20]]", "max = true"))
    (cpu,) = recoveries(unlimited, seconds(stuck=range(45, 50)))
    assert (cpu.late, cpu.silent, cpu.good_after) == (0, 5, 10)


def test_late_is_the_same_for_all_schedulers(changing: Trial) -> None:
    # p99 before: 10, 10 and 25 ms; beyond 20 ms all 20 s of 20 tuples of the third are late
    runs = [
        made("ras", of=seconds()),
        made("default", of=seconds()),
        made("eyewall", of=seconds(*range(60))),
    ]
    assert [it.late for it in find_recoveries(changing, runs).found] == [0, 0, 400] * 2


def test_a_move_counts_for_the_change_before_it(changing: Trial) -> None:
    # looked for after each second: one that is seen at 40.0 was made before
    moves = [TrialMove(at, 1, 1) for at in (-3.0, 20.0, 21.0, 22.0, 40.0)]
    assert [it.moves for it in recoveries(changing, seconds(), *moves)] == [3, 0]
    # Not answered from 58 s on, until after the measurement.
    late = TrialMove(63.0, 1, 1, unseen_since=58.0)
    assert [it.moves for it in recoveries(changing, seconds(), late)] == [0, 1]


def test_a_scheduler_under_which_nothing_is_acked_is_not_left_out(changing: Trial) -> None:
    runs = [made("ras", of=seconds()), made("eyewall", of=seconds(stuck=range(60)))]
    found = find_recoveries(changing, runs).found
    assert [(it.scheduler, it.good_after) for it in found[:2]] == [("ras", 0), ("eyewall", None)]


def test_what_cannot_be_said_is_named(changing: Trial) -> None:
    old = find_recoveries(changing, [made(of=[second(at) for at in range(60)])])
    assert old.found == ()
    assert old.remarks[0] == (
        "load 1: 1 runs of an earlier version have no latencies by second, and are left out"
    )
    early = find_recoveries(parsed(TEXT.replace("[20, 20]", "[5, 20]")), [made(of=seconds())])
    assert early.found == ()
    assert "what is late is not known without acks in the 10 s or more before" in early.remarks[0]


def test_events_that_could_not_happen_cost_nothing(changing: Trial) -> None:
    runs = [replace(made(of=seconds()), without_events=True)]
    assert [it.change.at for it in find_recoveries(changing, runs).found] == [20]


def test_a_trial_in_which_nothing_changes_has_none(trial: Trial) -> None:
    assert find_recoveries(trial, [made(of=seconds())]).found == ()


def test_the_table_says_how_often_it_was_not_good_again(changing: Trial) -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    runs = [
        replace(made(of=seconds(*late)), repetition=number)
        for number, late in enumerate((range(20, 27), range(20, 40)), start=1)
    ]
    show_table(console, changing, runs)
    (line,) = (it for it in console.export_text().splitlines() if "10 → 20 tuples/s" in it)
    assert " ".join(line.split()) == (
        "1 10 → 20 tuples/s 20 ras 7, never in 1 of 2 270 [140–400] 0 0 20 ms"
    )
    content = results(changing, runs)["recoveries"]
    assert [it["good_after"] for it in content[:2]] == [7, None]
