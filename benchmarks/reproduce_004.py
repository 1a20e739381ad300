"""Paper 004's experiments on networks with dedicated and public links.

    python benchmarks/reproduce_004.py quality [--networks 100] [--seed 1] [--json FILE]
    python benchmarks/reproduce_004.py reallocation [--networks 100] [--budget MINUTES]
    python benchmarks/reproduce_004.py comparison [--networks 100] [--budget MINUTES]
    python benchmarks/reproduce_004.py process [--networks 3]
    python benchmarks/reproduce_004.py live [--turns 6] [--seconds 60]

Each prints tables and draws a plot; none asserts anything.
"""

import argparse

from paper_004 import comparison, live, mapping_quality, process_agreement, reallocation


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    quality = commands.add_parser("quality", help="figure 7: mapping heuristics and their messages")
    mapping_quality.add_options(quality)
    quality.set_defaults(run=mapping_quality.run)
    shifting = commands.add_parser("reallocation", help="figure 8: with and without re-allocation")
    reallocation.add_options(shifting)
    shifting.set_defaults(run=reallocation.run)
    kinds = commands.add_parser("comparison", help="figure 9: both kinds of links, and each alone")
    comparison.add_options(kinds)
    kinds.set_defaults(run=comparison.run)
    process = commands.add_parser("process", help="the 10 ms process against means over windows")
    process_agreement.add_options(process)
    process.set_defaults(run=process_agreement.run)
    running = commands.add_parser("live", help="two topologies on the emulated cluster two-kinds")
    live.add_options(running)
    running.set_defaults(run=live.run)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
