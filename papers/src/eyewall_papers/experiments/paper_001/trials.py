"""MOPA and SBON on operator trees: placed, valued by measured delays, and made to adapt."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import kernel
from eyewall_sidecar.model.links import Matrix
from numpy.random import Generator

from eyewall_papers.cost_space.adaptation import (
    Adaptation,
    Situation,
    adapt,
    all_operators,
    operators_with_new_rates,
)
from eyewall_papers.cost_space.coordinates import DIMENSIONS, ROUNDS, embed, mean_error
from eyewall_papers.cost_space.equilibrium import Turns
from eyewall_papers.cost_space.nearest_node import Sites
from eyewall_papers.instances.operator_trees import Tree, TreeSize, random_tree


@dataclass(frozen=True, slots=True, eq=False)
class TreeNetwork:
    """Nodes.

    Parameters
    ----------
    delays
        [node, node]: measured, seconds one way.
    coordinates
        [node, dimension]: embedded from them.
    """

    delays: Matrix
    coordinates: Floats

    @classmethod
    def drawn(cls, delays: Matrix, nodes: int, rng: Generator) -> "TreeNetwork":
        chosen = rng.choice(len(delays), nodes, replace=False)
        some = np.ascontiguousarray(delays[np.ix_(chosen, chosen)])
        return cls(some, embed(some, dimensions=DIMENSIONS, rounds=ROUNDS, rng=rng))

    @property
    def error(self) -> float:
        """Mean error of the distances, in seconds of round-trip time."""
        return 2 * mean_error(self.coordinates, self.delays)

    def sites(self, pins: Places) -> Sites:
        """Return nodes without limits; operators have their pins, or all nodes to choose from."""
        allowed = (pins[:, None] == NOWHERE) | (pins[:, None] == np.arange(len(self.delays)))
        none, endless = np.zeros((1, len(pins))), np.full((1, len(self.delays)), np.inf)
        return Sites(self.coordinates, none, endless, allowed)


@dataclass(frozen=True, slots=True, eq=False)
class MethodResult:
    """How a method does with each tree of one size.

    Parameters
    ----------
    stretch
        [tree]: network usage by that of the optimum.
    adaptations
        After the rates had changed.
    seconds
        For placing and adapting all trees.
    """

    stretch: Floats
    adaptations: tuple[Adaptation, ...]
    seconds: float

    @property
    def milliseconds(self) -> float:
        """Of one tree."""
        return self.seconds / len(self.stretch) * 1e3

    @property
    def messages(self) -> Floats:
        return np.array([it.messages for it in self.adaptations], dtype=np.float64)

    @property
    def lazy(self) -> Floats:
        return np.array([it.migrations for it in self.adaptations], dtype=np.float64)

    @property
    def eager(self) -> Floats:
        return np.array([it.eager_migrations for it in self.adaptations], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedTree:
    """One tree on one network, before and after its sources change their rates."""

    tree: Tree
    pins: Places
    before: Floats
    after: Floats

    @classmethod
    def drawn(cls, rng: Generator, nodes: int, count: int, size: TreeSize) -> "PlacedTree":
        tree = random_tree(rng, count, size)
        pins = np.full(tree.operators, NOWHERE)
        pins[tree.pinned] = rng.choice(nodes, int(tree.pinned.sum()), replace=False)
        return cls(tree, pins, tree.rates(rng), tree.rates(rng))

    def usage(self, places: Places, delays: Matrix) -> float:
        ends = places[self.tree.senders], places[self.tree.parents]
        return float(self.before @ delays[ends])


def measure(
    network: TreeNetwork, trees: list[PlacedTree], methods: Mapping[str, Turns]
) -> dict[str, MethodResult]:
    """Place each tree by each method, change its rates and let it adapt."""
    optima = [least_usage(it.tree.parents, it.before, it.pins, network.delays) for it in trees]
    results = {}
    for method, turns in methods.items():
        started = perf_counter()
        stretch, adaptations = [], []
        for it, optimum in zip(trees, optima, strict=True):
            sites = network.sites(it.pins)
            before = it.tree.graph(it.before)
            after = it.tree.graph(it.after)
            start = Situation.at_first(before, sites, it.pins)
            placed = adapt(turns, before, sites, start, all_operators(before)).situation
            stretch.append(it.usage(placed.places, network.delays) / optimum)
            triggered = operators_with_new_rates(before, after)
            adaptations.append(adapt(turns, after, sites, placed, triggered))
        seconds = perf_counter() - started
        results[method] = MethodResult(np.array(stretch), tuple(adaptations), seconds)
    return results


@kernel
def least_usage(parents: Places, rates: Floats, pins: Places, delays: Matrix) -> float:
    """Return Σ λ · d of the best placement on nodes without limits (MOPopt, section VIII).

    The paper searches exhaustively. Without capacities, what is below an operator depends on the
    rest by that operator's node alone: the best of each subtree for each node of its root, from
    the leaves on.

    Parameters
    ----------
    parents
        [stream]: to which operator operators 1, 2, … send, one of a smaller number.
    rates
        [stream].
    pins
        [operator]: the place of its node, or −1; the root, operator 0, must have one.
    delays
        [node, node]: seconds from the first to the second.
    """
    nodes = len(delays)
    below = np.zeros((len(pins), nodes))
    for operator in range(len(pins) - 1, 0, -1):
        parent, rate = parents[operator - 1], rates[operator - 1]
        first, last = 0, nodes
        if pins[operator] >= 0:
            first, last = pins[operator], pins[operator] + 1
        onto, onto_last = 0, nodes
        if pins[parent] >= 0:
            onto, onto_last = pins[parent], pins[parent] + 1
        for to in range(onto, onto_last):
            least = np.inf
            for at in range(first, last):
                least = min(least, below[operator, at] + rate * delays[at, to])
            below[parent, to] += least
    return float(below[0, pins[0]])
