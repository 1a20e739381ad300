"""Operator trees between pinned sources and a pinned sink, as paper 001, section VIII.A, has them.

"Every operator has two or three children"; sources send 100 to 200 kbps; the selectivity of an
operator, output by input, is between 0 and 1. All are uniform.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from numpy.random import Generator
from numpy.typing import NDArray

from eyewall_papers.cost_space.operator_graph import OperatorGraph

SINK = 0


class TreeSize(StrEnum):
    """The readings of the paper's "operator graphs of 6 nodes"."""

    FREE = "free"
    """So many operators to place, sources and the sink not counted."""
    ALL = "all"
    """So many with sources and sink, which is the root: 6 leave one to place, 12 leave 3 or 4."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Operator 0 is the sink; every stream leads from an operator to one of a smaller number.

    Parameters
    ----------
    parents
        [stream]: to whom operators 1, 2, … send.
    selectivities
        [operator]: output by input; of no meaning for sources and sink.
    """

    parents: Places
    selectivities: Floats

    @property
    def operators(self) -> int:
        """The number of operators."""
        return len(self.selectivities)

    @property
    def senders(self) -> Places:
        """[stream]: operators 1, 2, …"""
        return np.arange(1, self.operators)

    @property
    def pinned(self) -> NDArray[np.bool_]:
        """[operator]: sources and sink."""
        pinned = ~np.isin(np.arange(self.operators), self.parents)
        pinned[SINK] = True
        return pinned

    def rates(self, rng: Generator) -> Floats:
        """Draw what sources send; return [stream]: kbps."""
        source = ~np.isin(np.arange(self.operators), self.parents)
        arriving = np.zeros(self.operators)
        output = rng.uniform(100, 200, self.operators)
        for operator in self.senders[::-1].tolist():
            if not source[operator]:
                output[operator] = self.selectivities[operator] * arriving[operator]
            arriving[self.parents[operator - 1]] += output[operator]
        return output[1:]

    def graph(self, rates: Floats) -> OperatorGraph:
        """Return it as the algorithms in a cost space see it."""
        return OperatorGraph.between(self.senders, self.parents, rates, self.pinned)


def random_tree(rng: Generator, count: int, size: TreeSize) -> Tree:
    """Draw a tree: one that has no children yet, picked at random, gets two or three in turn."""
    parents = [SINK] if size is TreeSize.FREE else []
    childless = [len(parents)]
    for children in _children(rng, count, size):
        parent = childless.pop(int(rng.integers(len(childless))))
        first = len(parents) + 1
        childless += range(first, first + children)
        parents += [parent] * children
    return Tree(np.array(parents, dtype=np.int64), rng.random(len(parents) + 1))


def _children(rng: Generator, count: int, size: TreeSize) -> list[int]:
    """Draw the number of children of each operator that has any."""
    if size is TreeSize.FREE:
        return [int(it) for it in rng.integers(2, 4, count)]
    while True:
        drawn: list[int] = []
        while sum(drawn) < count - 1:
            drawn.append(int(rng.integers(2, 4)))
        if sum(drawn) == count - 1:
            return drawn
