"""Figure 7 of paper 004: how good the heuristics' mappings are, and how many messages they take.

Barabási–Albert networks of dedicated links, tasks of ten components (see `networks`). Each policy's
cost is held against the lower bound of section 4.2 and against the central optimum where that is
proven. Networks on which the integer program proves that no mapping exists are drawn anew and
counted. A policy that finds no mapping counts in `found`, and not in the ratios. At last, the
exact algorithm on networks that it can afford.
"""

import argparse
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import monotonic

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.heuristic.stopping import After
from numpy.random import default_rng
from rich.console import Console

from eyewall_papers.bimodal.bound import cost_bound
from eyewall_papers.bimodal.central import Optimum, optimal_mapping
from eyewall_papers.bimodal.distributed import negotiate
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.mapping_cost import mapping_cost
from eyewall_papers.bimodal.metric import DELAY
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.pruning import (
    AnnealedLeastCostMap,
    Exact,
    LeastCostMap,
    Pruning,
    RandomNeighbor,
)
from eyewall_papers.bimodal.task import Task
from eyewall_papers.experiments.paper_004.kept_results import Kept, Result
from eyewall_papers.experiments.paper_004.mapping_figures import (
    Case,
    Trial,
    draw,
    exact_table,
    quality_table,
)
from eyewall_papers.experiments.paper_004.networks import (
    COMPONENTS,
    barabasi_network,
    demanding_task,
)
from eyewall_papers.experiments.paper_004.options import at_least
from eyewall_papers.experiments.progress import progress_bar

SIZES = (30, 60, 90, 120)
SMALL_SIZES = (3, 4, 5, 6)
SMALL_COMPONENTS = 4
MOST_MESSAGES = 200_000
"""Of one mapping; more is given up, and counted."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A network with a task that may have a mapping, and what is known of it."""

    network: TwoKindNetwork
    task: Task
    case: Case


def policies(cooling: float) -> dict[str, Pruning]:
    """Return what figure 7 compares."""
    return {
        "LeastCostMap": LeastCostMap(),
        "AnnealedLeastCostMap": AnnealedLeastCostMap(cooling),
        "RandomNeighbor": RandomNeighbor(1),
    }


def drawn(seed: tuple[int, ...], nodes: int, components: int, options: argparse.Namespace) -> Drawn:
    """Draw networks until one is not proven to have no mapping."""
    rng = default_rng(seed)
    impossible = 0
    while True:
        network = barabasi_network(nodes, rng)
        task = demanding_task(network, components, rng, max_null=options.max_null)
        free = Resources.of(network)
        found: Optimum = optimal_mapping(
            network,
            free,
            task,
            DELAY,
            ends_at=monotonic() + options.time_limit,
            clock=monotonic,
            seed=0,
        )
        if found.outcome is Outcome.INFEASIBLE:
            impossible += 1
            continue
        optimum = None
        if found.outcome is Outcome.OPTIMAL and found.mapping is not None:
            optimum = mapping_cost(network, task, found.mapping, DELAY)
        bound = cost_bound(network, free, task, DELAY)
        return Drawn(network, task, Case(nodes, impossible, bound, optimum))


def trial(asked: Drawn, number: int, name: str, policy: Pruning, seed: int) -> Trial:
    """Let a policy map the task."""
    agreed = negotiate(
        asked.network,
        Resources.of(asked.network),
        asked.task,
        policy,
        DELAY,
        seed=seed,
        stop=After(MOST_MESSAGES, MOST_MESSAGES),
    )
    feasible = agreed.outcome.feasible if agreed.outcome else ()
    cost = feasible[0].cost if feasible else None
    bound, optimum = asked.case.bound, asked.case.optimum
    return Trial(
        asked.case.nodes,
        number,
        name,
        agreed.traffic.maps,
        agreed.outcome is not None,
        None if cost is None or not bound else cost / bound,
        None if cost is None or not optimum else cost / optimum,
    )


def run(options: argparse.Namespace) -> None:
    """Run the experiment, and write tables and a plot."""
    small = min(options.networks, options.small_networks)
    asked = [
        *((nodes, number, COMPONENTS) for number, nodes in product(range(options.networks), SIZES)),
        *(
            (nodes, number, SMALL_COMPONENTS)
            for number, nodes in product(range(small), SMALL_SIZES)
        ),
    ]
    known = Kept(options.json, vars(options))
    results: dict[tuple[int, int, int], Result] = {}
    with progress_bar() as bar:
        for key in bar.track(asked, description="networks"):
            results[key] = known.get(key) or known.add(key, _tried(*key, options))
    in_order = [results[key] for key in sorted(results)]
    large = [it for it in in_order if it.case.nodes in SIZES]
    exact = [it for it in in_order if it.case.nodes in SMALL_SIZES]
    trials = [trial for result in large for trial in result.trials]
    console = Console(width=160)
    console.print(quality_table(trials, [it.case for it in large]))
    console.print(exact_table([trial for result in exact for trial in result.trials]))
    draw(trials, options.plot)


def _tried(nodes: int, number: int, components: int, options: argparse.Namespace) -> Result:
    asked = drawn((options.seed, nodes, number), nodes, components, options)
    tried = policies(options.cooling)
    if components == SMALL_COMPONENTS:
        tried = {"exact": Exact(), "LeastCostMap": LeastCostMap()}
    return Result(
        asked.case,
        tuple(trial(asked, number, name, it, options.seed) for name, it in tried.items()),
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--networks", type=at_least(1), default=100, help="of each size")
    parser.add_argument("--small-networks", type=at_least(0), default=10, help="of each small size")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument(
        "--max-null", type=at_least(0), default=2, help="nodes that may forward a stream"
    )
    parser.add_argument("--cooling", type=float, default=0.6, help="of AnnealedLeastCostMap")
    parser.add_argument("--time-limit", type=float, default=30.0, help="s, for each optimum")
    parser.add_argument(
        "--json", type=Path, help="keeps results as lines of JSON; the next run goes on there"
    )
    parser.add_argument(
        "--plot", type=Path, default=Path("docs/reproduction-004-mapping.svg"), help="SVG file"
    )
