"""One re-optimisation in a cost space: from changes to relocations (paper 001, section V).

The same step makes the initial placement, with every operator triggered and none on a node.
`first_positions` spreads outward from the operators whose position is known.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE
from eyewall_sidecar.model.array_types import Floats, Places
from numpy.typing import NDArray

from eyewall_papers.cost_space.equilibrium import Turns, equilibrium
from eyewall_papers.cost_space.nearest_node import Sites, admit, follow, map_to_nodes
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.cost_space.weber_point import weber_point

THRESHOLD = 1e-6


def first_positions(graph: OperatorGraph, sites: Sites, places: Places) -> Floats:
    """Return [operator, dimension]: a virtual node for each operator.

    An operator on a node begins there. The others follow outward from those, each at the Weber
    point of the neighbours that were before it; where none is, the first of them begins amid the
    nodes that may hold it. (Paper 001 does not say where an initial placement begins.)

    Parameters
    ----------
    places
        [operator]: the place of its node, or NOWHERE; pinned operators are on theirs.
    """
    known = places != NOWHERE
    positions = np.zeros((graph.operators, sites.coordinates.shape[1]))
    positions[known] = sites.coordinates[places[known]]
    reached = known.copy()
    waiting = deque(np.flatnonzero(known).tolist())
    for seed in chain((None,), np.flatnonzero(~known).tolist()):
        if seed is not None and not reached[seed]:
            positions[seed] = np.median(sites.coordinates[sites.allowed[seed]], axis=0)
            reached[seed] = True
            waiting.append(seed)
        while waiting:
            for operator in graph.neighbours(waiting.popleft()).tolist():
                if not reached[operator]:
                    positions[operator] = _median_position(graph, positions, reached, operator)
                    reached[operator] = True
                    waiting.append(operator)
    return positions


def _median_position(
    graph: OperatorGraph, positions: Floats, reached: NDArray[np.bool_], operator: int
) -> Floats:
    neighbours = graph.neighbours(operator)
    there = reached[neighbours]
    return weber_point(positions[neighbours[there]], graph.rates_of(operator)[there], THRESHOLD)


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """Where operators are.

    Parameters
    ----------
    positions
        [operator, dimension]: their virtual nodes.
    places
        [operator]: the places of their nodes, or NOWHERE.
    """

    positions: Floats
    places: Places

    @classmethod
    def at_first(cls, graph: OperatorGraph, sites: Sites, current: Places) -> Self:
        """Begin with pinned operators on their nodes, the others where they run now, if anywhere.

        An operator that may not run, or has no room, where it runs now is nowhere.

        Parameters
        ----------
        current
            [operator]: the place of the node it runs on, or NOWHERE.
        """
        wanted = np.where(graph.pinned, sites.allowed.argmax(axis=1), current)
        places = admit(sites, wanted, sort_pinned_first(graph))
        known = np.where(graph.pinned, wanted, places)
        return cls(first_positions(graph, sites, known), places)


@dataclass(frozen=True, slots=True)
class Relocation:
    """An operator that changes its node.

    Parameters
    ----------
    operator
        Its place.
    source
        The place of the node it leaves, or NOWHERE.
    target
        The place of the node it goes to.
    """

    operator: int
    source: int
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class Adaptation:
    """The result of one re-optimisation.

    Parameters
    ----------
    situation
        Afterwards, with lazy migration: operators migrate once, when virtual nodes are settled.
    reassignments
        Who changes its node by lazy migration, in the order of operators.
    migrations
        Of operators that ran somewhere, by lazy migration.
    eager_migrations
        The same if each operator migrated whenever its virtual node moved (algorithm 1 to the
        letter).
    messages
        Messages of the distributed algorithm about new virtual nodes.
    turns
        How often an operator looked for a better position.
    second_choices
        How many operators are not on their nearest node, since that is full.
    settled
        Whether no operator wants to move any more.
    """

    situation: Situation
    reassignments: tuple[Relocation, ...]
    migrations: int
    eager_migrations: int
    messages: int
    turns: int
    second_choices: int
    settled: bool


def adapt(
    turns: Turns,
    graph: OperatorGraph,
    sites: Sites,
    situation: Situation,
    triggered: Places,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> Adaptation:
    """Let the triggered operators, and those that they trigger, find their nodes again.

    Parameters
    ----------
    turns
        MOPA's or SBON's.
    triggered
        Operators, as `all_operators`, `operators_with_new_rates` or `next_to` name them.
    stopped
        Whether to end now: operators then go to the nodes nearest to where they got.
    """
    before = situation.places
    found = equilibrium(turns, graph, situation.positions, triggered, stopped=stopped)
    wanting = before == NOWHERE
    wanting[triggered] = wanting[found.movers] = True
    order = sort_pinned_first(graph)
    order = order[wanting[order]]
    lazy = map_to_nodes(sites, found.positions, before, order)
    eager = follow(sites, found.movers, found.targets, before)
    arrived = map_to_nodes(sites, found.positions, eager.places, order)
    changed = np.flatnonzero(lazy.places != before).tolist()
    return Adaptation(
        situation=Situation(found.positions, lazy.places),
        reassignments=tuple(
            Relocation(it, int(before[it]), int(lazy.places[it])) for it in changed
        ),
        migrations=lazy.migrations,
        eager_migrations=eager.migrations + arrived.migrations,
        messages=found.messages,
        turns=found.turns,
        second_choices=lazy.second_choices,
        settled=found.settled,
    )


def sort_pinned_first(graph: OperatorGraph) -> Places:
    """Return all operators: those whose node is given, then the others."""
    return np.argsort(~graph.pinned, kind="stable")


def all_operators(graph: OperatorGraph) -> Places:
    """Trigger every operator, as for an initial placement."""
    return np.arange(graph.operators)


def operators_with_new_rates(
    before: OperatorGraph, after: OperatorGraph, significant: float = 0.0
) -> Places:
    """Trigger the operators that see the rate of one of their links change.

    Parameters
    ----------
    before, after
        The same operators.
    significant
        Smaller changes do not count, as a fraction of the greater rate.
    """
    old, new = _rates(before), _rates(after)
    ends = {
        end
        for pair in old.keys() | new.keys()
        if abs(old.get(pair, 0.0) - new.get(pair, 0.0))
        > significant * max(old.get(pair, 0.0), new.get(pair, 0.0))
        for end in pair
    }
    return np.array(sorted(ends), dtype=np.int64)


def neighbours_of(graph: OperatorGraph, moved: Places) -> Places:
    """Trigger the neighbours of operators whose virtual node moved."""
    return np.unique(
        np.concatenate([np.empty(0, np.int64), *(graph.neighbours(it) for it in moved.tolist())])
    )


def _rates(graph: OperatorGraph) -> dict[tuple[int, int], float]:
    return {
        (operator, other): rate
        for operator in range(graph.operators)
        for other, rate in zip(
            graph.neighbours(operator).tolist(), graph.rates_of(operator).tolist(), strict=True
        )
    }
