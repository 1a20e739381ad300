"""What all experiments on S-ODP ask: instances as the paper's, optima, and how long tuples take."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice

import numpy as np
from eyewall_sidecar.model import Placement, PlacementProblem, Solution
from eyewall_sidecar.model.arrays import Places, ProblemArrays
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies import load_policy
from numpy.random import Generator

from eyewall_papers.instances.tag_and_count import tag_and_count

TIME_LIMIT = 5.0
"""Seconds; no S-ODP instance needs them."""


def instances(number: int) -> Iterator[PlacementProblem]:
    """Yield S-ODP instances with source and consumer pinned to nodes that are always up.

    The paper reports A = 100 % for all executors, so its pins must have been on such nodes.
    """
    drawn = (tag_and_count(seed) for seed in count(1))
    return islice((it for it in drawn if _pins_are_up(it)), number)


def _pins_are_up(problem: PlacementProblem) -> bool:
    pins = (it.candidates for it in problem.operators if it.candidates)
    return all(problem.node(node).availability == 1 for nodes in pins for node in nodes)


def always_up(problem: PlacementProblem) -> PlacementProblem:
    """Section 7.2: "except for 100 % availability of all the nodes and links"."""
    return replace(problem, nodes=tuple(replace(it, availability=1.0) for it in problem.nodes))


def pinned_together(problem: PlacementProblem) -> PlacementProblem:
    """Pin the consumer to the source's node; the text does not say that they are apart."""
    source, *others, consumer = problem.operators
    moved = replace(consumer, candidates=source.candidates)
    return replace(problem, operators=(source, *others, moved))


def optimum(problem: PlacementProblem, term: Term) -> Solution:
    """Return what odp finds for this term alone."""
    return load_policy("odp")(problem, Objective({term: 1.0}), time_limit=TIME_LIMIT, seed=1)


def placement(solution: Solution) -> Placement:
    """Return the placement of a question that has one."""
    if solution.placement is None:
        raise ValueError(f"no placement: {solution.status}, {'; '.join(solution.reasons)}")
    return solution.placement


def random_places(arrays: ProblemArrays, room: Places, rng: Generator) -> Places:
    """Return a placement drawn from the slots that are left beside the pins.

    Parameters
    ----------
    room
        [node]: how many operators it may hold.
    """
    pinned = arrays.allowed.sum(axis=1) == 1
    places: Places = arrays.allowed.argmax(axis=1)
    left = room - np.bincount(places[pinned], minlength=arrays.nodes)
    slots = rng.permutation(np.repeat(np.arange(arrays.nodes), left))
    places[~pinned] = slots[: int((~pinned).sum())]
    return places


def mean_latency(problem: PlacementProblem, chosen: Placement) -> float:
    """Return the mean end-to-end delay of tuples at the consumer, in seconds.

    Where R has the worst way, tuples take each way as often as the streams' rates say.
    """
    rates = {(it.source, it.target): it.rate for it in problem.streams}
    latest = ""
    seconds: dict[str, float] = {}
    for name, inputs in problem.path_inputs.items():
        operator = problem.operator(name)
        own = operator.execution_time / problem.node(chosen[name]).speedup
        total = sum(rates[it, name] for it in inputs)
        arriving = sum(
            rates[it, name] * (seconds[it] + problem.delay(chosen[it], chosen[name]))
            for it in inputs
        )
        seconds[name] = own + (arriving / total if total else 0.0)
        latest = name
    return seconds[latest]
