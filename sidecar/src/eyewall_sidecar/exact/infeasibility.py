"""Why there is no placement: the constraints that bind, in words."""

from collections.abc import Callable, Iterator
from math import fsum

import numpy as np

from eyewall_sidecar.exact.sparse_engine import least_overload
from eyewall_sidecar.model import Node, Placement, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.model.violations import exceeds

ENDLESS = 1e100
"""More than any node offers that is not without limit."""
NEARLY = 1 - 1e-6
"""Of what nodes offer, above which it is looked at closely whether it is enough."""


def obvious_reasons(problem: PlacementProblem, arrays: ProblemArrays) -> tuple[str, ...]:
    """Return what can be seen without a search; any reason means that no placement exists."""
    if _plenty(arrays):
        return ()
    too_big = tuple(_operators_too_big(problem))
    return too_big or tuple(_groups_too_big(problem))


def binding_reasons(
    problem: PlacementProblem,
    arrays: ProblemArrays,
    *,
    ends_at: float,
    clock: Callable[[], float],
    seed: int,
) -> tuple[str, ...]:
    """Name the nodes and links that are overloaded where the overload is the least possible."""
    places, error = least_overload(arrays, ends_at=ends_at, clock=clock, seed=seed)
    if places is None:
        why = f": {error}" if error else " in time"
        return (f"the constraints leave no placement; which of them bind was not found{why}",)
    placement = placement_of(problem, places)
    return (*_overloaded_nodes(problem, placement), *_overloaded_links(problem, placement))


def _plenty(arrays: ProblemArrays) -> bool:
    """Whether every operator fits alone, and all that share candidates do with room to spare."""
    needs, limits, allowed = arrays.requirements, arrays.limits, arrays.allowed
    alone = allowed & (needs[:, :, None] <= limits[:, None, :]).all(axis=0)
    if not alone.any(axis=1).all():
        return False
    if not len(allowed):
        return True
    choices = np.array(list({row.tobytes(): row for row in allowed}.values()))
    # [operator, choice]: whether it can be elsewhere; 0 · ∞ would be no number.
    strays = allowed.astype(np.float64) @ ~choices.T
    together = needs @ (strays == 0)
    return bool((together <= NEARLY * (np.minimum(limits, ENDLESS) @ choices.T)).all())


def _operators_too_big(problem: PlacementProblem) -> Iterator[str]:
    for operator in problem.operators:
        nodes = [problem.node(node) for node in problem.candidates(operator.id)]
        needs = {it: operator.requirement(it) for it in problem.resources}
        if any(_holds(node, needs) for node in nodes):
            continue
        short = [
            resource
            for resource, need in needs.items()
            if all(exceeds(need, node.capacity(resource)) for node in nodes)
        ]
        for resource in short:
            best = max(nodes, key=lambda node: node.capacity(resource))
            yield (
                f"operator {operator.id} needs {resource} {needs[resource]:g}; the most among its "
                f"candidates is {best.capacity(resource):g}, on {best.id}"
            )
        if not short:
            wanted = " and ".join(
                f"{resource} {need:g}" for resource, need in needs.items() if need
            )
            yield (
                f"operator {operator.id} needs {wanted} on one node; none of its candidates "
                f"({listed([node.id for node in nodes])}) has them together"
            )


def _groups_too_big(problem: PlacementProblem) -> Iterator[str]:
    """Operators that can only be on some nodes and together need more than those offer."""
    choices = {it.id: frozenset(problem.candidates(it.id)) for it in problem.operators}
    for nodes in sorted(set(choices.values()), key=lambda it: (len(it), sorted(it))):
        bound = [operator for operator, allowed in choices.items() if allowed <= nodes]
        for resource in problem.resources:
            need = fsum(problem.operator(it).requirement(resource) for it in bound)
            offer = fsum(problem.node(node).capacity(resource) for node in nodes)
            if exceeds(need, offer):
                yield (
                    f"{resource}: operators {listed(bound)} need {need:g} together and can only be "
                    f"on {listed(sorted(nodes))}, offering {offer:g}"
                )


def _holds(node: Node, needs: dict[str, float]) -> bool:
    return not any(exceeds(need, node.capacity(resource)) for resource, need in needs.items())


def _overloaded_nodes(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    for resource in problem.resources:
        for node in problem.nodes:
            holders = [operator for operator, place in placement.items() if place == node.id]
            load = fsum(problem.operator(it).requirement(resource) for it in holders)
            offer = node.capacity(resource)
            if exceeds(load, offer):
                yield (
                    f"{resource} of node {node.id}: at the least overload possible it holds "
                    f"{load:g} ({listed(holders)}) and offers {offer:g}"
                )


def _overloaded_links(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    users: dict[tuple[str, str], list[Stream]] = {}
    for stream in problem.streams:
        ends = placement[stream.source], placement[stream.target]
        users.setdefault(ends, []).append(stream)
    for (source, target), streams in users.items():
        load = fsum(stream.rate * (stream.tuple_bytes or 0) for stream in streams)
        offer = problem.bandwidth(source, target)
        if exceeds(load, offer):
            yield (
                f"bandwidth of link {source} → {target}: at the least overload possible it carries "
                f"{load:g} bytes/s ({listed([str(it) for it in streams])}) and offers {offer:g}"
            )
