"""Random binary operator trees, as section 7.2 has them, in each way that its words can be read.

"Randomly generated binary operator trees with at most N operators", leaves drawn from 15 objects.
"""

from dataclasses import dataclass
from enum import StrEnum

from numpy.random import Generator


class Trees(StrEnum):
    """What N counts, and whether operators have two inputs each."""

    OPERATORS = "operators"
    """N operators with two inputs each, so N + 1 leaves."""
    NODES = "nodes"
    """At most N operators and leaves together; operators have two inputs each."""
    SPARSE = "sparse"
    """N operators, of which each has one or two inputs (|Leaf| + |Child| ≤ 2)."""
    AT_MOST = "at most"
    """From 1 to N operators, with two inputs each."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree; operator 0 is the root, and children come after their parents.

    Parameters
    ----------
    children
        [operator]: its children, up to two.
    leaves
        [operator]: the objects that it uses, by number; both leaves may be the same one.
    """

    children: tuple[tuple[int, ...], ...]
    leaves: tuple[tuple[int, ...], ...]

    def sizes(self, objects: list[float]) -> list[float]:
        """Return [operator]: its input δ_l + δ_r, which with β = 1 is its output, too."""
        inputs = [0.0] * len(self.children)
        for operator in reversed(range(len(self.children))):
            inputs[operator] = sum(objects[it] for it in self.leaves[operator]) + sum(
                inputs[it] for it in self.children[operator]
            )
        return inputs


def random_tree(rng: Generator, most: int, trees: Trees, objects: int) -> Tree:
    """Draw a tree: a free input, picked at random, gets an operator, until there are enough.

    Parameters
    ----------
    most
        N.
    objects
        How many kinds of leaves there are.
    """
    count = _operators(rng, most, trees)
    free = [0, 0]
    children: list[list[int]] = [[]]
    for operator in range(1, count):
        children[free.pop(int(rng.integers(len(free))))].append(operator)
        children.append([])
        free += [operator, operator]
    leaves: list[list[int]] = [[] for _ in children]
    for operator in free:
        needed = not children[operator] and not leaves[operator]
        if trees is not Trees.SPARSE or needed or rng.random() < 0.5:
            leaves[operator].append(int(rng.integers(objects)))
    return Tree(tuple(map(tuple, children)), tuple(map(tuple, leaves)))


def _operators(rng: Generator, most: int, trees: Trees) -> int:
    match trees:
        case Trees.NODES:
            return max(1, (most - 1) // 2)
        case Trees.AT_MOST:
            return int(rng.integers(1, most + 1))
        case Trees.OPERATORS | Trees.SPARSE:
            return most
