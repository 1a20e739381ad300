"""The same agents as processes and in simulation: both must find the same mappings.

The paper's nodes were processes on UDP ports; here they are processes on TCP ports of the loopback
device, one for each node. The simulation delivers each node's messages in the order in which its
process got them; the exact algorithm must agree in any order, so it is compared first in, first
out.
"""

import argparse
from itertools import product
from time import monotonic

from numpy.random import default_rng

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.metric import METRICS
from eyewall_papers.bimodal.negotiation import (
    FirstInFirstOut,
    MessageQueue,
    RecordedOrder,
    negotiate,
)
from eyewall_papers.bimodal.processes import MOST_HOSTS, converse
from eyewall_papers.bimodal.pruning import PRUNINGS
from eyewall_papers.experiments.paper_004.networks import barabasi_network, demanding_task
from eyewall_papers.experiments.report import Row, at_least, progress_bar, show

RUNS = (("exact", 4, 3), ("least_cost", MOST_HOSTS, 6), ("annealed", MOST_HOSTS, 6))
"""(policy, nodes, components)."""
METRIC = "delay"
COLUMNS = ("policy", "nodes", "network", "maps found", "map messages", "seconds", "the same")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--networks", type=at_least(1), default=5, help="for each policy")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument("--time-limit", type=float, default=60.0, help="s, for each mapping")


def run(options: argparse.Namespace) -> None:
    runs = list(product(RUNS, range(options.networks)))
    with progress_bar() as bar:
        tracked = bar.track(runs, description="mappings")
        rows = [_row(*asked, number, options) for asked, number in tracked]
    show(COLUMNS, rows)


def _row(policy: str, nodes: int, components: int, number: int, options: argparse.Namespace) -> Row:
    rng = default_rng((options.seed, nodes, number))
    network = barabasi_network(nodes, rng)
    task = demanding_task(network, components, rng, max_null=2)
    free = Resources.of(network)
    started = monotonic()
    talk = converse(
        network,
        free,
        task,
        pruning=policy,
        metric=METRIC,
        seed=options.seed,
        time_limit=options.time_limit,
    )
    seconds = f"{monotonic() - started:.1f}"
    if talk.settled is None:
        return policy, str(nodes), str(number), "–", "–", seconds, "timed out"
    heard = {node: record.heard for node, record in talk.records.items()}

    def queue() -> MessageQueue:
        return FirstInFirstOut() if policy == "exact" else RecordedOrder(heard)

    simulated = negotiate(
        network, free, task, PRUNINGS[policy], METRICS[METRIC], seed=options.seed, queue=queue
    )
    same = (
        simulated.outcome is not None
        and talk.settled.feasible == simulated.outcome.feasible
        and talk.settled.accepted == simulated.outcome.accepted
    )
    found = str(len(talk.settled.feasible))
    maps = f"{sum(record.maps for record in talk.records.values()):,}"
    agreed = "yes" if same else "no"
    return policy, str(nodes), str(number), found, maps, seconds, agreed
