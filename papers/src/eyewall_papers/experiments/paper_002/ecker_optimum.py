"""The least of Ecker's score (paper 002, equation 1) by branch and bound, for small problems.

The search behind `ecker_optimum`: operators one by one, in path order, on every node with room.

What is placed costs its streams between nodes, and as much of the latency as is known. Added to it
are, as a bound,

- for each other operator, the least that its streams with those placed can cost on a node with
  room for it; and
- the least that all others cost by themselves on empty nodes, streams and nodes in use ("Russian
  dolls": the problem was solved for the last operator before, for the last two, and so on); or,
  where it is more, the least number of nodes in use that have room for all, with the least that
  the others' streams cost by themselves.

Of operators that may change places the first has the first node; of such nodes the first comes into
use first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.model.compilation import compiled, kernel
from eyewall_sidecar.model.problem import Placement
from eyewall_sidecar.objective import EckerWeights
from eyewall_sidecar.objectives.ecker import ecker_costs, ecker_score, with_headroom
from numpy.typing import NDArray

NOBODY = -1
SAME = 1e-9
"""What scores may differ by and count as one; a millisecond is worth a thousand of it."""


class Parts(NamedTuple):
    """A problem; operators are known by their turn.

    Parameters
    ----------
    needs, limits
        [resource, operator] and [resource, node].
    rests
        [resource, turn]: what operators need from this turn on.
    largest
        [resource]: nodes by descending limit.
    cut
        [operator, operator]: what their streams cost between different nodes.
    before
        [operator, operator]: whether a path leads from the second straight to the first.
    paths
        [node, node]: what the delay costs on the slowest path.
    per_node
        What each node in use costs.
    twins
        [operator]: whether it and the one before it may change places.
    twin_nodes
        [node]: one before it that it may change places with, or nobody.
    dolls, streams
        [turn]: the least that operators from this turn on cost by themselves, and the least that
        their streams do; 0 where unknown.
    """

    needs: Floats
    limits: Floats
    rests: Floats
    largest: Places
    cut: Floats
    before: NDArray[np.bool_]
    paths: Floats
    per_node: float
    twins: NDArray[np.bool_]
    twin_nodes: Places
    dolls: Floats
    streams: Floats


@kernel
def branch(parts: Parts, first: int, best: Places, budget: int) -> tuple[float, int]:
    """Place operators from turn `first` on at the least cost; return it, and the visits it took.

    It is proven if the visits are fewer than the budget.

    Parameters
    ----------
    best
        [turn]: a valid placement to begin with; the best one afterwards.
    """
    resources, nodes = parts.limits.shape
    count = len(parts.cut)
    places = np.full(count, NOBODY)
    tried = np.zeros(count, dtype=np.int64)
    loads = np.zeros((resources, nodes))
    holds = np.zeros(nodes, dtype=np.int64)
    near = np.zeros((count, nodes))
    spent = np.zeros(count + 1)
    reached, longest = np.zeros(count), np.zeros(count + 1)
    least = value_of(parts, first, best)
    visits, turn = 0, first
    while turn >= first and visits < budget:
        if places[turn] != NOBODY:
            _move(parts, turn, places[turn], -1, loads, holds, near)
            places[turn] = NOBODY
        node = _next_node(parts, first, turn, tried[turn], places, loads, holds)
        if node == nodes:
            turn -= 1
            continue
        tried[turn] = node + 1
        visits += 1
        cost = spent[turn] + near[turn].sum() - near[turn, node]
        arrival = 0.0
        for other in range(first, turn):
            if parts.before[turn, other]:
                arrival = max(arrival, reached[other] + parts.paths[places[other], node])
        reached[turn], longest[turn + 1] = arrival, max(longest[turn], arrival)
        places[turn] = node
        _move(parts, turn, node, 1, loads, holds, near)
        spent[turn + 1] = cost
        known = cost + longest[turn + 1]
        if known + _ahead(parts, turn + 1, loads, holds, near, least - known) >= least - SAME:
            continue
        if turn + 1 == count:
            least = value_of(parts, first, places)
            best[first:] = places[first:]
            continue
        turn += 1
        tried[turn] = 0
    return least, visits


@compiled
def _next_node(
    parts: Parts,
    first: int,
    turn: int,
    start: int,
    places: Places,
    loads: Floats,
    holds: Places,
) -> int:
    """Return the next node to try, from `start` on; the number of nodes if there is none."""
    nodes = len(holds)
    if turn > first and parts.twins[turn]:
        start = max(start, places[turn - 1])
    for node in range(start, nodes):
        twin = parts.twin_nodes[node]
        if (twin == NOBODY or holds[twin] > 0 or holds[node] > 0) and _fits(
            parts, turn, node, loads
        ):
            return node
    return nodes


@compiled
def _fits(parts: Parts, turn: int, node: int, loads: Floats) -> bool:
    for resource in range(len(loads)):
        if loads[resource, node] + parts.needs[resource, turn] > parts.limits[resource, node]:
            return False
    return True


@compiled
def _move(
    parts: Parts, turn: int, node: int, sign: int, loads: Floats, holds: Places, near: Floats
) -> None:
    """Put an operator on a node, or with sign −1 take it away; `near` is of those to come."""
    holds[node] += sign
    for resource in range(len(loads)):
        loads[resource, node] += sign * parts.needs[resource, turn]
    for other in range(turn + 1, len(parts.cut)):
        near[other, node] += sign * parts.cut[turn, other]


@compiled
def _ahead(
    parts: Parts, turn: int, loads: Floats, holds: Places, near: Floats, enough: float
) -> float:
    """Return what nodes in use and operators from this turn on cost at least.

    Infinite if there is no room; it ends early where the sum is enough.
    """
    in_use = _nodes_needed(parts, turn, loads, holds)
    if in_use == NOBODY:
        return inf
    total = max(parts.dolls[turn], in_use * parts.per_node + parts.streams[turn])
    for other in range(turn, len(parts.cut)):
        if total >= enough:
            break
        most, whole, fitting = 0.0, 0.0, False
        for node in range(len(holds)):
            whole += near[other, node]
            promising = near[other, node] > most or not fitting
            if promising and _fits(parts, other, node, loads):
                fitting = True
                most = max(most, near[other, node])
        if not fitting:
            return inf
        total += max(0.0, whole - most)
    return float(total)


@compiled
def _nodes_needed(parts: Parts, turn: int, loads: Floats, holds: Places) -> int:
    """Return the least number of nodes in use at the end, or NOBODY if none are enough."""
    opened = 0
    for node in range(len(holds)):
        opened += int(holds[node] > 0)
    most = opened
    for resource in range(len(loads)):
        lacking = parts.rests[resource, turn]
        for node in range(len(holds)):
            if holds[node] > 0:
                lacking -= max(0.0, parts.limits[resource, node] - loads[resource, node])
        needed = opened
        for place in range(len(holds)):
            node = parts.largest[resource, place]
            if lacking > SAME and holds[node] == 0:
                lacking -= parts.limits[resource, node]
                needed += 1
        if lacking > SAME:
            return NOBODY
        most = max(most, needed)
    return most


@kernel
def value_of(parts: Parts, first: int, places: Places) -> float:
    """Return what operators from turn `first` on cost as they are placed."""
    count = len(parts.cut)
    used = np.zeros(parts.limits.shape[1], dtype=np.int64)
    reached = np.zeros(count)
    total, latency = 0.0, 0.0
    for one in range(first, count):
        used[places[one]] = 1
        for other in range(first, one):
            if places[other] != places[one]:
                total += parts.cut[one, other]
            if parts.before[one, other]:
                hop = parts.paths[places[other], places[one]]
                reached[one] = max(reached[one], reached[other] + hop)
        latency = max(latency, reached[one])
    return float(total + latency + parts.per_node * used.sum())


STREAMS, DOLLS = 0.05, 0.6
"""Share of all visits for the two parts of the bound."""


@dataclass(frozen=True, slots=True)
class LeastScore:
    """What was found.

    Parameters
    ----------
    placement, score
        The best that is known.
    bound
        No placement has a lower score.
    visits
        How often an operator was put on a node.
    """

    placement: Placement
    score: float
    bound: float
    visits: int

    @property
    def proven(self) -> bool:
        """Whether nothing is better."""
        return self.score - self.bound <= SAME


def least_score(
    problem: PlacementProblem, weights: EckerWeights, known: Placement, *, visits: int
) -> LeastScore:
    """Find the least score within so many visits, from a known valid placement.

    Nothing can be said of operators with candidates or on no path: a `ValueError`.
    """
    arrays = ProblemArrays.of(with_headroom(problem))
    if not arrays.allowed.all() or len(arrays.path_order) < arrays.operators:
        raise ValueError("operators with candidates, or on no path, are not provided for")
    costs = ecker_costs(arrays, weights)
    order, count = arrays.path_order, arrays.operators
    paths = arrays.delays * costs.costs.response
    parts = _parts(arrays, order, _worth(arrays, costs.costs.per_rate, costs.costs.per_stream))
    known_places = places_of(problem, known)[order]
    used = 0
    # First what the last operators' streams cost at least, then their nodes in use as well.
    for per_node, bounds, share in (
        (0.0, parts.streams, STREAMS),
        (costs.per_node, parts.dolls, DOLLS),
    ):
        bare = parts._replace(per_node=per_node, twin_nodes=_twin_nodes(arrays, 0.0 * paths))
        left = max(1, int(visits * share))
        for first in range(count - 1, -1, -1):
            best = known_places.copy()
            value, spent = branch(bare, first, best, left)
            used, left = used + spent, left - spent
            if left <= 0:
                # What is left unsolved costs at least what the operators after it do.
                bounds[: first + 1] = bounds[first + 1]
                break
            bounds[first] = value
    full = parts._replace(
        per_node=costs.per_node, paths=paths, twin_nodes=_twin_nodes(arrays, paths)
    )
    # The last doll of all is a whole placement; parts of two need not fit together.
    whole = (known_places, best) if first == 0 else (known_places,)
    start = min(whole, key=lambda it: value_of(full, 0, it))
    budget = max(1, visits - used)
    _, spent = branch(full, 0, start, budget)
    places = np.empty_like(start)
    places[order] = start
    placement = placement_of(problem, places)
    score = ecker_score(problem, placement, weights)
    bound = score if spent < budget else min(score, float(parts.dolls[0]))
    return LeastScore(placement, score, bound, used + spent)


def _worth(arrays: ProblemArrays, per_rate: Floats, per_stream: Floats) -> Floats:
    """Return [stream]: its cost between different nodes."""
    return np.asarray(arrays.rates * per_rate.max() + per_stream.max(), dtype=np.float64)


def _parts(arrays: ProblemArrays, order: Places, worth: Floats) -> Parts:
    count = arrays.operators
    turn = np.empty(count, dtype=np.int64)
    turn[order] = np.arange(count)
    cut = np.zeros((count, count))
    np.add.at(cut, (turn[arrays.sources], turn[arrays.targets]), worth)
    cut = cut + cut.T
    np.fill_diagonal(cut, 0.0)
    needs = np.ascontiguousarray(arrays.requirements[:, order])
    before = np.zeros((count, count), dtype=np.bool_)
    before[turn[arrays.path_targets], turn[arrays.path_sources]] = True
    limits = arrays.limits.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        held = np.nan_to_num(limits / needs.min(axis=1)[:, None], nan=np.inf, posinf=np.inf)
    limits[0] = np.minimum(limits[0], np.floor(held).min(axis=0))
    rests = np.zeros((len(needs), count + 1))
    rests[:, :count] = needs[:, ::-1].cumsum(axis=1)[:, ::-1]
    return Parts(
        needs=needs,
        limits=limits,
        rests=rests,
        largest=np.argsort(-limits, axis=1, kind="stable"),
        cut=cut,
        before=before,
        paths=np.zeros_like(arrays.delays),
        per_node=0.0,
        twins=np.array(list(_twins(needs, cut, before)), dtype=np.bool_),
        twin_nodes=np.full(arrays.nodes, NOBODY),
        dolls=np.zeros(count + 1),
        streams=np.zeros(count + 1),
    )


def _twins(needs: Floats, cut: Floats, before: np.ndarray) -> Iterator[bool]:
    """Yield for each operator whether the one before it may change places with it."""
    yield False
    for one in range(1, len(cut)):
        swapped = np.arange(len(cut))
        swapped[[one - 1, one]] = one, one - 1
        pairs = np.ix_(swapped, swapped)
        yield bool(
            (needs[:, one] == needs[:, one - 1]).all()
            and np.allclose(cut, cut[pairs], rtol=1e-12, atol=0.0)
            and (before == before[pairs]).all()
        )


def _twin_nodes(arrays: ProblemArrays, paths: Floats) -> Places:
    """Return [node]: the one listed before it that it may change places with, or nobody."""
    found = np.full(arrays.nodes, NOBODY)
    for one in range(arrays.nodes):
        for other in range(one):
            swapped = np.arange(arrays.nodes)
            swapped[[one, other]] = other, one
            same = (arrays.limits[:, one] == arrays.limits[:, other]).all()
            if same and (paths == paths[np.ix_(swapped, swapped)]).all():
                found[one] = other
    return found
