"""Proofs for L and Θ: depth first, best child first; what is placed already is the bound.

Both only get worse with each operator that is added: it uses CPU, makes others wait and enters
hosts. What is not placed costs at least its work on its fastest candidate, and all nodes together
must carry it.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Floats, Indices, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import kernel, subroutine
from eyewall_sidecar.model.shuffles import NO_GROUP
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.compiled_load import NOWHERE, evaluate_places
from eyewall_sidecar.objectives.load_terms import LoadTerms, Scratch, load_terms, scratch

ROUNDING = 1e-9
"""Of a cost: what is better by less is not searched for."""
MOST_COMPARED = 64
"""Nodes; with more, comparing their links takes longer than it saves."""
LEVEL, STEPS = 0, 1
"""Places in `_Tree.counters`."""


class _Tree(NamedTuple):
    """The branch that is looked at, and what is still open next to it.

    Parameters
    ----------
    order
        [level]: the operator that is placed there.
    before
        [operator]: one that is interchangeable and placed earlier, so on no later node; −1: none.
    twins
        [node]: an identical node that is listed earlier and used first; −1: none.
    places
        [operator]: of the branch; `NOWHERE` below it.
    children, bounds
        [level, child]: nodes and their bounds, the best first.
    counts, cursors
        [level]: how many children there are, and which is next.
    incumbent, incumbent_cost
        The best placement found here, and the least cost known.
    counters
        Level (−1 when nothing is open) and expansions so far.
    """

    order: Indices
    before: Indices
    twins: Indices
    places: Places
    children: Indices
    bounds: Floats
    counts: Indices
    cursors: Indices
    incumbent: Places
    incumbent_cost: Floats
    counters: Indices


class LoadTree:
    """One proof; goes on where it stopped."""

    def __init__(self, terms: LoadTerms, arrays: ProblemArrays) -> None:
        operators, nodes = terms.allowed.shape
        self._terms = terms
        self._room: Scratch = scratch(terms)
        order = _order(arrays)
        self._tree = _Tree(
            order=order,
            before=_interchangeable(terms, order),
            twins=_identical_nodes(terms, arrays),
            places=np.full(operators, NOWHERE),
            children=np.zeros((operators, nodes), dtype=np.int64),
            bounds=np.zeros((operators, nodes)),
            counts=np.zeros(operators, dtype=np.int64),
            cursors=np.zeros(operators, dtype=np.int64),
            incumbent=np.full(operators, NOWHERE),
            incumbent_cost=np.full(1, np.inf),
            counters=np.zeros(2, dtype=np.int64),
        )
        _branch(self._terms, self._room, self._tree, 0)

    def learn(self, cost: float) -> None:
        """Take a valid placement's cost for the least that is known."""
        self._tree.incumbent_cost[0] = min(cost, self._tree.incumbent_cost[0])

    def prove(self, steps: int) -> None:
        """Expand so many branches, or as many as are open."""
        _branch(self._terms, self._room, self._tree, steps)

    @property
    def places(self) -> Places | None:
        """The best placement that was found here; None if there is none."""
        found = self._tree.incumbent
        return None if (found == NOWHERE).any() else found.copy()

    @property
    def is_open(self) -> bool:
        """Whether there may be anything better."""
        return bool(self._tree.counters[LEVEL] >= 0)

    @property
    def steps(self) -> int:
        """How many branches were expanded."""
        return int(self._tree.counters[STEPS])

    @property
    def bound(self) -> float:
        """No valid placement has a lower cost."""
        tree, levels = self._tree, np.arange(self._tree.counters[LEVEL] + 1)
        waiting = levels[tree.cursors[levels] < tree.counts[levels]]
        least = tree.bounds[waiting, tree.cursors[waiting]].min(initial=np.inf)
        return float(min(least, tree.incumbent_cost[0]))


@cache
def load_load_branching() -> None:
    """Run every compiled part once."""
    problem = PlacementProblem(
        operators=(Operator("a"), Operator("b")),
        streams=(Stream("a", "b"),),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.001), ("n2", "n1"): Link(0.001)},
    )
    arrays = ProblemArrays.of(problem)
    LoadTree(load_terms(arrays, Term.L), arrays).prove(100)


def _order(arrays: ProblemArrays) -> Indices:
    """Return operators with the fewest candidates first, then along the paths."""
    position = np.full(arrays.operators, arrays.operators)
    position[arrays.path_order] = np.arange(len(arrays.path_order))
    return np.lexsort((position, arrays.allowed.sum(axis=1)))


