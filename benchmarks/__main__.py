"""Runs one benchmark.

python -m benchmarks NAME [its own options; --help shows them]
"""

import os
import runpy
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What a benchmark measures, and its module."""

    module: str
    measures: str


BENCHMARKS = {
    "odp": Benchmark("exact.odp", "time to a proven optimum, next to PuLP's solvers"),
    "real-graphs": Benchmark("exact.real_graphs", "the same on 63 real graphs"),
    "ablation": Benchmark("exact.ablation", "what each bound and cut of the exact engines buys"),
    "integer-programs": Benchmark("exact.integer_programs", "how long the programs take"),
    "engines-agree": Benchmark("exact.agreement", "every exact engine against brute force"),
    "heuristics": Benchmark("heuristic.heuristics", "policies after 50 ms, 200 ms, 1 s"),
    "policy-pictures": Benchmark("heuristic.policy_pictures", "pictures and tables of policies"),
    "large": Benchmark("large.large", "a whole cluster in one round"),
    "latency": Benchmark("latency.latency_table", "estimated against true delays"),
    "latency-cost": Benchmark("latency.agent_cost", "memory and CPU of a latency agent"),
    "delays": Benchmark("latency.delay_reading", "cost of reading delays in the sidecar"),
    "delays-mesh": Benchmark("latency.delay_cost", "the same for a full mesh, to its links"),
    "codecs": Benchmark("contracts.codecs", "reading and writing records"),
    "rates": Benchmark("rates.throughput", "rows per second of the rates job"),
    "rates-step": Benchmark("rates.step_response", "time until a step in a rate is estimated"),
    "metrics-cost": Benchmark("monitor.metrics_cost", "what Storm's reporter costs a worker"),
    "metrics-cost-in-place": Benchmark("monitor.metrics_cost_in_place", "the same, switched"),
    "operator-cli": Benchmark("operator_cli.cost", "status and explanations: cost to the sidecar"),
    "dashboard": Benchmark("dashboard.dashboard", "pages for 1,000 supervisors: latency, cost"),
    "screenshots": Benchmark("dashboard.screenshots", "pictures of the dashboard's pages"),
    "loop": Benchmark("loop.loop", "simulated and on a cluster: moves, errors, a dead part"),
    "component-start": Benchmark("loop.component_start", "an interpreter, or a fork of one"),
    "move-gap": Benchmark("loop.move_gap", "how long a topology stops when it moves"),
    "what-you-get": Benchmark("loop.what_you_get", "the README's picture, of measured results"),
    "round-time": Benchmark("loop.round_time", "duration of Nimbus's scheduling rounds"),
}
ONE_THREAD = {"ablation", "odp", "real-graphs", "integer-programs", "heuristics", "large"}
"""Libraries that compute in several threads would blur the times of solvers."""


def main() -> None:
    """Run the benchmark that the first argument names; exit with code 2 if it is unknown."""
    name, *options = sys.argv[1:] or ["--help"]
    if name not in BENCHMARKS:
        wanted = name in {"-h", "--help"}
        out = sys.stdout if wanted else sys.stderr
        if not wanted:
            print(f"benchmark {name}: unknown; the benchmarks are:\n", file=out)
        for known, benchmark in sorted(BENCHMARKS.items()):
            print(f"  {known:22} {benchmark.measures}", file=out)
        sys.exit(0 if wanted else 2)
    if name in ONE_THREAD:
        for library in ("OMP", "OPENBLAS", "NUMBA"):
            os.environ[f"{library}_NUM_THREADS"] = "1"
    sys.argv = [f"python -m benchmarks {name}", *options]
    runpy.run_module(f"benchmarks.{BENCHMARKS[name].module}", run_name="__main__")


if __name__ == "__main__":
    main()
