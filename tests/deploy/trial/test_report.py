import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from deployments import make_deployment
from eyewall_deploy.endpoint import LOCALHOST, Endpoint
from eyewall_deploy.state import ClusterMode
from eyewall_deploy.trial.picture import draw_trial
from eyewall_deploy.trial.records import (
    ForecastValue,
    RateMeasurement,
    SustainableRate,
    TrialMove,
    TrialRun,
)
from eyewall_deploy.trial.report import (
    ms,
    results,
    show_next_commands,
    show_sustainable,
    show_table,
    sustainable_results,
)
from eyewall_deploy.trial.trial_event import TrialEvent
from eyewall_deploy.trial.trial_file import Trial
from rich.console import Console
from trial_runs import run, second


def test_the_table_has_medians_with_their_range(trial: Trial) -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    runs = [run(seconds=[second(0, acked=count)], due=None) for count in (5, 6, 9)]
    show_table(console, trial, runs)
    text = console.export_text()
    assert "6 [5–9]" in text
    assert "ras" in text


def test_however_narrow_the_terminal_no_figure_is_cut_off(trial: Trial) -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    runs = [run(seconds=[second(0, stolen=share)], due=None) for share in (0.0004, 0.021)]
    show_table(console, trial, runs)
    headings, _, line = (it for it in console.export_text().splitlines() if len(it.strip()) > 100)
    assert headings.split()[:3] == ["load", "scheduler", "runs"]
    assert "busy cores" in headings
    assert "1.1% [0.0%–2.1%]" in line
    assert "…" not in headings + line


def test_all_figures_are_json(trial: Trial) -> None:
    runs = [run("default"), run("eyewall", moves=[TrialMove(3.5, 2, 1)], latency={}, due=None)]
    content = json.loads(json.dumps(results(trial, runs)))
    assert [it["scheduler"] for it in content["runs"]] == ["default", "eyewall"]
    assert content["runs"][1]["moves"] == [
        {
            "at": 3.5,
            "executors": 2,
            "workers": 1,
            "assigned": 0,
            "unseen_since": None,
            "placement": [],
        }
    ]
    assert content["runs"][1]["figures"]["p99"] is None
    assert content["summary"][0]["figures"]["acked_per_second"]["median"] == 10


def test_what_moves_cost_is_shown_by_scheduler(trial: Trial) -> None:
    def moved(scheduler: str, gap: int) -> TrialRun:
        seconds = [second(at, out=10 * (at != gap), p99=0.3) for at in range(60)]
        return run(scheduler, seconds=seconds, moves=[TrialMove(20.0, 3, 2)])

    runs = [moved("overlap", -1), moved("restart", 25), moved("restart", 5)]
    console = Console(width=40, record=True, file=io.StringIO())
    show_table(console, trial, runs)
    table = console.export_text().split("What a move costs")[1]
    lines = [" ".join(it.split()) for it in table.splitlines()]
    assert "1 overlap 1 3 2 0 – 10 300 ms 0 0 – – –" in lines
    # Of the two moves one had a silent second within half a minute.
    assert "1 restart 2 3 2 0.5 [0–1] – 5 [0–10] 300 ms 0 0 – – –" in lines
    assert [it["silent"] for it in results(trial, runs)["move_costs"]] == [0, 1, 0]


def test_events_that_did_not_happen_are_named_with_the_scheduler(trial: Trial) -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    failed = replace(run("eyewall"), failed_events=("no answer from Nimbus",))
    show_table(console, trial, [run("ras"), failed])
    text = " ".join(console.export_text().split())
    assert "An event or a plan failed, eyewall: no answer from Nimbus" in text
    assert text.count("An event or a plan failed") == 1


def test_without_a_move_nothing_is_said_of_moves(trial: Trial) -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    show_table(console, trial, [run()])
    assert "What a move costs" not in console.export_text()


def test_the_latest_latency_at_each_rate_is_shown_and_what_was_not_acked(trial: Trial) -> None:
    def found(repetition: int, *tries: RateMeasurement) -> SustainableRate:
        return SustainableRate("ras", repetition, "f", 10.0, 0.1, tries)

    def measured(rate: float, p99: float | None, acked: float = 1.0) -> RateMeasurement:
        return RateMeasurement(rate, p99, acked, moved=False)

    searches = [
        found(1, measured(10.0, 0.9), measured(20.1, 0.5, 0.9), measured(10.0, 0.1)),
        found(2, measured(10.1, 0.3), measured(20.0, 0.7, 0.8), measured(40.0, None, 0.0)),
    ]
    console = Console(width=120, record=True, file=io.StringIO())
    show_sustainable(console, trial, searches)
    shown = console.export_text()
    lines = [it.split() for it in shown.splitlines()]
    assert ["10.0", "200", "ms"] in lines
    assert ["20.0", "600", "ms,", "85%", "acked"] in lines
    assert ["40.0", "–"] in lines
    assert "below twice its value at half of the rate" in shown


