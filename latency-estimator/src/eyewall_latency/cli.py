"""The command line: `eyewall-latency agent` and `eyewall-latency simulate`."""

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_contracts.config_file import ConfigError

from eyewall_latency.algorithms import ALGORITHMS
from eyewall_latency.config import LatencyConfig, read_config

if TYPE_CHECKING:
    from eyewall_latency.accuracy import Accuracy

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; exit code 2 for bad input, 1 if it cannot do its work here."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        config = read_config(asked.config)
        if asked.command == "agent":
            return _agent(config)
        return _simulate(config, asked)
    except ConfigError as error:
        return _complain(asked.command, str(error), BAD_INPUT)


def _agent(config: LatencyConfig) -> int:
    # Only here: a simulation needs no Redis.
    from eyewall_latency.serve import CannotStartError, serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        serve(config, lambda line: print(line, flush=True))
    except CannotStartError as error:
        return _complain("agent", str(error), 1)
    return 0


def _simulate(config: LatencyConfig, asked: argparse.Namespace) -> int:
    # Only here: an agent needs no simulator.
    from eyewall_latency.matrix import MatrixError, read_matrix
    from eyewall_latency.phantom import SimulationPlan, simulate

    if asked.algorithm:
        config = replace(config, space=replace(config.space, algorithm=asked.algorithm))
    plan = SimulationPlan(asked.probes_per_host, asked.seed, asked.slice_seconds, asked.hold_out)
    try:
        slices = [
            read_matrix(path, unit=asked.unit, skip_holes=asked.holes == "skip")
            for path in asked.matrix
        ]
    except MatrixError as error:
        return _complain("simulate", str(error), BAD_INPUT)
    for path, matrix in zip(asked.matrix, slices, strict=True):
        if len(matrix) != len(slices[0]):
            reason = f"{path}: {len(matrix)} hosts, but {asked.matrix[0]} has {len(slices[0])}"
            return _complain("simulate", reason, BAD_INPUT)
        if matrix.holes:
            print(f"{path}: {matrix.holes} holes left out", file=sys.stderr)
    results = simulate(slices, plan, config, config.pace)
    if asked.json:
        print(json.dumps(_as_json(results)))
    else:
        for path, result in zip(asked.matrix, results, strict=True):
            print(_as_text(path, result))
    return 0


def _as_json(results: Sequence["Accuracy"]) -> dict[str, object]:
    """Return the last slice's figures; of several, each one's too."""
    last = asdict(results[-1])
    if len(results) > 1:
        last["slices"] = [asdict(result) for result in results]
    return last


def _as_text(path: Path, it: "Accuracy") -> str:
    def percent(value: float | None) -> str:
        return "–" if value is None else f"{value:.1%}"

    return (
        f"{path.name}: {it.probes_per_host} probes a host, {it.share_of_pairs_probed:.0%} of pairs "
        f"probed; never probed: relative error {percent(it.unprobed.median_relative_error)} in the "
        f"median, {percent(it.unprobed.p90_relative_error)} at p90; all pairs: "
        f"{percent(it.all.median_relative_error)}, {percent(it.all.p90_relative_error)}"
    )


def _complain(command: str, complaint: str, code: int) -> int:
    print(f"eyewall-latency {command}: {complaint}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eyewall-latency", description="Delays between the hosts of a Storm cluster."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    agent = commands.add_parser("agent", help="measure and estimate, on each supervisor host")
    simulate = commands.add_parser(
        "simulate", help="run the agents' own code on a matrix of round-trip times"
    )
    for command in (agent, simulate):
        command.add_argument(
            "--config", type=Path, help="TOML file (examples/latency.toml); none: the defaults"
        )
    simulate.add_argument(
        "matrix", type=Path, nargs="+",
        help="tab-separated round-trip times, plain or gzip; several are slices of time",
    )  # fmt: skip
    simulate.add_argument("--probes-per-host", type=_positive, default=30, metavar="N")
    simulate.add_argument("--seed", type=int, default=0, metavar="K")
    simulate.add_argument("--json", action="store_true", help="print JSON")
    simulate.add_argument("--algorithm", choices=tuple(ALGORITHMS), help="of the coordinates")
    simulate.add_argument("--unit", choices=("ms", "s"), default="ms", help="of the matrix")
    simulate.add_argument(
        "--holes", choices=("refuse", "skip"), default="refuse",
        help="cells that are empty, 0 or negative: an error, or pairs to leave out",
    )  # fmt: skip
    simulate.add_argument(
        "--slice-seconds", type=_seconds, default=900.0, help="from slice to slice of time"
    )
    simulate.add_argument(
        "--hold-out", type=_share, default=0.0, metavar="SHARE", help="of pairs that nobody probes"
    )
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text}: 1 to 1000000 is allowed")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 <= value < 1.0:
        raise argparse.ArgumentTypeError(f"{text}: 0 to less than 1 is allowed")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1e7:
        raise argparse.ArgumentTypeError(f"{text}: 0 to 10000000 is allowed")
    return value


if __name__ == "__main__":
    sys.exit(main())
