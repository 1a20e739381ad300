import io
from dataclasses import replace
from typing import Any

from eyewall_deploy.cluster_file import DelayRule
from eyewall_deploy.demo.records import Placement, Reassignment, Run
from eyewall_deploy.demo.report import ms, show_beforehand, show_comparison, show_reassignment
from eyewall_deploy.demo.scenario import Scenario
from eyewall_deploy.measure.latency import Gap, Summary
from eyewall_deploy.measure.nimbus import Executor
from rich.console import Console

TAG = Executor("tag", 5, 5)


def run(scheduler: str, host: str, p50: float, detour: float = 0.0, missing: int = 0) -> Run:
    placement = Placement({TAG: host}, f"by {scheduler}", 0.041, 0.030, detour)
    return Run(scheduler, placement, Summary(300, p50, 0.2, missing), 0.055, 20.0)


def shown(show: Any, *records: object, **how: bool) -> str:
    console = Console(file=io.StringIO(), width=200)
    show(console, *records, **how)
    return " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]


def test_the_table_says_where_a_scheduler_that_knows_no_pins_would_have_sent_the_data() -> None:
    text = shown(show_comparison, [run("ras", "cloud-1", 0.035, detour=0.080)], emulated=True)
    # 35 ms measured from where RAS put the source; 80 ms from the camera and to the display.
    assert "35 ms" in text
    assert "115 ms" in text
    assert "Storm's own schedulers know no pins" in text


def test_tuples_that_never_came_are_told() -> None:
    assert "(7 missing)" in shown(
        show_comparison, [run("ras", "cloud-1", 0.035, missing=7)], emulated=True
    )


def test_medians_are_shown_only_where_a_scheduler_had_more_than_one_turn() -> None:
    one, other = run("ras", "a", 0.010), run("eyewall", "a", 0.010)
    assert "Medians" not in shown(show_comparison, [one, other], emulated=True)
    assert "Medians" in shown(show_comparison, [one, other, one], emulated=True)


def test_without_emulation_the_table_says_which_figures_are_only_the_cluster_files() -> None:
    runs = [run("ras", "a", 0.010)]
    assert "Delays were not emulated" in shown(show_comparison, runs, emulated=False)
    assert "Delays were not emulated" not in shown(show_comparison, runs, emulated=True)


def test_a_delay_is_shown_once_if_both_ways_are_alike_else_each_way(make_cluster: Any) -> None:
    rules = tuple(
        DelayRule(source, target, one_way, 0.0, None)
        for source, target, one_way in (
            ("x", "y", 0.015),
            ("y", "x", 0.015),
            ("x", "z", 0.050),
            ("z", "x", 0.005),
        )
    )
    cluster = replace(make_cluster(a=("x",)), rules=rules)
    text = shown(show_beforehand, cluster, Scenario({}, 30.0, 1, ()))
    assert "x ↔ y: 15 ms one way x → z: 50 ms one way z → x: 5.0 ms one way pinned" in text


def test_a_reassignment_is_shown_before_during_and_after() -> None:
    change = Reassignment(
        link=("a", "b"),
        delay_before=0.002,
        delay_after=0.102,
        before=run("eyewall", "a", 0.044),
        during=Summary(20, 0.144, 0.150, 0),
        after=run("eyewall", "c", 0.060),
        moved=(TAG,),
        raised_at=100.0,
        moved_at=112.34,
        gap=Gap(100.0, 3.84),
        failed=17,
    )
    text = shown(show_reassignment, change)
    assert "Delay a ↔ b: 2.0 ms → 102 ms; 1 executor moved 12.3 s later" in text
    for figure in (
        "44 ms",
        "144 ms",
        "60 ms",
        "c: tag ←",
        "3.8 s without output",
        "17 tuples had to be replayed",
    ):
        assert figure in text


def test_a_figure_that_is_not_there_is_a_dash() -> None:
    assert [ms(None), ms(0.0021), ms(0.0999)] == ["–", "2.1 ms", "100 ms"]
