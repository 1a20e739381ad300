"""S-ODP: twelve executors of Tag-and-Count on eight nodes (paper 000, section 7.1 and 7.2).

Source, five operators of two executors and a consumer; two slots of four executors on each node;
delays drawn once from 12 to 32 ms for each ordered pair; half of the nodes 99 % available. The
paper, with CPLEX on a machine of 2016: "in less than 420 ms".

Prints a table (on a busy machine look at the CPU time) and asserts nothing:
    python benchmarks/sodp.py [--seeds 8] [--time-limit 30]
"""

import argparse
from itertools import pairwise
from random import Random
from statistics import median
from time import process_time

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import POLICIES
from rich.console import Console
from rich.table import Table

OBJECTIVES = ("R=1", "A=1", "T=1", "N=1", "EE=1", "R=0.5,A=0.2,N=0.3")
PAPER_MILLISECONDS = 420


def tag_and_count(seed: int) -> PlacementProblem:
    draw = Random(seed)
    nodes = [f"n{number}" for number in range(8)]
    unsure = set(draw.sample(nodes, 4))
    source, consumer = draw.sample(nodes, 2)
    layers = [["source"], *([f"op{k}#1", f"op{k}#2"] for k in range(1, 6)), ["consumer"]]
    pinned = {"source": (source,), "consumer": (consumer,)}
    streams = []
    for senders, receivers in pairwise(layers):
        rate = 10.0 * draw.uniform(0.8, 1.2) / len(senders) / len(receivers)
        streams += [Stream(i, j, rate) for i in senders for j in receivers]
    return PlacementProblem(
        operators=tuple(
            Operator(name, execution_time=0.001, candidates=pinned.get(name))
            for layer in layers
            for name in layer
        ),
        streams=tuple(streams),
        nodes=tuple(Node(u, operators=8, availability=0.99 if u in unsure else 1) for u in nodes),
        links={(u, v): Link(draw.uniform(0.012, 0.032)) for u in nodes for v in nodes if u != v},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--time-limit", type=float, default=30.0)
    options = parser.parse_args()
    table = Table(title="S-ODP, 12 executors × 8 nodes × room for 8: milliseconds to the answer")
    for column in ("objective", "optimal", "median", "max", "median CPU", "max CPU", "paper"):
        table.add_column(column, justify="left" if column == "objective" else "right")
    for text in OBJECTIVES:
        objective = Objective.parse(text)
        solutions: list[Solution] = []
        cpu: list[float] = []
        for seed in range(options.seeds):
            problem = tag_and_count(seed)
            began = process_time()
            solutions.append(
                POLICIES["odp"](problem, objective, time_limit=options.time_limit, seed=0)
            )
            cpu.append(process_time() - began)
        wall = [solution.seconds for solution in solutions]
        table.add_row(
            text,
            f"{sum(it.status == 'optimal' for it in solutions)}/{len(solutions)}",
            *(f"{value * 1e3:.0f}" for value in (median(wall), max(wall), median(cpu), max(cpu))),
            f"< {PAPER_MILLISECONDS}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
