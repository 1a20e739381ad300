import pytest
from eyewall_deploy.trial.figures import FIGURES, host_cpu, summarise_runs
from eyewall_deploy.trial.records import TrialMove, TrialRun
from trial_runs import run, second


def figure(measured: TrialRun, key: str) -> float | None:
    return next(it for it in FIGURES if it.key == key).of(measured)


def test_figures_are_of_the_whole_window() -> None:
    measured = run(
        due=30.0,
        seconds=[
            second(0, acked=12, out=24, busy=1.5, stolen=0.02),
            second(1, acked=8, out=0, failed=3, replayed=2, busy=0.5, stolen=0.04),
        ],
        moves=[TrialMove(-4.0, 3, 2), TrialMove(1.0, 1, 1)],
    )
    assert figure(measured, "due_per_second") == 15  # 30 in 2 s
    assert figure(measured, "acked_per_second") == 10
    assert figure(measured, "out_per_second") == 12
    assert figure(measured, "silent_seconds") == 1
    assert (figure(measured, "failed"), figure(measured, "replayed")) == (3, 2)
    assert (figure(measured, "moves"), figure(measured, "moved_executors")) == (2, 4)
    assert figure(measured, "restarted_workers") == 3
    assert figure(measured, "busy_cores") == 1
    assert figure(measured, "stolen") == pytest.approx(0.03)


def test_nothing_is_due_where_sources_emit_as_much_as_goes() -> None:
    assert figure(run(due=None), "due_per_second") is None


def test_a_run_without_an_ack_has_no_latency() -> None:
    silent = run(latency={}, seconds=[second(0, acked=0, out=0)])
    assert silent.percentile(50) is None
    (line,) = summarise_runs([silent])
    assert line.figures["p99"].median is None


def test_lines_are_by_load_and_scheduler_with_median_and_range() -> None:
    def acking(count: int) -> TrialRun:
        return run("ras", seconds=[second(0, acked=count)])

    lines = summarise_runs([acking(5), run("eyewall"), acking(9), acking(6), run(load=0.5)])
    assert [(it.load, it.scheduler, it.runs) for it in lines] == [
        (0.5, "ras", 1),
        (1.0, "ras", 3),
        (1.0, "eyewall", 1),
    ]
    acked = lines[1].figures["acked_per_second"]
    assert (acked.least, acked.median, acked.most) == (5, 6, 9)


def test_the_cpu_of_a_host_is_its_mean_over_the_seconds_that_have_it() -> None:
    seconds = [second(0, cpu={"h1": 0.25}), second(1, cpu={"h1": 0.75, "h2": 0.5}), second(2)]
    assert host_cpu([run(seconds=seconds)]) == {"h1": 0.5, "h2": 0.5}
    assert figure(run(seconds=seconds), "host_cores") == 1.0


def test_seconds_in_which_the_machine_was_not_seen_are_no_idle_ones() -> None:
    seconds = [second(0, busy=1.5, stolen=0.02), second(1, busy=None, stolen=None)]
    assert figure(run(seconds=seconds), "busy_cores") == 1.5
    assert figure(run(seconds=seconds), "stolen") == 0.02
    unseen = run(seconds=seconds[1:])
    assert [figure(unseen, it) for it in ("busy_cores", "stolen", "host_cores")] == [None] * 3
