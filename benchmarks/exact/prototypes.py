"""Earlier prototypes as contenders: `bb.py`, `bb2.py`, `fat.py`, `heur.py` of a given directory.

A source, parallel operators and a sink with additive terms go to `fat`'s enumeration, other graphs
with a hub to `bb2`, the rest to `bb`. The last two start from 20,000 steps of annealing, unless the
problem is as small as S-ODP; the reported time includes annealing, but not the translation of the
question.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import numpy as np
from eyewall_papers.instances.baseline import GraphShape, baseline
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, Term

from benchmarks.exact.contenders import ContenderRun, Question, term_weights

STEPS = 20_000
SMALL = 12
"""Up to so many operators there is no annealing."""
HUB = 4
"""An operator with more streams than this is a hub."""
MOST_NODES = {"bb": 20_000_000, "bb2": 2_000_000}
"""Branches after which they give up."""

MILLISECONDS = {Term.R: 1e3, Term.N: 1e3, Term.EE: 1e6}
"""Term → how many of the prototypes' units one of ours is; they count in milliseconds."""


def prototypes(directory: Path) -> Callable[[Question], ContenderRun]:
    """Load the prototypes, and return the contender."""
    sys.path.insert(0, str(directory))
    annealing, path, hub, fat = (import_module(it) for it in ("heur", "bb", "bb2", "fat"))

    def solve(question: Question) -> ContenderRun:
        weights = term_weights(question.objective, question.ranges)
        network = [term for term in weights if term in (Term.T, Term.N, Term.EE)]
        if len(network) > 1:
            return ContenderRun(0.0, remark="more than one network term")
        kind = network[0] if network else Term.N
        mix = tuple(
            weights.get(term, 0.0) / MILLISECONDS.get(term, 1.0) for term in (Term.R, Term.A, kind)
        )
        instance = _instance(question)
        began = perf_counter()
        if _is_fat(instance) and set(weights) != {Term.R}:
            cost, *_ = fat.fat_exact(instance, mix, str(kind))
            return ContenderRun(perf_counter() - began, proven=True, cost=float(cost), gap=0.0)
        arrays = annealing.prep(instance, mix, str(kind))
        start, best = None, 1e17
        if instance.n > SMALL:
            start = np.zeros(instance.n, np.int64)
            best, _ = annealing.ls(*arrays, question.seed, STEPS, start, False)  # noqa: FBT003
        if _has_hub(instance):
            most = MOST_NODES["bb2"]
            cost, _, nodes, _ = hub.solve_bb2(instance, mix, str(kind), best, start, most)
        else:
            most = MOST_NODES["bb"]
            ub = None if start is None else best
            cost, _, nodes, *_ = path.solve_bb(instance, mix, str(kind), ub, start, most, arrays)
        seconds = perf_counter() - began
        if cost >= 1e16:
            return ContenderRun(seconds, remark="nothing found")
        return ContenderRun(seconds, proven=nodes <= most, cost=float(cost))

    for shape in (GraphShape.SEQUENTIAL, GraphShape.FAT):  # compiles `bb` and `bb2`
        solve(Question(baseline(shape, 14, 6, seed=0), Objective.parse("R=1"), 1.0, 0, {}))
    return solve


def _instance(question: Question) -> Any:
    """Return the problem in the prototypes' form: delays and work in milliseconds."""
    problem = question.problem
    arrays = ProblemArrays.of(problem)
    return SimpleNamespace(
        name="",
        n=arrays.operators,
        m=arrays.nodes,
        E=list(zip(arrays.sources.tolist(), arrays.targets.tolist(), strict=True)),
        d=arrays.delays * 1e3,
        cap=np.array([int(it.operators) for it in problem.nodes]),
        C=np.ones(arrays.operators, int),
        R=arrays.execution_times * 1e3,
        S=arrays.speedups,
        Au=np.exp(arrays.node_logs),
        lam=arrays.rates,
        cand=[np.flatnonzero(row).tolist() for row in arrays.allowed],
    )


def _is_fat(instance: Any) -> bool:
    last = instance.n - 1
    return set(instance.E) == {
        pair for middle in range(1, last) for pair in pairwise((0, middle, last))
    }


def _has_hub(instance: Any) -> bool:
    degrees = np.bincount(np.array(instance.E).ravel())
    return bool(degrees.max() > HUB)
