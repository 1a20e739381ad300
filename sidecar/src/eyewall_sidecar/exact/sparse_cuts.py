"""The inequalities of `exact.cuts` as numpy blocks: capacity made visible on paths and around hubs.

With nodes that are alike, the relaxation of paper 000's program spreads every operator evenly and
its bound is 0. Both families take fractions away, never a placement.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.exact.sparse_program import SCALE, SparseProgram
from eyewall_sidecar.exact.sparse_rows import entries
from eyewall_sidecar.model.array_types import Floats, Places

Mask = NDArray[np.bool_]

PATHS_PER_NODE = 64
STEPS_PER_NODE = 2_000
STAR_ENTRIES = 400_000
"""Factors in all star rows together: what doubles the time of a root relaxation of 20 × 100."""


def define_path_covers(program: SparseProgram) -> None:
    """Σ_l y_(l,l+1),(u,u) ≤ Σ_(1<l<k) x_(l,u), for operators 1 … k on a path that overfill u.

    A run of operators on u has one stream less than operators. Were all streams on u, so were all
    operators; so at least one is elsewhere, and then the streams on u are at most as many as the
    inner operators on u. Nodes alike in limits and operators share the search for paths.
    """
    arrays = program.arrays
    beside = _columns_beside(program)
    traits = np.vstack([arrays.limits, program.choices])
    kinds, kind_of = np.unique(traits, axis=1, return_inverse=True)
    for kind in range(kinds.shape[1]):
        nodes = np.flatnonzero(kind_of.reshape(-1) == kind)
        here = program.choices[:, nodes[0]]
        for path in _overfull_paths(program, beside, here, arrays.limits[:, nodes[0]]):
            rows = np.arange(len(nodes))
            loops = (beside[pair][nodes] for pair in pairwise(path))
            program.add(
                "path_cover",
                *(entries(rows, columns, 1.0) for columns in loops),
                *(entries(rows, program.x[operator, nodes], -1.0) for operator in path[1:-1]),
                count=len(nodes),
                lower=-inf,
                upper=0.0,
            )


def define_star_capacities(program: SparseProgram) -> None:
    """Σ_(j ∈ N(i)) C_j y_(i,j),(u,w) ≤ (C_w − [w = u] C_i) x_(i,u), for hubs i, nodes u, w.

    Equation (11) times x_(i,u): with i on u, its neighbours on w leave room for what w holds.
    Only hubs of three or more neighbours that overfill w, and no more than STAR_ENTRIES factors.
    """
    arrays = program.arrays
    neighbours: list[list[tuple[int, Places]]] = [[] for _ in range(arrays.operators)]
    for pair, y in zip(program.pairs, program.y, strict=True):
        if y is not None:
            neighbours[pair.one].append((pair.other, y))
            neighbours[pair.other].append((pair.one, y.T))
    left = STAR_ENTRIES
    for hub, around in enumerate(neighbours):
        if len(around) < 3:
            continue
        others = [other for other, _ in around]
        for needs, limits in zip(arrays.requirements, arrays.limits, strict=True):
            # [u, w]: what w has for the neighbours of a hub on u.
            room = limits - np.diag(np.full(arrays.nodes, needs[hub]))
            total = needs[others] @ program.choices[others]
            tight = (total > np.maximum(room, 0.0)) & program.choices[hub][:, np.newaxis]
            tight &= np.isfinite(limits)
            u, w = np.nonzero(tight)
            left -= len(u) * (len(around) + 1)
            if left < 0:
                return
            rows = np.arange(len(u))
            share = SCALE / limits[w]
            program.add(
                "star",
                *(entries(rows, y[u, w], needs[other] * share) for other, y in around),
                entries(rows, program.x[hub, u], -room[u, w] * share),
                count=len(u),
                lower=-inf,
                upper=0.0,
            )


def _columns_beside(program: SparseProgram) -> dict[tuple[int, int], Places]:
    """Return [node]: the columns of both on one node, for each (i, j) with a stream i → j."""
    of_pair = {
        (pair.one, pair.other): y.diagonal()
        for pair, y in zip(program.pairs, program.y, strict=True)
        if y is not None
    }
    streams = zip(program.arrays.sources.tolist(), program.arrays.targets.tolist(), strict=True)
    return {
        (i, j): of_pair[min(i, j), max(i, j)]
        for i, j in streams
        if (min(i, j), max(i, j)) in of_pair
    }


def _overfull_paths(
    program: SparseProgram,
    beside: dict[tuple[int, int], Places],
    here: NDArray[np.bool_],
    limits: Floats,
) -> Iterator[list[int]]:
    """Shortest paths along streams whose operators do not fit together within the limits."""
    needs = program.arrays.requirements
    if np.all(needs @ here <= limits):
        return
    successors: dict[int, list[int]] = {i: [] for i in np.flatnonzero(here).tolist()}
    for i, j in beside:
        if here[i] and here[j]:
            successors[i].append(j)
    steps = found = 0
    paths = [([i], needs[:, i]) for i in reversed(successors)]
    while paths and steps < STEPS_PER_NODE and found < PATHS_PER_NODE:
        path, load = paths.pop()
        steps += 1
        if np.all(load <= limits):
            onward = [j for j in successors[path[-1]] if j not in path]
            paths += [([*path, j], load + needs[:, j]) for j in onward]
        elif len(path) > 1:
            found += 1
            yield path
