"""The loop, simulated and on a running cluster.

`simulation`: random clusters and topologies around the sidecar's real decisions, without a cluster:
moves, time without output and cases below RAS (`benchmarks/loop/simulation.py`). The others measure
on a cluster: measured values against true ones, and the cost of a dead part.
`rates`: Tag-and-Count on three-sites at several source rates; each stream's estimate is compared
with the topology's own event files. `faults`: each part of the loop is killed while the loop runs,
and started again. `delays`: measured against true delays of all pairs of ecker11. Each starts a
cluster with `eyewall-deploy` and stops it; about 6, 18 and 2 minutes. Tables go to standard output.

    python -m benchmarks loop [simulation rates faults delays] [--cases 2000] [--seconds 1800]
        [--kinds constant …] [--objective L=1] [--without price] [--round-robin] [--jobs 2]
        [--rates 5 20 60] [--parts NAME …] [--dead 10] [--folder DIR] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.loop.accuracy import measure_delays, measure_rates, rates_table
from benchmarks.loop.cluster import print_progress
from benchmarks.loop.faults import PARTS, fault_tables, measure_faults
from benchmarks.loop.simulated_cases import KINDS
from benchmarks.loop.simulated_loop import (
    DAMPERS,
    EYEWALL,
    OBJECTIVE,
    ROUND_ROBIN,
    without_damper,
)
from benchmarks.loop.simulation import case_figures, log_nothing, simulate_all, summary_table

SHOWN = ("simulation", "rates", "faults", "delays")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shown", nargs="*", choices=SHOWN, help="default: all")
    parser.add_argument("--cases", type=int, default=2000, help="simulated, of each kind")
    parser.add_argument("--seconds", type=float, default=1800.0, help="of a simulated case")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--objective", default=OBJECTIVE, help="of the simulated sidecar")
    parser.add_argument("--without", choices=DAMPERS, help="what the simulated sidecar lacks")
    parser.add_argument("--round-robin", action="store_true", help="simulate it, not the sidecar")
    parser.add_argument("--jobs", type=int, default=2, help="processes that simulate")
    parser.add_argument("--rates", type=float, nargs="+", default=[5.0, 20.0, 60.0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--dead", type=float, default=10.0, help="seconds that a part is dead")
    parser.add_argument("--folder", type=Path, help="keep logs and event files here (a new folder)")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    given = parser.parse_args()
    kept: dict[str, Any] = {}
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for shown in given.shown or SHOWN:
            print_progress(shown)
            own = folder / shown
            own.mkdir(parents=True)
            table, kept[shown] = show(shown, own, given)
            print(f"### {shown}\n\n{table}\n", flush=True)
            if given.json:  # after each part: a later one may fail
                given.json.write_text(json.dumps(kept, indent=1))


def show(shown: str, folder: Path, given: argparse.Namespace) -> tuple[str, Any]:
    """Return the table, and its figures."""
    if shown == "simulation":
        log_nothing()
        contender = replace(EYEWALL, name=f"eyewall {given.objective}", objective=given.objective)
        if given.round_robin:
            contender = ROUND_ROBIN
        elif given.without:
            contender = without_damper(contender, given.without)
        outcomes = [
            outcome
            for kind in given.kinds
            for outcome in simulate_all(
                range(given.cases), kind, contender, given.seconds, given.jobs
            )
        ]
        return summary_table(outcomes, contender.name), [case_figures(it) for it in outcomes]
    if shown == "rates":
        readings = measure_rates(folder, given.rates)
        return rates_table(readings), [asdict(it) for it in readings]
    if shown == "faults":
        found = measure_faults(folder, given.parts, given.dead)
        return fault_tables(found), [asdict(it) for it in found]
    return measure_delays(folder, "ecker11")


if __name__ == "__main__":
    main()