def _interchangeable(terms: LoadTerms, order: Indices) -> Indices:
    """Return for each operator the last one before it that is the same in all respects."""
    own: list[list[tuple[float, ...]]] = [[] for _ in terms.demands]
    streams = zip(
        terms.sources.tolist(),
        terms.targets.tolist(),
        terms.rates.tolist(),
        terms.bursts.tolist(),
        terms.passes.tolist(),
        terms.tuple_passes.tolist(),
        terms.loads.tolist(),
        terms.groups.tolist(),
        strict=True,
    )
    reached: dict[int, list[tuple[int, float]]] = {}
    for group, target, weight in zip(
        terms.groups.tolist(), terms.targets.tolist(), terms.weights.tolist(), strict=True
    ):
        reached.setdefault(group, []).append((target, weight))
    numbers: dict[tuple[tuple[int, float], ...], int] = {}
    shared = {
        group: numbers.setdefault(tuple(sorted(it)), len(numbers))
        for group, it in reached.items()
        if group != NO_GROUP
    }
    for source, target, *amounts, group in streams:
        # No two sources share a group: of what leaves, those are alike that share its targets.
        own[source].append((0, target, *amounts, shared.get(group, NO_GROUP)))
        own[target].append((1, source, *amounts, group))
    last: dict[object, int] = {}
    before = np.full(len(order), -1)
    columns = (
        terms.demands,
        terms.work,
        terms.tree_work,
        terms.assumed_work,
        terms.way_shares,
        terms.visits,
        terms.entries,
    )
    for operator in order.tolist():
        traits = (
            *(float(it[operator]) for it in columns),
            terms.requirements[:, operator].tobytes(),
            terms.allowed[operator].tobytes(),
            tuple(sorted(own[operator])),
        )
        before[operator] = last.get(traits, -1)
        last[traits] = operator
    return before


def _identical_nodes(terms: LoadTerms, arrays: ProblemArrays) -> Indices:
    """Return for each node the last one before it that is the same in all respects."""
    nodes = len(terms.cores)
    found = np.full(nodes, -1)
    if nodes > MOST_COMPARED:
        return found
    columns = np.vstack(
        [terms.cores, terms.background, terms.speedups, arrays.limits, terms.allowed]
    )
    matrices = (terms.delays, arrays.bandwidths)
    for node in range(nodes):
        for other in range(node - 1, -1, -1):
            swapped = np.arange(nodes)
            swapped[node], swapped[other] = other, node
            if (columns[:, node] == columns[:, other]).all() and all(
                (it == it[np.ix_(swapped, swapped)]).all() for it in matrices
            ):
                found[node] = other
                break
    return found


@kernel
def _branch(terms: LoadTerms, room: Scratch, tree: _Tree, steps: int) -> None:
    operators, level = len(tree.places), tree.counters[LEVEL]
    if tree.counters[STEPS] == 0:
        _expand(terms, room, tree, 0)
    while level >= 0 and steps > 0:
        cursor, operator = tree.cursors[level], tree.order[level]
        tree.places[operator] = NOWHERE
        least = tree.incumbent_cost[0]
        if cursor == tree.counts[level] or tree.bounds[level, cursor] >= least - ROUNDING * least:
            tree.cursors[level] = tree.counts[level]
            level -= 1
            continue
        tree.cursors[level] = cursor + 1
        tree.places[operator] = tree.children[level, cursor]
        if level == operators - 1:
            tree.incumbent_cost[0] = tree.bounds[level, cursor]
            tree.incumbent[:] = tree.places
            continue
        level += 1
        _expand(terms, room, tree, level)
        steps -= 1
    tree.counters[LEVEL] = level


@subroutine
def _holds(places: Places, node: int) -> bool:
    for place in places:  # noqa: SIM110 - any() of a generator is not compiled
        if place == node:
            return True
    return False


@subroutine
def _expand(terms: LoadTerms, room: Scratch, tree: _Tree, level: int) -> None:
    """List the nodes that the level's operator may go to, the least bound first."""
    operator, count = tree.order[level], 0
    tree.counters[STEPS] += 1
    first = tree.places[tree.before[operator]] if tree.before[operator] >= 0 else 0
    for node in range(first, len(tree.twins)):
        if not terms.allowed[operator, node]:
            continue
        twin = tree.twins[node]
        if twin >= 0 and not _holds(tree.places, twin) and not _holds(tree.places, node):
            continue
        tree.places[operator] = node
        bound, _, excess = evaluate_places(terms, room, tree.places)
        if excess > 0.0:
            continue
        place = count
        while place > 0 and tree.bounds[level, place - 1] > bound:
            tree.bounds[level, place] = tree.bounds[level, place - 1]
            tree.children[level, place] = tree.children[level, place - 1]
            place -= 1
        tree.bounds[level, place], tree.children[level, place] = bound, node
        count += 1
    tree.places[operator] = NOWHERE
    tree.counts[level], tree.cursors[level] = count, 0
