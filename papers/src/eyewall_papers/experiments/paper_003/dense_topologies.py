"""What to buy for topologies as Storm runs them: layers of executors that send to all of the next.

Six layers, shuffled from each to the next: executors² / 7.2 streams. Machines are those of the
made-up cloud, once with small tuples (CPU decides) and once with large ones (cards do).
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise, product
from time import perf_counter

from eyewall_sidecar.model import Operator, Stream
from numpy.random import Generator, default_rng

from eyewall_papers.experiments.report import Row, progress_bar, show
from eyewall_papers.provisioning import ProvisioningProblem
from eyewall_papers.provisioning.catalogue import read_shipped
from eyewall_papers.provisioning.methods import METHODS

LAYERS = 6
SIZES = {"small": 100.0, "large": 5e8}
"""Bytes of a tuple, for all tasks of a layer together: one of n gets an n-th."""
HEURISTIC = "comm-greedy"
"""The paper's that looks at every stream."""
METHODS_SHOWN = (HEURISTIC, "repairing", "exact")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--executors", default="60,120,300,600", help="of all layers together")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for each answer")


def run(options: argparse.Namespace) -> None:
    cases = list(product(map(int, options.executors.split(",")), SIZES))
    columns = [column for it in METHODS_SHOWN for column in (f"{it}: s", "price")]
    with progress_bar() as progress:
        tracked = progress.track(cases, description="topologies")
        rows = [_row(executors, tuples, options.limit) for executors, tuples in tracked]
    title = f"time limit {options.limit:g} s"
    show(("executors", "streams", "tuples", *columns, "bound"), rows, title, left=0)


def _row(executors: int, tuples: str, limit: float) -> Row:
    drawn = layered(executors // LAYERS, SIZES[tuples], default_rng(1))
    row = [f"{len(drawn.operators)}", f"{len(drawn.streams):,}", tuples]
    bound = 0.0
    for method in METHODS_SHOWN:
        began = perf_counter()
        found = METHODS[method](drawn, time_limit=limit, seed=0, clock=perf_counter)
        price = "–" if found.provision is None else f"{found.provision.price:,.0f}"
        row += [f"{perf_counter() - began:.1f}", price]
        bound = max(bound, found.solution.bound or 0.0)
    return *row, f"{bound:,.0f}"


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
