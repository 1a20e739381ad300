"""Figure 7 of paper 004: quality and messages of the mapping heuristics.

Barabási–Albert networks of dedicated links, tasks of ten components (see `networks`). Each policy's
cost is compared with the lower bound of section 4.2 and with the central optimum where that is
proven. A network for which the integer program proves that no mapping exists is replaced and
counted. A policy that finds no mapping counts in `found`, not in the ratios. The last table has the
exact algorithm on networks that it can afford.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, product
from pathlib import Path
from time import monotonic

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.heuristic.stopping_criteria import After
from numpy.random import default_rng

from eyewall_papers.bimodal.bound import cost_bound
from eyewall_papers.bimodal.central import optimal_mapping
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.metric import DELAY
from eyewall_papers.bimodal.negotiation import negotiate
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.pruning import (
    AnnealedLeastCostMap,
    Exact,
    LeastCostMap,
    Pruning,
    RandomNeighbor,
)
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.valuation import mapping_cost
from eyewall_papers.experiments.paper_004.networks import (
    COMPONENTS,
    barabasi_network,
    demanding_task,
)
from eyewall_papers.experiments.report import (
    Line,
    Panel,
    Row,
    add_plots,
    at_least,
    draw,
    interval,
    mean_text,
    progress_bar,
    show,
)

SIZES = (30, 60, 90, 120)
SMALL_SIZES = (3, 4, 5, 6)
SMALL_COMPONENTS = 4
MOST_MESSAGES = 200_000
"""Of one mapping; the computation is given up after them, and counted."""
OPTIMAL = 1 + 1e-6
"""The greatest cost by the optimum that counts as optimal."""
DECIDES = ("seed", "max_null", "cooling", "time_limit")
"""The options that results depend on: a file may hold those of several settings."""
QUALITY = ("nodes", "policy", "found", "cost / bound", "cost / optimum", "optimal", "map messages")
EXACT = ("nodes", "policy", "ended", "cost / optimum", "map messages", "greatest")
Key = tuple[int, int, int]
"""Nodes, number of the network among those of that size, components of its task."""


@dataclass(frozen=True, slots=True)
class MappingTrial:
    """One policy on one network.

    Parameters
    ----------
    nodes, network, policy
        `network` counts those of a size.
    maps
        Map messages.
    ended
        Whether the computation ended within MOST_MESSAGES.
    to_bound, to_optimum
        Its cost by the lower bound, and by the proven optimum; None if either is unknown.
    """

    nodes: int
    network: int
    policy: str
    maps: int
    ended: bool
    to_bound: float | None
    to_optimum: float | None


@dataclass(frozen=True, slots=True)
class MappingCase:
    """The results for a network and its task.

    Parameters
    ----------
    nodes
        How many.
    impossible
        How many networks were drawn before that proved to have no mapping.
    bound
        Of section 4.2.
    optimum
        Cost of the best mapping; None if it is not proven.
    """

    nodes: int
    impossible: int
    bound: float
    optimum: float | None


@dataclass(frozen=True, slots=True)
class MappingResult:
    """A network's case, with every policy's trial."""

    case: MappingCase
    trials: tuple[MappingTrial, ...]


class ResultFile:
    """Results by key, kept as lines of JSON; without a file, those of this run alone."""

    def __init__(self, path: Path | None, options: Mapping[str, object]) -> None:
        self._path = path
        self._settings = [options[name] for name in DECIDES]
        self._results: dict[Key, MappingResult] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                found = json.loads(line)
                if found["settings"] == self._settings:
                    nodes, number, components = found["key"]
                    self._results[nodes, number, components] = MappingResult(
                        MappingCase(**found["case"]),
                        tuple(MappingTrial(**it) for it in found["trials"]),
                    )

    def get(self, key: Key, compute: Callable[[], MappingResult]) -> MappingResult:
        """Return the result if it is known, or compute and keep it."""
        if key not in self._results:
            result = self._results[key] = compute()
            if self._path is not None:
                parts = {"settings": self._settings, "key": key, **asdict(result)}
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(parts) + "\n")
        return self._results[key]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--networks", type=at_least(1), default=100, help="of each size")
    parser.add_argument("--small-networks", type=at_least(0), default=10, help="of each small size")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument(
        "--max-null", type=at_least(0), default=2, help="nodes that may forward a stream"
    )
    parser.add_argument("--cooling", type=float, default=0.6, help="of AnnealedLeastCostMap")
    parser.add_argument("--time-limit", type=float, default=30.0, help="s, for each optimum")
    parser.add_argument("--json", type=Path, help="keeps results; the next run continues there")
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    small = min(options.networks, options.small_networks)
    keys = [
        *((nodes, number, COMPONENTS) for number, nodes in product(range(options.networks), SIZES)),
        *(
            (nodes, number, SMALL_COMPONENTS)
            for number, nodes in product(range(small), SMALL_SIZES)
        ),
    ]
    known = ResultFile(options.json, vars(options))
    results: dict[Key, MappingResult] = {}
    with progress_bar() as bar:
        for key in bar.track(keys, description="networks"):

            def compute(key: Key = key) -> MappingResult:
                return _solve(*key, options)

            results[key] = known.get(key, compute)
    in_order = [results[key] for key in sorted(results)]
    large = [it for it in in_order if it.case.nodes in SIZES]
    exact = [it for it in in_order if it.case.nodes in SMALL_SIZES]
    trials = [trial for result in large for trial in result.trials]
    cases = [it.case for it in large]
    show(QUALITY, [*_quality_rows(trials), *_optimum_rows(cases)], left=2)
    show(EXACT, _exact_rows([trial for result in exact for trial in result.trials]), left=2)
    if options.plots:
        draw(_panels(trials), 2, options.plots / "reproduction-004-mapping.svg", one_legend=True)


def _solve(nodes: int, number: int, components: int, options: argparse.Namespace) -> MappingResult:
    network, task, case = _draw_case((options.seed, nodes, number), nodes, components, options)
    policies: dict[str, Pruning] = {
        "LeastCostMap": LeastCostMap(),
        "AnnealedLeastCostMap": AnnealedLeastCostMap(options.cooling),
        "RandomNeighbor": RandomNeighbor(1),
    }
    if components == SMALL_COMPONENTS:
        policies = {"exact": Exact(), "LeastCostMap": LeastCostMap()}
    trials = []
    for name, policy in policies.items():
        agreed = negotiate(
            network,
            Resources.of(network),
            task,
            policy,
            DELAY,
            seed=options.seed,
            stop=After(MOST_MESSAGES, MOST_MESSAGES),
        )
        feasible = agreed.outcome.feasible if agreed.outcome else ()
        cost = feasible[0].cost if feasible else None
        to_bound = None if cost is None or not case.bound else cost / case.bound
        to_optimum = None if cost is None or not case.optimum else cost / case.optimum
        ended, maps = agreed.outcome is not None, agreed.traffic.maps
        trials.append(MappingTrial(nodes, number, name, maps, ended, to_bound, to_optimum))
    return MappingResult(case, tuple(trials))


def _draw_case(
    seed: tuple[int, ...], nodes: int, components: int, options: argparse.Namespace
) -> tuple[TwoKindNetwork, Task, MappingCase]:
    """Draw networks until one is not proven to have no mapping."""
    rng = default_rng(seed)
    impossible = 0
    while True:
        network = barabasi_network(nodes, rng)
        task = demanding_task(network, components, rng, max_null=options.max_null)
        free = Resources.of(network)
        found = optimal_mapping(
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
        return network, task, MappingCase(nodes, impossible, bound, optimum)


def _groups(trials: Sequence[MappingTrial]) -> Iterator[tuple[int, str, list[MappingTrial]]]:
    """Yield (nodes, policy, their trials) in the order of sizes."""
    for nodes, policy in dict.fromkeys((it.nodes, it.policy) for it in trials):
        yield nodes, policy, [it for it in trials if (it.nodes, it.policy) == (nodes, policy)]


def _to_optimum(trials: Sequence[MappingTrial]) -> list[float]:
    return [it.to_optimum for it in trials if it.to_optimum is not None]


def _quality_rows(trials: Sequence[MappingTrial]) -> Iterator[Row]:
    for nodes, policy, group in _groups(trials):
        to_bound = [it.to_bound for it in group if it.to_bound is not None]
        to_optimum = _to_optimum(group)
        yield (
            str(nodes),
            policy,
            f"{len(to_bound)} of {len(group)}",
            mean_text(to_bound, "{:.3f}"),
            mean_text(to_optimum, "{:.3f}"),
            f"{sum(it < OPTIMAL for it in to_optimum)} of {len(to_optimum)}",
            mean_text([it.maps for it in group], "{:,.0f}"),
        )


def _optimum_rows(cases: Sequence[MappingCase]) -> Iterator[Row]:
    for nodes, same in groupby(cases, key=lambda it: it.nodes):
        group = list(same)
        ratios = [it.optimum / it.bound for it in group if it.optimum and it.bound]
        proven = f"{sum(it.optimum is not None for it in group)} of {len(group)} proven"
        replaced = f"{sum(it.impossible for it in group)} networks replaced"
        yield str(nodes), "optimum", proven, mean_text(ratios, "{:.3f}"), "", replaced, ""


def _exact_rows(trials: Sequence[MappingTrial]) -> Iterator[Row]:
    """Yield how the exact algorithm's messages grow."""
    for nodes, policy, group in _groups(trials):
        yield (
            str(nodes),
            policy,
            f"{sum(it.ended for it in group)} of {len(group)}",
            mean_text(_to_optimum(group), "{:.3f}"),
            mean_text([it.maps for it in group], "{:,.0f}"),
            f"{max(it.maps for it in group):,}",
        )


def _panels(trials: Sequence[MappingTrial]) -> list[Panel]:
    """Return both halves of figure 7: cost by the optimum, and messages."""
    quality: dict[str, Line] = {}
    overhead: dict[str, Line] = {}
    for policy in dict.fromkeys(it.policy for it in trials):
        groups = [(nodes, group) for nodes, name, group in _groups(trials) if name == policy]
        costs = [(nodes, _to_optimum(group)) for nodes, group in groups]
        messages = [(nodes, [float(it.maps) for it in group]) for nodes, group in groups]
        for lines, figures in ((quality, costs), (overhead, messages)):
            shown = [(nodes, *interval(values)) for nodes, values in figures if values]
            if shown:
                lines[policy] = tuple(zip(*shown, strict=True))
    return [
        Panel("nodes", "cost by the proven optimum", quality),
        Panel("nodes", "map messages for a task", overhead, scales=("linear", "log")),
    ]
