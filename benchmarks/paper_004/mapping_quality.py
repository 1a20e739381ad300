"""Figure 7 of paper 004: how good the heuristics' mappings are, and how many messages they take.

Barabási–Albert networks of dedicated links, tasks of ten components (see `networks`). Each policy's
cost is held against the lower bound of section 4.2 and against the central optimum where that is
proven. Networks on which the integer program proves that no mapping exists are drawn anew and
counted. A policy that finds no mapping counts in `found`, and not in the ratios. At last, the
exact algorithm on networks that it can afford.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from time import monotonic

from eyewall_sidecar.bimodal.bound import cost_bound
from eyewall_sidecar.bimodal.central import Optimum, optimal_mapping
from eyewall_sidecar.bimodal.distributed import negotiate
from eyewall_sidecar.bimodal.mapping import Resources
from eyewall_sidecar.bimodal.mapping_cost import mapping_cost
from eyewall_sidecar.bimodal.metric import DELAY
from eyewall_sidecar.bimodal.network import TwoKindNetwork
from eyewall_sidecar.bimodal.pruning import (
    AnnealedLeastCostMap,
    Exact,
    LeastCostMap,
    Pruning,
    RandomNeighbor,
)
from eyewall_sidecar.bimodal.task import Task
from eyewall_sidecar.odp.finding import Outcome
from eyewall_sidecar.search.stopping import After
from numpy.random import default_rng
from progress import progress_bar
from rich.console import Console

from paper_004.mapping_figures import Case, Trial, draw, exact_table, quality_table
from paper_004.networks import COMPONENTS, barabasi_network, demanding_task

SIZES = (30, 60, 90, 120)
SMALL_SIZES = (3, 4, 5, 6, 7)
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
    """Run the experiment, and write tables, a plot and, if asked, all trials."""
    small = min(options.networks, options.small_networks)
    trials: list[Trial] = []
    exact_trials: list[Trial] = []
    cases: list[Case] = []
    with progress_bar() as bar:
        shown = bar.add_task("networks", total=len(SIZES) * options.networks)
        for nodes, number in product(SIZES, range(options.networks)):
            asked = drawn((options.seed, nodes, number), nodes, COMPONENTS, options)
            cases.append(asked.case)
            for name, policy in policies(options.cooling).items():
                trials.append(trial(asked, number, name, policy, options.seed))
            bar.advance(shown)
        shown = bar.add_task("small networks", total=len(SMALL_SIZES) * small)
        for nodes, number in product(SMALL_SIZES, range(small)):
            asked = drawn((options.seed, nodes, number), nodes, SMALL_COMPONENTS, options)
            for name, policy in (("exact", Exact()), ("LeastCostMap", LeastCostMap())):
                exact_trials.append(trial(asked, number, name, policy, options.seed))
            bar.advance(shown)
    console = Console(width=160)
    console.print(quality_table(trials, cases))
    console.print(exact_table(exact_trials))
    draw(trials, options.plot)
    if options.json:
        kept = [asdict(it) for it in (*trials, *exact_trials)]
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--networks", type=int, default=100, help="of each size")
    parser.add_argument("--small-networks", type=int, default=10, help="of each small size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-null", type=int, default=2, help="nodes that may forward a stream")
    parser.add_argument("--cooling", type=float, default=0.6, help="of AnnealedLeastCostMap")
    parser.add_argument("--time-limit", type=float, default=30.0, help="s, for each optimum")
    parser.add_argument("--json", type=Path, help="file for all trials")
    parser.add_argument(
        "--plot", type=Path, default=Path("docs/reproduction-004-mapping.svg"), help="SVG file"
    )
