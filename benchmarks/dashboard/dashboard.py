"""The dashboard over a recorded cluster: how soon it answers, what pages weigh, what it takes.

The real dashboard, sidecar (but for its solvers), Redis and ZooKeeper, as processes; a recording of
1,000 supervisors and 10,000 executors is played to them: rounds of Nimbus, reports, coordinates and
rates as often as agents and the rates job write them.

`api`: how long answers take, one client or eight that ask without a pause, and how large they are.
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

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))

from benchmarks.dashboard import api, browser, cost, history
from benchmarks.dashboard.rig import Rig
from benchmarks.dashboard.sizes import LARGE, SMALL, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = ("api", "cost", "pages", "history")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    # One of its choices, for argparse holds an empty list against them, too.
    parser.add_argument("shown", nargs="*", choices=("all", *SHOWN), default="all")
    parser.add_argument("--requests", type=int, default=1_000, help="for each line of `api`")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--paths", nargs="+", default=None, help="of `api`; all, unless given")
    parser.add_argument("--seconds", type=float, default=30.0, help="for each line of `cost`")
    parser.add_argument("--runs", type=int, default=5, help="of each page")
    parser.add_argument("--stay", type=float, default=15.0, help="seconds on a page, once each")
    parser.add_argument("--old-records", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=LARGE.hosts)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    given = parser.parse_args()
    if given.quick:
        given.requests, given.runs, given.seconds, given.stay = 100, 1, 10.0, 5.0
        given.old_records //= 10
    shown = SHOWN if "all" in given.shown else given.shown
    kept: dict[str, Any] = {}
    large = Size(given.hosts, 10 * given.hosts, max(1, given.hosts // 25))
    if {"api", "cost", "pages"} & set(shown):
        with _rig(large) as rig:
            if "cost" in shown:
                kept["cost"] = _costs(rig, given.seconds)
            if "api" in shown:
                kept["api"] = _answers(rig, given)
            if "pages" in shown:
                kept["pages"] = _visits(rig, given)
    if "pages" in shown:
        with _rig(SMALL) as rig:
            kept["pages"] += _visits(rig, given)
    if "history" in shown:
        kept["history"] = history.shown(given.old_records)
    if given.json:
        given.json.write_text(json.dumps(kept, indent=1))


@contextmanager
def _rig(size: Size) -> Iterator[Rig]:
    _say(f"bringing up {size}")
    with tempfile.TemporaryDirectory() as folder, Rig(size, Path(folder)) as rig:
        yield rig


def _costs(rig: Rig, seconds: float) -> list[dict[str, Any]]:
    print(f"\n### What it takes: {rig.size}\n\n{cost.HEADER}")
    found = []
    for it in cost.costs(rig, seconds):
        print(it.row, flush=True)
        found.append(asdict(it))
    return found


def _answers(rig: Rig, given: argparse.Namespace) -> list[dict[str, Any]]:
    print(f"\n### Answers: {rig.size}, {given.requests} requests a line\n\n{api.HEADER}")
    found = []
    for it in api.answers(rig, given.paths or list(api.paths(rig)), given.clients, given.requests):
        print(it.row, flush=True)
        found.append(asdict(it))
    return found


def _visits(rig: Rig, given: argparse.Namespace) -> list[dict[str, Any]]:
    print(f"\n### Pages: {rig.size}, medians of {given.runs}\n\n{browser.HEADER}")
    rig.players.tell("changing")
    visited = []
    for name in browser.PAGES:
        its = list(browser.visits(rig.url, rig.topology, [name], given.runs, given.stay))
        visited += [{"hosts": rig.size.hosts, **asdict(it)} for it in its]
        for warm in (False, True):
            print(browser.row([it for it in its if it.warm is warm]), flush=True)
    rig.players.tell("steady")
    return visited


def _say(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
