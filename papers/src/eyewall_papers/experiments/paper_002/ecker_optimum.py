"""The least of Ecker's score (paper 002, equation 1) by branch and bound, for small problems."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays, placement_of, places_of
from eyewall_sidecar.model.problem import Placement
from eyewall_sidecar.objective import EckerWeights
from eyewall_sidecar.objectives.ecker import ecker_costs, ecker_score, with_headroom

from eyewall_papers.experiments.paper_002.ecker_branching import (
    NOBODY,
    SAME,
    Parts,
    branch,
    value_of,
)

STREAMS, DOLLS = 0.05, 0.6
"""Of all visits, what the two parts of the bound may take."""


@dataclass(frozen=True, slots=True)
class Least:
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
) -> Least:
    """Find the least score within so many visits, from a valid placement that is known.

    Nothing can be said of operators with candidates or on no path: a `ValueError`.
    """
    arrays = ProblemArrays.of(with_headroom(problem))
    if not arrays.allowed.all() or len(arrays.path_order) < arrays.operators:
        raise ValueError("operators with candidates, or on no path, are not provided for")
    costs = ecker_costs(arrays, weights)
    order, count = arrays.path_order, arrays.operators
    paths = arrays.delays * costs.costs.response
    parts = _parts(arrays, order, _worth(arrays, costs.costs.per_tuple, costs.costs.per_stream))
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
    return Least(placement, score, bound, used + spent)


def _worth(arrays: ProblemArrays, per_tuple: Floats, per_stream: Floats) -> Floats:
    """Return [stream]: what it costs between different nodes."""
    return np.asarray(arrays.rates * per_tuple.max() + per_stream.max(), dtype=np.float64)


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
