"""Executors among whom a shuffle only divides tuples: together they get the same everywhere.

So a proof knows what a component costs at least before it knows who gets its tuples.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from eyewall_sidecar.model.array_types import Indices
from eyewall_sidecar.model.shuffles import NO_GROUP, Shuffles

_Sender = tuple[int, int, float]
"""An operator, its group and the weight that a stream has in that."""


def conserved_sets(shuffles: Shuffles, traits: Sequence[Hashable]) -> Indices:
    """Return for each operator a number that those share among whom tuples are only divided.

    The multiples of those with one number add up to how many these are, wherever operators
    are, and are known together: they are alike, and whatever leads to one leads to all, with
    as much to each, be it ungrouped or by a shuffle whose targets are exactly these. −1: that
    may not be so.

    Parameters
    ----------
    traits
        [operator]: what has to be the same for operators to be alike.
    """
    arriving: list[dict[_Sender, float]] = [{} for _ in range(shuffles.operators)]
    targets_of: dict[int, set[int]] = {}
    ahead = shuffles.order
    for source, target, group, part, weight in zip(
        shuffles.sources[ahead].tolist(),
        shuffles.targets[ahead].tolist(),
        shuffles.groups[ahead].tolist(),
        shuffles.parts[ahead].tolist(),
        np.where(shuffles.groups[ahead] == NO_GROUP, 0.0, shuffles.weights[ahead]).tolist(),
        strict=True,
    ):
        sender = source, group, weight
        arriving[target][sender] = arriving[target].get(sender, 0.0) + part
        if group != NO_GROUP:
            targets_of.setdefault(group, set()).add(target)
    shared_by = {group: frozenset(it) for group, it in targets_of.items()}
    numbers = {it: number for number, it in enumerate(dict.fromkeys(shared_by.values()))}
    numbered = {group: numbers[it] for group, it in shared_by.items()}
    found = np.full(shuffles.operators, -1)
    members: dict[int, list[int]] = {}
    refused: set[int] = set()
    for operator in _upstream_first(shuffles):
        if found[operator] >= 0 or operator in refused:
            continue
        groups = [group for _, group, _ in arriving[operator] if group != NO_GROUP]
        alike = sorted(shared_by[groups[0]]) if groups else [operator]
        if (
            len({numbered[it] for it in groups}) <= 1
            and len({(traits[it], _rounded(arriving[it])) for it in alike}) == 1
            and _divides(arriving[operator], found, members)
        ):
            found[alike] = operator
            members[operator] = alike
        else:
            refused.update(alike)
    return found


def _upstream_first(shuffles: Shuffles) -> list[int]:
    """Return operators after all those that lead to them."""
    last = np.zeros(shuffles.operators, dtype=np.int64)
    last[shuffles.targets[shuffles.order]] = 1 + np.arange(len(shuffles.order))
    return [int(it) for it in np.argsort(last, kind="stable")]


def _divides(
    arriving: Mapping[_Sender, float], found: Indices, members: Mapping[int, list[int]]
) -> bool:
    """Return whether all who send are whole sets, each of which gives alike."""
    given: dict[int, float] = {}
    for (source, _, _), part in arriving.items():
        given[source] = given.get(source, 0.0) + part
    sets = {int(found[it]) for it in given}
    return -1 not in sets and all(
        all(it in given for it in members[number])
        and len({round(given[it], 12) for it in members[number]}) == 1
        for number in sets
    )


def _rounded(parts: Mapping[_Sender, float]) -> frozenset[tuple[_Sender, float]]:
    return frozenset((key, round(part, 12)) for key, part in parts.items())
