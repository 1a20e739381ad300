import io
from dataclasses import replace
from typing import Any

from eyewall_deploy.cluster_file import DelayRule
from eyewall_deploy.demo.records import DelayRise, DemoPlacement, SchedulerRun
from eyewall_deploy.demo.report import ms, show_comparison, show_delay_rise, show_setup
from eyewall_deploy.demo.scenario import Scenario
from eyewall_deploy.measure.latency import LatencySummary, OutputGap
from eyewall_deploy.storm.nimbus import RunningExecutor
from rich.console import Console

TAG = RunningExecutor("tag", 5, 5)


def run(
    scheduler: str, host: str, p50: float, detour: float = 0.0, missing: int = 0
) -> SchedulerRun:
    placement = DemoPlacement({TAG: host}, f"by {scheduler}", 0.041, 0.030, detour)
    return SchedulerRun(scheduler, placement, LatencySummary(300, p50, 0.2, missing), 0.055, 20.0)


def shown(show: Any, *records: object, **how: bool) -> str:
    console = Console(file=io.StringIO(), width=200)
    show(console, *records, **how)
    return " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]


def test_a_scheduler_without_pins_is_shown_with_the_detour_of_the_data() -> None:
    text = shown(show_comparison, [run("ras", "cloud-1", 0.035, detour=0.080)], emulated=True)
    # 35 ms measured from where RAS put the source; 80 ms from the camera and to the display.
    assert "35 ms" in text
    assert "115 ms" in text


def test_tuples_that_never_arrived_are_shown() -> None:
    assert "(7 missing)" in shown(
        show_comparison, [run("ras", "cloud-1", 0.035, missing=7)], emulated=True
    )


def test_medians_are_shown_only_where_a_scheduler_ran_more_than_once() -> None:
    one, other = run("ras", "a", 0.010), run("eyewall", "a", 0.010)
    assert "Medians" not in shown(show_comparison, [one, other], emulated=True)
    assert "Medians" in shown(show_comparison, [one, other, one], emulated=True)


def test_without_emulation_the_table_says_which_figures_use_the_cluster_files_delays() -> None:
    runs = [run("ras", "a", 0.010)]
    assert "Delays were not emulated" in shown(show_comparison, runs, emulated=False)
    assert "Delays were not emulated" not in shown(show_comparison, runs, emulated=True)


def test_a_delay_is_shown_with_its_directions(make_cluster: Any) -> None:
    delays = (
        DelayRule(0.015, between=("x", "y")),
        DelayRule(0.050, source="x", target="z", deviation=0.002),
        DelayRule(0.005, source="z", target="x"),
    )
    cluster = replace(make_cluster(a=("x",)), delays=delays)
    text = shown(show_setup, cluster, Scenario({}, 30.0, 1, ()))
    assert "x ↔ y: 15 ms one way x → z: 50 ms ± 2.0 ms one way z → x: 5.0 ms one way" in text


def test_a_raised_delay_is_shown_before_during_and_after_the_move() -> None:
    change = DelayRise(
        link=("a", "b"),
        delay_before=0.002,
        delay_after=0.102,
        before=run("eyewall", "a", 0.044),
        during=LatencySummary(20, 0.144, 0.150, 0),
        after=run("eyewall", "c", 0.060),
        moved=(TAG,),
        raised_at=100.0,
        moved_at=112.34,
        gap=OutputGap(100.0, 3.84),
        failed=17,
    )
    text = shown(show_delay_rise, change)
    assert "Delay a ↔ b: 2.0 ms → 102 ms; 1 executor moved 12.3 s later" in text
    for figure in (
        "44 ms",
        "144 ms",
        "60 ms",
        "c: tag ←",
        "3.8 s without output",
        "17 tuples",
    ):
        assert figure in text


def test_an_unknown_figure_is_a_dash() -> None:
    assert [ms(None), ms(0.0021), ms(0.0999)] == ["–", "2.1 ms", "100 ms"]
