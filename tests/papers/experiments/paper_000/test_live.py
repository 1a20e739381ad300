"""Results of trials next to figures 4 to 7 of paper 000."""

import argparse
import io
import json
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy import cluster_file
from eyewall_deploy.measure.load_samples import bucket_of
from eyewall_papers.experiments.paper_000 import live
from eyewall_papers.experiments.paper_000.live import executors_on, lost_percent, run
from eyewall_papers.experiments.paper_000.live_placements import (
    mean_latency,
    mean_metrics,
    network_metrics,
    placed_spans,
    read_placement,
)
from rich.console import Console

ODP8 = cluster_file.load("odp8")
ONE_NODE = ["node-1: __acker, source, tokenise ×2, tag ×2, filter ×2, count ×2, rank ×2, consumer"]
TWO_NODES = [
    "node-1: __acker, source, tokenise ×2, tag ×2, filter ×2, count ×2, rank",
    "node-2: consumer, rank",
]


def second(at: int, p50: float | None = 0.05) -> dict[str, Any]:
    latency = {} if p50 is None else {str(bucket_of(int(p50 * 1e6))): 10}
    return {"at": at, "p50": p50, "latency": latency}


def recorded(scheduler: str, **changes: Any) -> dict[str, Any]:
    """Return what a trial wrote of a run of ten seconds that began on one node."""
    return {
        "scheduler": scheduler,
        "placement": ONE_NODE,
        "first_placement": ONE_NODE,
        "moves": [],
        "seconds": [second(at) for at in range(10)],
        "seen": {"tuples": 100, "lost": 3, "twice": 0},
        "figures": {
            "due_per_second": 10.0,
            "acked_per_second": 9.5,
            "p50": 0.05,
            "p99": 0.2,
            "silent_seconds": 1.0,
            "moves": 0.0,
            "restarted_workers": 0.0,
        },
    } | changes


def test_a_component_is_where_its_executors_are() -> None:
    placed = read_placement(["a: source, tag ×3", "b: tag"])
    assert placed == {"source": {"a": 1.0}, "tag": {"a": 0.75, "b": 0.25}}


def test_what_stays_on_a_node_costs_the_network_nothing() -> None:
    found = network_metrics(ONE_NODE, ODP8)
    assert (found.elastic_energy, found.network_usage, found.traffic) == (0.0, 0.0, 0.0)


def test_each_tuple_that_crosses_counts_with_its_delay() -> None:
    # 10 tuples/s; node-1 and node-2 are 26.76 ms apart. Count on node-1 sends all to the rank
    # beside it, which sends 10 tuples/s to the consumer on node-2; the consumer's acks go back to
    # the acker on node-1, 10/s. So 20 cross: 0.5352 under way, and 20 · 0.02676² = 0.01432.
    found = network_metrics(TWO_NODES, ODP8)
    assert found.traffic == pytest.approx(20.0)
    assert found.network_usage == pytest.approx(0.5352)
    assert found.elastic_energy == pytest.approx(0.014322, rel=1e-3)


def test_what_is_grouped_by_fields_goes_to_all_executors_alike() -> None:
    # Half of what the filter sends goes to count on node-2, and from there to the rank beside it,
    # which sends it back to the consumer: 5 and 5 tuples/s cross. Without an acker nothing else.
    split = [
        "node-1: source, tokenise ×2, tag ×2, filter ×2, count, rank, consumer",
        "node-2: count, rank",
    ]
    assert network_metrics(split, ODP8).traffic == pytest.approx(10.0)


def test_a_placement_holds_until_the_next_move() -> None:
    # One node for 4 s, then two for 6: from second 2 on, 2 s without and 6 with 20 tuples/s between
    # nodes, 15 in the mean; from second 5 on 20.
    moves = [{"at": 4.0, "placement": TWO_NODES}]
    spans = placed_spans(recorded("pietzuch", moves=moves), ODP8)
    assert [(it.begin, it.end) for it in spans] == [(0.0, 4.0), (4.0, 10.0)]
    assert mean_metrics(spans, 2.0).traffic == pytest.approx(15.0)
    assert mean_metrics(spans, 5.0).traffic == pytest.approx(20.0)


def test_what_moved_while_the_topology_warmed_up_ran_from_the_start() -> None:
    moves = [{"at": -8.0, "placement": TWO_NODES}]
    spans = placed_spans(recorded("pietzuch", moves=moves), ODP8)
    assert [(it.begin, it.end, round(it.metrics.traffic)) for it in spans] == [(0.0, 10.0, 20)]


def test_latency_is_the_mean_of_all_that_was_acked_from_a_second_on() -> None:
    seconds = [second(0, 1.0), second(1, None), second(2, 0.1), second(3, 0.3)]
    slow = recorded("xu", seconds=seconds)
    assert mean_latency(slow, 1.0) == pytest.approx(0.2, rel=0.02)
    assert mean_latency(recorded("xu", seconds=[second(0, None)])) is None


def test_executors_on_unsure_nodes_are_counted_without_ackers() -> None:
    assert executors_on(TWO_NODES, ["node-1"]) == 10
    assert executors_on(TWO_NODES, ["node-2", "node-4"]) == 2


def test_what_never_came_is_lost_and_unknown_where_nothing_was_counted() -> None:
    assert lost_percent(recorded("ras")) == 3.0
    assert lost_percent(recorded("ras", seen=None)) is None


def write(folder: Path, trial: str, runs: list[dict[str, Any]]) -> None:
    file = folder / trial / "results.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"cluster": "odp8", "seconds": 10.0, "runs": runs}))


def test_both_sections_are_shown_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    console = Console(file=shown, width=400)
    monkeypatch.setattr(live, "CONSOLE", console)
    monkeypatch.setattr("eyewall_papers.experiments.report.CONSOLE", console)
    write(tmp_path, "r-against-a", [recorded("s-odp-r"), recorded("s-odp-r"), recorded("ras")])
    moved = [{"at": 2.0, "placement": TWO_NODES}]
    write(tmp_path, "heuristics", [recorded("pietzuch", moves=moved), recorded("s-odp-ee")])
    run(argparse.Namespace(folder=tmp_path, plots=tmp_path / "plots"))
    lines = shown.getvalue().splitlines()
    cells = {line.split("|")[1].strip(): line for line in lines if line.count("|") > 3}
    assert [it.strip() for it in cells["s-odp-r"].split("|")[2:-1]] == [
        *("2", "50", "49.9", "3", "5", "1", "0", "0")
    ]
    assert "1.43e+04" in cells["pietzuch"]  # EE from second 5 on, in ms² · tuples/s
    assert "pietzuch by s-odp-ee, paper: T 1.84" in shown.getvalue()
    assert (tmp_path / "plots" / "reproduction-000-live.svg").is_file()


def test_a_picture_needs_a_heuristic_beside_its_optimum(tmp_path: Path) -> None:
    write(tmp_path, "heuristics", [recorded("pietzuch"), recorded("s-odp-n")])
    with pytest.raises(SystemExit, match="no heuristic was measured beside its optimum"):
        run(argparse.Namespace(folder=tmp_path, plots=tmp_path / "plots"))


def test_a_folder_without_results_says_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"trial heuristics\.toml --output"):
        run(argparse.Namespace(folder=tmp_path, plots=None))
