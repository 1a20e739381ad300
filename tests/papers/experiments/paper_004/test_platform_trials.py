import argparse
import json
from pathlib import Path

from eyewall_papers.experiments.paper_004.platform_figures import (
    LINKS,
    PER_HOUR,
    MeasurePanel,
    differences,
    keep_common,
    series,
)
from eyewall_papers.experiments.paper_004.platform_trials import (
    PlatformCase,
    PlatformMeasures,
    PlatformSetting,
    run_cases,
)

CASE = PlatformCase(60.0, 99, 3, 500, 0, PlatformSetting.BOTH)
LINE = {"seed": 1, "per_hour": 60.0, "links": 99, "hops": 3, "tasks": 500, "number": 0} | {
    "setting": "both kinds",
    "acceptance": 0.5,
    "throughput": 30.0,
    "server_utilisation": 0.2,
    "link_utilisation": 0.1,
    "deviation": 0.2,
    "elongation": 0.3,
}
KEPT = PlatformMeasures(0.5, 30.0, 0.2, 0.1, 0.2, 0.3)


def options(results: Path) -> argparse.Namespace:
    return argparse.Namespace(results=results, seed=1, budget=0.0, processes=1)


def test_a_case_that_the_file_has_is_not_simulated_again(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(LINE) + "\n", encoding="utf-8")
    assert run_cases([CASE], options(file)) == {CASE: KEPT}


def test_results_of_another_seed_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(LINE | {"seed": 2}) + "\n", encoding="utf-8")
    assert run_cases([CASE], options(file)) == {}


def test_a_line_of_a_picture_is_the_mean_over_networks_with_its_interval() -> None:
    # 0.2 and 0.4: mean 0.3, standard deviation √0.02, half width 12.706 · √0.02 / √2 = 1.2706.
    found = {
        PlatformCase(60.0, 50, 3, 500, number, PlatformSetting.BOTH): PlatformMeasures(
            value, 0, 0, 0, None, None
        )
        for number, value in enumerate((0.2, 0.4))
    }
    line = series(found, PlatformSetting.BOTH, MeasurePanel("", LINKS, "acceptance"), 60.0)
    assert list(line.at) == [50.0]
    assert abs(line.means[0] - 0.3) < 1e-12
    assert abs(line.widths[0] - 1.2706) < 1e-4


def test_a_network_that_lacks_a_setting_is_left_out_of_all() -> None:
    whole = [
        PlatformCase(60.0, 99, 3, 500, 0, setting)
        for setting in (PlatformSetting.BOTH, PlatformSetting.FIXED)
    ]
    lone = PlatformCase(60.0, 99, 3, 500, 1, PlatformSetting.BOTH)
    found = dict.fromkeys([*whole, lone], KEPT)
    assert list(keep_common(found, (PlatformSetting.BOTH, PlatformSetting.FIXED))) == whole


def test_differences_are_taken_network_by_network() -> None:
    # 0.30 − 0.35 and 0.10 − 0.13: −5 and −3 points, mean −4; standard deviation √2 points, half
    # width 12.706 · √2 / √2 = 12.71.
    found = {
        PlatformCase(60.0, 99, 3, 500, number, setting): PlatformMeasures(
            value, 0, 0, 0, deviation, None
        )
        for number, values, deviation in ((0, (0.30, 0.35), 0.2), (1, (0.10, 0.13), 0.2))
        for setting, value in zip(
            (PlatformSetting.BOTH, PlatformSetting.FIXED), values, strict=True
        )
    }
    rows = differences(
        found, PlatformSetting.BOTH, PlatformSetting.FIXED, PER_HOUR, ("acceptance", "deviation")
    )
    assert list(rows) == [("60", "2", "-4.00% ± 12.71%", "+0.00% ± 0.00%")]
