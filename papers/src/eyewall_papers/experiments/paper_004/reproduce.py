"""Paper 004's experiments on networks with dedicated and public links.

    python benchmarks/reproduce_004.py quality [--networks 100] [--seed 1] [--json FILE]
    python benchmarks/reproduce_004.py processes [--networks 5] [--seed 1]
    python benchmarks/reproduce_004.py reallocation [--networks 100] [--budget MINUTES]
    python benchmarks/reproduce_004.py comparison [--networks 100] [--budget MINUTES]
    python benchmarks/reproduce_004.py variability [--networks 3] [--tasks 500]
    python benchmarks/reproduce_004.py live [--turns 6] [--seconds 60]

Each prints tables, and most draw a plot; none asserts anything.
"""

import argparse

from eyewall_papers.experiments.paper_004 import (
    comparison,
    live,
    mapping_processes,
    mapping_quality,
    reallocation,
    variability_agreement,
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    quality = commands.add_parser("quality", help="figure 7: mapping heuristics and their messages")
    mapping_quality.add_options(quality)
    quality.set_defaults(run=mapping_quality.run)
    processes = commands.add_parser("processes", help="agents as processes and in simulation")
    mapping_processes.add_options(processes)
    processes.set_defaults(run=mapping_processes.run)
    shifting = commands.add_parser("reallocation", help="figure 8: with and without re-allocation")
    reallocation.add_options(shifting)
    shifting.set_defaults(run=reallocation.run)
    kinds = commands.add_parser("comparison", help="figure 9: both kinds of links, and each alone")
    comparison.add_options(kinds)
    kinds.set_defaults(run=comparison.run)
    drawn = commands.add_parser("variability", help="10 ms steps against means over windows")
    variability_agreement.add_options(drawn)
    drawn.set_defaults(run=variability_agreement.run)
    running = commands.add_parser("live", help="two topologies on the emulated cluster two-kinds")
    live.add_options(running)
    running.set_defaults(run=live.run)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
