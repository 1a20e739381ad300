"""Results of trials next to the paper's tables 2 and 3."""

import argparse
import io
import json
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.measure.load_samples import bucket_middle
from eyewall_papers.experiments.paper_002 import live_tables
from eyewall_papers.experiments.paper_002.live_tables import (
    LiveRun,
    panels,
    read_runs,
    run,
    throughput_ratio,
)
from eyewall_papers.experiments.paper_002.trial_files import OVERLOAD, QUIET
from rich.console import Console


def starts(scheduler: str, *throughputs: float, hosts: tuple[str, ...] = ("w1",)) -> list[Any]:
    """Return what a trial wrote of a scheduler's starts, each with two loads."""
    placement = [f"{it}: operation-2 ×2" for it in hosts]
    return [
        {
            "scheduler": scheduler,
            "repetition": repetition,
            "load": load,
            "placement": placement,
            "latency": {"64": 3, "2000": 50},
            "figures": {"silent_seconds": 3.0, "p50": 0.02 if load == QUIET else 9.0},
            # The first two minutes carried less: it moved after them.
            "seconds": [{"acked": 1}] * 120 + [{"acked": acked}] * 60,
            "moves": [{"at": 100.0}] if load == OVERLOAD else [],
        }
        for repetition, throughput in enumerate(throughputs, start=1)
        for load, acked in ((QUIET, 1.0), (OVERLOAD, throughput))
    ]


def write(folder: Path, topology: str, runs: list[Any]) -> Path:
    path = folder / topology / "results.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"host_cores": {"w1": 0.25, "w2": 0.125}, "runs": runs}))
    return path


def test_a_start_is_read_from_its_quiet_and_its_overloaded_part(tmp_path: Path) -> None:
    file = write(tmp_path, "t-r1", starts("ras", 40.0, 50.0, hosts=("w1", "w2")))
    # A bucket up to 127 is its microseconds, so the least one has a middle of 64.5.
    least = bucket_middle(64)
    assert read_runs(file) == {
        "ras": [
            LiveRun(40.0, 0.02, least, 37.5, 1, 3.0),
            LiveRun(50.0, 0.02, least, 37.5, 1, 3.0),
        ]
    }


def test_a_start_of_which_a_part_is_missing_is_left_out(tmp_path: Path) -> None:
    quiet, _ = starts("ras", 40.0)
    assert read_runs(write(tmp_path, "t-r1", [quiet])) == {}


def test_a_topology_of_which_no_start_is_complete_was_not_measured(tmp_path: Path) -> None:
    quiet, _ = starts("ras", 40.0)
    write(tmp_path, "t-r1", [quiet])
    with pytest.raises(SystemExit, match="no results"):
        run(argparse.Namespace(folder=tmp_path, plots=None))


def test_throughputs_are_compared_by_their_medians() -> None:
    runs = {
        "ras": [LiveRun(it, 0.0, 0.0, 0.0, 0, 0.0) for it in (10.0, 90.0, 20.0)],
        "ants": [LiveRun(30.0, 0.0, 0.0, 0.0, 0, 0.0)],
    }
    assert throughput_ratio(runs, "ants", "ras") == 1.5
    assert throughput_ratio(runs, "ants", "default") is None


def test_each_start_is_drawn_at_the_cpu_of_its_hosts() -> None:
    drawn = [LiveRun(20.0, 0.0, 0.0, 50.0, 0, 0.0), LiveRun(10.0, 0.0, 0.0, 25.0, 0, 0.0)]
    runs = {"ras": drawn, "ants": []}
    (panel,) = panels({"T-R3": runs}, ("ras", "ants", "hybrid"))
    assert panel.lines == {"ras": ([25.0, 50.0], [10.0, 20.0])}


def test_the_papers_figures_are_beside_ours_and_what_was_not_measured_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(width=400, record=True, file=io.StringIO())
    monkeypatch.setattr(live_tables, "CONSOLE", console)
    monkeypatch.setattr("eyewall_papers.experiments.report.CONSOLE", console)
    write(tmp_path, "t-r1", [*starts("default", 10.0), *starts("ras", 20.0), *starts("ants", 30.0)])
    write(tmp_path, "t-m1", [*starts("default", 10.0), *starts("ras", 40.0), *starts("ants", 20.0)])
    run(argparse.Namespace(folder=tmp_path, plots=tmp_path / "plots"))
    assert (tmp_path / "plots" / "reproduction-002-live.svg").is_file()
    rows = [
        [it.strip() for it in line.strip("| ").split("|")]
        for line in console.export_text().splitlines()
    ]
    # hill-climbing, ants, hybrid, RAS and ours, by the default's.
    assert ["T-R1", "1.79 / –", "1.70 / 3.00", "1.68 / –", "1.81 / 2.00", "– / –"] in rows
    # The mean is of random topologies alone, in both columns of those that were measured.
    mean = ["mean of the random ones", "1.79 / –", "1.70 / 3.00", "1.68 / –", "1.81 / 2.00"]
    assert [*mean, "– / –"] in rows
    assert ["T-R1", "0.98 / –", "1.08 / 1.50", "1.14 / –", "– / –"] in rows
    assert ["T-R1", "1", "20", "20", "–", "20", "–", "–"] in rows  # the median, in ms
    assert ["T-R1", "1", "0.0645", "0.0645", "–", "0.0645", "–", "–"] in rows  # the least
    assert ["T-R1", "1", "10", "20", "–", "30", "–", "–"] in rows  # tuples/s
    (missing,) = (it[0] for it in rows if it[0].startswith("not measured"))
    assert "T-M2" in missing
    assert "T-R1" not in missing


def test_a_folder_without_results_is_named_and_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no results; `eyewall-deploy trial"):
        run(argparse.Namespace(folder=tmp_path, plots=None))
