"""The dashboard over a recorded cluster: its answers, its pages and its cost.

The real dashboard, sidecar (without solvers), Redis and ZooKeeper run as processes. A recording of
1,000 supervisors and 10,000 executors is played to them: rounds of Nimbus, reports, coordinates and
rates as often as agents and the rates job write them.

`api`: duration and size of answers to one client, or to eight without a pause between requests.
`cost`: CPU and memory. `pages`: weight, first paint and long tasks in Chromium, at 6 hosts too.
`history`: a ZooKeeper with old decisions (`--old-records`): how long pruning takes, whether rounds
wait for it, and what a page of the history costs.

    python -m benchmarks dashboard [api cost pages history] [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.dashboard import api, browser, cost, history
from benchmarks.dashboard.recording import LARGE, SMALL, ClusterSize
from benchmarks.dashboard.rig import Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = ("api", "cost", "pages", "history")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    # The default is one of the choices: argparse checks an empty list against them, too.
    parser.add_argument("parts", nargs="*", choices=("all", *PARTS), default="all")
    parser.add_argument("--requests", type=int, default=1_000, help="for each row of `api`")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--paths", nargs="+", default=None, help="of `api`; default: all")
    parser.add_argument("--seconds", type=float, default=30.0, help="for each row of `cost`")
    parser.add_argument("--runs", type=int, default=5, help="of each page")
    parser.add_argument("--stay", type=float, default=15.0, help="seconds on a page, once each")
    parser.add_argument("--old-records", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=LARGE.hosts)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    options = parser.parse_args()
    if options.quick:
        options.requests, options.runs, options.seconds, options.stay = 100, 1, 10.0, 5.0
        options.old_records //= 10
    parts = PARTS if "all" in options.parts else options.parts
    figures: dict[str, Any] = {}
    large = ClusterSize(options.hosts, 10 * options.hosts, max(1, options.hosts // 25))
    if {"api", "cost", "pages"} & set(parts):
        with start_rig(large) as rig:
            if "cost" in parts:
                figures["cost"] = _print_costs(rig, options.seconds)
            if "api" in parts:
                figures["api"] = _print_answers(rig, options)
            if "pages" in parts:
                figures["pages"] = _print_visits(rig, options)
    if "pages" in parts:
        with start_rig(SMALL) as rig:
            figures["pages"] += _print_visits(rig, options)
    if "history" in parts:
        figures["history"] = history.measure(options.old_records)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


@contextmanager
def start_rig(size: ClusterSize) -> Iterator[Rig]:
    print(f"starting a cluster of {size}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder, Rig(size, Path(folder)) as rig:
        yield rig


def _print_costs(rig: Rig, seconds: float) -> list[dict[str, Any]]:
    print(f"\n### Cost: {rig.size}\n\n{cost.HEADER}")
    rows = []
    for it in cost.measure_costs(rig, seconds):
        print(it.row, flush=True)
        rows.append(asdict(it))
    return rows


def _print_answers(rig: Rig, options: argparse.Namespace) -> list[dict[str, Any]]:
    print(f"\n### Answers: {rig.size}, {options.requests} requests a row\n\n{api.HEADER}")
    rows = []
    for it in api.measure_answers(
        rig, options.paths or list(api.paths(rig)), options.clients, options.requests
    ):
        print(it.row, flush=True)
        rows.append(asdict(it))
    return rows


def _print_visits(rig: Rig, options: argparse.Namespace) -> list[dict[str, Any]]:
    print(f"\n### Pages: {rig.size}, medians of {options.runs}\n\n{browser.HEADER}")
    rig.players.send("changing")
    page_visits = []
    for name in browser.PAGES:
        its = list(browser.visit_pages(rig.url, rig.topology, [name], options.runs, options.stay))
        page_visits += [{"hosts": rig.size.hosts, **asdict(it)} for it in its]
        for warm in (False, True):
            print(browser.row([it for it in its if it.warm is warm]), flush=True)
    rig.players.send("steady")
    return page_visits


if __name__ == "__main__":
    main()
