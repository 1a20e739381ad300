"""What to buy for topologies as Storm runs them: layers of executors that send to all of the next.

Six layers, shuffled from each to the next: executors² / 7.2 streams. Machines are those of the
made-up cloud, once with small tuples (CPU decides) and once with large ones (cards do).

    python benchmarks/provisioning_dense.py [--executors 60,120,300,600] [--limit 10]
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from time import perf_counter

from eyewall_sidecar.model import Operator, Stream
from numpy.random import Generator, default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from eyewall_papers.experiments.progress import progress_bar
from eyewall_papers.provisioning import ProvisioningProblem
from eyewall_papers.provisioning.catalogue import read_shipped
from eyewall_papers.provisioning.methods import METHODS

LAYERS = 6
SIZES = {"small": 100.0, "large": 5e8}
"""Bytes of a tuple, for all tasks of a layer together: one of n gets an n-th."""
HEURISTIC = "comm-greedy"
"""The paper's that looks at every stream."""
METHODS_SHOWN = (HEURISTIC, "repairing", "exact")


def main() -> None:
    options = _options()
    counts = [int(it) for it in options.executors.split(",")]
    table = Table(title=f"time limit {options.limit:g} s", box=MARKDOWN)
    for column in ("executors", "streams", "tuples"):
        table.add_column(column, justify="right")
    for method in METHODS_SHOWN:
        table.add_column(f"{method}: s", justify="right")
        table.add_column("price", justify="right")
    table.add_column("bound", justify="right")
    with progress_bar() as progress:
        task = progress.add_task("", total=len(counts) * len(SIZES) * len(METHODS_SHOWN))
        for executors in counts:
            for tuples, size in SIZES.items():
                drawn = layered(executors // LAYERS, size, default_rng(1))
                row = [f"{len(drawn.operators)}", f"{len(drawn.streams):,}", tuples]
                bound = 0.0
                for method in METHODS_SHOWN:
                    progress.update(task, description=f"{method}, {executors} executors")
                    began = perf_counter()
                    found = METHODS[method](
                        drawn, time_limit=options.limit, seed=0, clock=perf_counter
                    )
                    price = "–" if found.provision is None else f"{found.provision.price:,.0f}"
                    row += [f"{perf_counter() - began:.1f}", price]
                    bound = max(bound, found.solution.bound or 0.0)
                    progress.advance(task)
                table.add_row(*row, f"{bound:,.0f}")
    Console(width=160).print(table)


def layered(width: int, size: float, rng: Generator) -> ProvisioningProblem:
    """Draw layers of so many executors; `size` is as in SIZES, in bytes."""
    layers = [[f"c{at}[{task}]" for task in range(width)] for at in range(LAYERS)]
    operators = tuple(
        Operator(name, cpu=rng.uniform(0.1, 0.8)) for layer in layers for name in layer
    )
    return ProvisioningProblem(
        operators, tuple(_shuffled(layers, size / width, rng)), read_shipped("made-up-cloud").types
    )


def _shuffled(layers: list[list[str]], size: float, rng: Generator) -> Iterator[Stream]:
    for senders, receivers in pairwise(layers):
        for one in senders:
            for other in receivers:
                yield Stream(one, other, rate=rng.uniform(0.01, 1.0), tuple_bytes=size)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--executors", default="60,120,300,600", help="of all layers together")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for each answer")
    return parser.parse_args()


if __name__ == "__main__":
    main()