def test_with_a_limit_the_table_says_which_and_has_no_forecast(trial: Trial) -> None:
    tries = (RateMeasurement(10.0, 0.1, 1.0, moved=False),)
    found = [SustainableRate("ras", 1, "f", 10.0, 0.1, tries, p99_limit=0.5)]
    console = Console(width=120, record=True, file=io.StringIO())
    show_sustainable(console, trial, found)
    shown = console.export_text()
    assert "The largest rate whose p99 is at most 500 ms, with 97% of the due tuples acked" in shown
    assert "forecast" not in shown


def test_latencies_are_compared_where_nothing_changes_during_a_run(trial: Trial) -> None:
    def shown(of: Trial) -> str:
        console = Console(width=120, record=True, file=io.StringIO())
        seconds = [second(at, latency={100: 10}) for at in range(40)]
        runs = [run(name, seconds=seconds, due=None) for name in ("ras", "eyewall")]
        show_table(console, of, runs)
        assert len(results(of, runs)["latency_ratios"]) == (4 if of.is_steady else 0)
        return " ".join(console.export_text().split())

    assert "eyewall 1.00 [1.00–1.00] ras 1.00 [1.00–1.00] ras" in shown(trial)
    event = TrialEvent(at=5.0, cpu="h1", factor=0.5)
    assert "relative to" not in shown(replace(trial, events=(event,)))


def test_a_sustained_rate_is_shown_beside_its_forecast(trial: Trial) -> None:
    def found(scheduler: str, forecast: ForecastValue | None) -> SustainableRate:
        tries = (
            RateMeasurement(10.0, 0.1, 1.0, moved=False, forecast=forecast),
            RateMeasurement(20.0, 0.25, 1.0, moved=False),
        )
        return SustainableRate(scheduler, 1, "f", 20.0, 0.1, tries)

    searches = [found("ras", None), found("eyewall", ForecastValue(21.3, 18.0, 24.0))]
    console = Console(width=120, record=True, file=io.StringIO())
    show_sustainable(console, trial, searches)
    lines = [it.split() for it in console.export_text().splitlines()]
    assert ["ras", "1", "20", "250", "ms", "10", "–"] in lines
    assert ["eyewall", "1", "20", "250", "ms", "10", "21.3", "[18–24]"] in lines
    assert ["10.0", "100", "ms", "100", "ms"] in lines
    content = json.loads(json.dumps(sustainable_results(trial, searches)))
    assert content["latency_limit"] == 0.2
    assert [it["within_limit"] for it in content["searches"]] == [10.0, 10.0]
    assert [it["forecast"] for it in content["searches"]] == [
        None,
        {"value": 21.3, "least": 18.0, "greatest": 24.0},
    ]


def test_the_picture_has_a_line_for_each_scheduler_and_is_the_same_each_time(
    trial: Trial, tmp_path: Path
) -> None:
    silent = [second(0, p50=None, p99=None, out=0), second(1)]
    runs = [
        run("default", load=0.5),
        run("own policy", load=1.0, moves=[TrialMove(-1.0, 1, 1)], seconds=silent),
    ]
    files = [tmp_path / "1.svg", tmp_path / "2.svg"]
    for file in files:
        assert draw_trial(trial, runs, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    text = files[0].read_text()
    for label in ("default", "own policy", "load 0.5", "load 1", "p99, ms"):
        assert label in text


@pytest.mark.parametrize(
    ("mode", "ui", "shown"),
    [
        (ClusterMode.NAMESPACES, None, ["status", "delay", "http://127.0.0.1:20005", "down"]),
        (ClusterMode.LOOPBACK, 20_009, ["status", "http://127.0.0.1:20009", "http://", "down"]),
    ],
)
def test_the_next_commands_are_those_that_work_on_this_cluster(
    mode: ClusterMode, ui: int | None, shown: list[str], tmp_path: Path
) -> None:
    console = Console(width=200, record=True, file=io.StringIO())
    endpoint = None if ui is None else Endpoint(LOCALHOST, ui)
    deployment = make_deployment(tmp_path, mode=mode, ui=endpoint)
    show_next_commands(console, deployment, ".venv/bin/eyewall-deploy")
    lines = console.export_text().splitlines()[2:]
    assert len(lines) == len(shown)
    for line, part in zip(lines, shown, strict=True):
        assert part in line
    assert ".venv/bin/eyewall-deploy down three-sites  " in lines[-1]


def test_an_unknown_time_is_a_dash() -> None:
    assert [ms(None), ms(0.0021), ms(0.0999)] == ["–", "2.1 ms", "100 ms"]
