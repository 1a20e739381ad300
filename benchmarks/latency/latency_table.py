"""Errors of coordinates against true round-trip times: the shipped algorithm and the paper's.

    python -m benchmarks latency --data DIR [--slices 12] [--only seattle]

DIR holds latency/: the PlanetLab matrices (milliseconds) and Seattle's slices of time (seconds,
with holes). The errors are those of pairs that neither end ever probed, from coordinates alone,
with default settings and seed; one echo is one probe. Over Seattle's slices a fifth of the pairs is
held out, since every pair would be probed at some time.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_latency.algorithms import EstimatorSettings, Space
from eyewall_latency.matrix import RttMatrix, read_matrix
from eyewall_latency.pace import Pace
from eyewall_latency.phantom import SimulationPlan, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_latency.accuracy import Accuracy

PROBES = (30, 100)
ALGORITHMS = ("springs", "paper")
HELD_OUT = 0.2


def planetlab(data: Path) -> Iterator[tuple[str, RttMatrix]]:
    for slice_ in ("t1", "t6"):
        yield f"PlanetLab {slice_}", read_matrix(data / f"planetlab_490_{slice_}.tsv.gz")


def seattle(data: Path, number: int) -> RttMatrix:
    return read_matrix(data / "seattle_99" / f"t{number}.tsv.gz", unit="s", skip_holes=True)


def row(name: str, algorithm: str, probes: int, share: float, results: Sequence[Accuracy]) -> str:
    def mean(values: Sequence[float | None]) -> str:
        known = [value for value in values if value is not None]
        return f"{sum(known) / len(known):.3f}" if known else "–"

    unprobed = [result.unprobed for result in results]
    return (
        f"| {name} | {algorithm} | {probes} | {share:.0%} "
        f"| {mean([it.median_relative_error for it in unprobed])} "
        f"| {mean([it.p90_relative_error for it in unprobed])} "
        f"| {mean([it.median_absolute_error_ms for it in unprobed])} "
        f"| {mean([it.all.median_relative_error for it in results])} |"
    )


def rows(data: Path, only: str, slices: int) -> Iterator[str]:
    single = list(planetlab(data)) if only in ("", "planetlab") else []
    if only in ("", "seattle"):
        single.append(("Seattle t1", seattle(data, 1)))
    for probes in PROBES:
        for name, matrix in single:
            for algorithm in ALGORITHMS:
                (found,) = run([matrix], algorithm, SimulationPlan(probes))
                yield row(name, algorithm, probes, found.share_of_pairs_probed, [found])
    if only in ("", "seattle"):
        over_time = [seattle(data, number) for number in range(1, slices + 1)]
        for probes in PROBES:
            for algorithm in ALGORITHMS:
                found_each = run(over_time, algorithm, SimulationPlan(probes, held_out=HELD_OUT))
                share = found_each[-1].share_of_pairs_probed
                for number, found in enumerate(found_each, 1):
                    yield row(f"Seattle, at t{number}", algorithm, probes, share, [found])
                yield row(f"Seattle, mean of t1–t{slices}", algorithm, probes, share, found_each)


def run(slices: Sequence[RttMatrix], algorithm: str, plan: SimulationPlan) -> list[Accuracy]:
    return simulate(slices, plan, EstimatorSettings(space=Space(algorithm=algorithm)), Pace())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="holds latency/")
    parser.add_argument("--slices", type=int, default=12, help="of Seattle, from t1 on")
    parser.add_argument("--only", choices=("", "planetlab", "seattle"), default="")
    options = parser.parse_args()
    print("| matrix | algorithm | probes a host | pairs probed | median | p90 | ms | all pairs |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for line in rows(options.data / "latency", options.only, options.slices):
        print(line, flush=True)


if __name__ == "__main__":
    main()
