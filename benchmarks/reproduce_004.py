"""Paper 004's experiments on networks with dedicated and public links.

    python benchmarks/reproduce_004.py quality [--networks 100] [--seed 1] [--json FILE]
    python benchmarks/reproduce_004.py processes [--networks 5] [--seed 1]

Each prints tables and draws a plot; none asserts anything.
"""

import argparse

from paper_004 import mapping_processes, mapping_quality


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
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
