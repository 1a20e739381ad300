"""MOPA and SBON on operator trees: placed, valued by measured delays, and made to adapt."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from eyewall_sidecar.heuristic.room import NOWHERE
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.links import Matrix
from numpy.random import Generator

from eyewall_papers.cost_space.adaptation import (
    Adaptation,
    Situation,
    adapt,
    all_operators,
    where_rates_changed,
)
from eyewall_papers.cost_space.cost_space import DIMENSIONS, ROUNDS, mean_error
from eyewall_papers.cost_space.equilibrium import Turns
from eyewall_papers.cost_space.nearest_node import Sites
from eyewall_papers.cost_space.vivaldi import embed
from eyewall_papers.experiments.paper_001.tree_optimum import least_usage
from eyewall_papers.instances.operator_trees import Size, Tree, random_tree


@dataclass(frozen=True, slots=True, eq=False)
class Network:
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
    def drawn(cls, delays: Matrix, nodes: int, rng: Generator) -> "Network":
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
class Outcome:
    """What a method came to with each tree of one size.

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
class Question:
    """One tree on one network, before and after its sources change their rates."""

    tree: Tree
    pins: Places
    before: Floats
    after: Floats

    @classmethod
    def drawn(cls, rng: Generator, nodes: int, count: int, size: Size) -> "Question":
        tree = random_tree(rng, count, size)
        pins = np.full(tree.operators, NOWHERE)
        pins[tree.pinned] = rng.choice(nodes, int(tree.pinned.sum()), replace=False)
        return cls(tree, pins, tree.rates(rng), tree.rates(rng))

    def usage(self, places: Places, delays: Matrix) -> float:
        ends = places[self.tree.senders], places[self.tree.parents]
        return float(self.before @ delays[ends])


def measure(
    network: Network, questions: list[Question], methods: Mapping[str, Turns]
) -> dict[str, Outcome]:
    """Place each tree by each method, change its rates and let it adapt."""
    optima = [least_usage(it.tree.parents, it.before, it.pins, network.delays) for it in questions]
    outcomes = {}
    for method, turns in methods.items():
        started = perf_counter()
        stretch, adaptations = [], []
        for question, optimum in zip(questions, optima, strict=True):
            sites = network.sites(question.pins)
            before = question.tree.graph(question.before)
            after = question.tree.graph(question.after)
            start = Situation.at_first(before, sites, question.pins)
            placed = adapt(turns, before, sites, start, all_operators(before)).situation
            stretch.append(question.usage(placed.places, network.delays) / optimum)
            triggered = where_rates_changed(before, after)
            adaptations.append(adapt(turns, after, sites, placed, triggered))
        outcomes[method] = Outcome(np.array(stretch), tuple(adaptations), perf_counter() - started)
    return outcomes
