"""Paper 004's experiments on networks with dedicated and public links.

    python benchmarks/reproduce_004.py quality [--networks 100] [--seed 1] [--json FILE]

Each prints tables and draws a plot; none asserts anything.
"""

import argparse

from paper_004 import mapping_quality


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    quality = commands.add_parser("quality", help="figure 7: mapping heuristics and their messages")
    mapping_quality.add_options(quality)
    quality.set_defaults(run=mapping_quality.run)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
