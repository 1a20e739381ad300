"""Places one topology's groups on free nodes, in time linear in executors."""

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel
from eyewall_sidecar.model.links import Matrix


@kernel
def fill_evenly(
    sizes: Places, requirements: Floats, left: Floats, nodes: Places
) -> tuple[bool, Places]:
    """Fill node after node, with the same mix of groups on each as far as whole executors allow.

    A mix keeps as much of every stream within nodes as the number of nodes in use permits,
    whichever groups exchange tuples.

    Parameters
    ----------
    sizes, requirements
        As in `Crowd`.
    left
        [resource, node]: what is free.
    nodes
        Which nodes to fill, in this order.

    Returns
    -------
    Whether all found room, and [group, node]: how many are where.
    """
    groups = len(sizes)
    counts = np.zeros((groups, left.shape[1]), dtype=np.int64)
    remaining = sizes.copy()
    free = np.empty(len(left))
    for node in nodes:
        free[:] = left[:, node]
        while True:
            # The group of which the greatest share still waits, among those that fit.
            next_group, greatest = -1, 0.0
            for group in range(groups):
                share = remaining[group] / sizes[group]
                if share > greatest and _holds(requirements, free, group, 1):
                    next_group, greatest = group, share
            if next_group < 0:
                break
            counts[next_group, node] += 1
            remaining[next_group] -= 1
            free -= requirements[:, next_group]
        if remaining.sum() == 0:
            return True, counts
    return remaining.sum() == 0, counts


@kernel
def improve_group(
    group: int,
    counts: Places,
    sizes: Places,
    requirements: Floats,
    left: Floats,
    rack: Places,
    per_tuple: Matrix,
    sources: Places,
    targets: Places,
    rates: Floats,
) -> bool:
    """Move all executors of one group to where they cost the least, the others staying.

    Without streams within the group its cost is a price for each node, and the cheapest nodes that
    have room are the best there is. `counts` and `left` are changed in place.

    Returns
    -------
    Whether the cost fell.
    """
    nodes = len(rack)
    price = np.zeros(nodes)
    price_group(group, counts, sizes, rack, per_tuple, sources, targets, rates, price)
    before, after = 0.0, 0.0
    old = counts[group].copy()
    new = np.zeros(nodes, dtype=np.int64)
    remaining = sizes[group]
    for node in range(nodes):
        before += price[node] * old[node]
        for resource in range(len(left)):
            left[resource, node] += requirements[resource, group] * old[node]
    for node in np.argsort(price, kind="mergesort"):
        if remaining == 0:
            break
        number = remaining
        while number > 0 and not _holds(requirements, left[:, node], group, number):
            number = _most(requirements, left[:, node], group, number)
        new[node] = number
        after += price[node] * number
        remaining -= number
    helps = remaining == 0 and after < before - 1e-12 * abs(before)
    if not helps:
        new[:] = old
    counts[group] = new
    for node in range(nodes):
        for resource in range(len(left)):
            left[resource, node] -= requirements[resource, group] * new[node]
    return helps


@kernel
def price_group(
    group: int,
    counts: Places,
    sizes: Places,
    rack: Places,
    per_tuple: Matrix,
    sources: Places,
    targets: Places,
    rates: Floats,
    price: Floats,
) -> None:
    """Fill [node]: what one executor of the group costs there, given all other groups.

    Streams from the group to itself are left out.
    """
    nodes, racks = len(rack), len(per_tuple)
    by_rack, toll = np.zeros(racks), np.zeros(racks)
    price[:] = 0.0
    for stream in range(len(rates)):
        outward, inward = sources[stream] == group, targets[stream] == group
        if outward == inward:
            continue
        other = targets[stream] if outward else sources[stream]
        by_rack[:] = 0.0
        for node in range(nodes):
            by_rack[rack[node]] += counts[other, node]
        for here in range(racks):
            toll[here] = 0.0
            for there in range(racks):
                cost = per_tuple[here, there] if outward else per_tuple[there, here]
                toll[here] += cost * by_rack[there]
        rate = rates[stream] / sizes[other] / sizes[group]
        for node in range(nodes):
            at = rack[node]
            price[node] += rate * (toll[at] - per_tuple[at, at] * counts[other, node])


@kernel
def fill_in_order(
    sizes: Places, requirements: Floats, left: Floats, nodes: Places, order: Places
) -> tuple[bool, Places]:
    """Fill node after node with one group after the other, each whole if it can be.

    Groups that talk to each other should follow each other in `order`. Arguments and results are
    otherwise those of `fill_evenly`.
    """
    counts = np.zeros((len(sizes), left.shape[1]), dtype=np.int64)
    free = left.copy()
    for group in order:
        remaining = sizes[group]
        for node in nodes:
            number = remaining
            while number > 0 and not _holds(requirements, free[:, node], group, number):
                number = _most(requirements, free[:, node], group, number)
            counts[group, node] += number
            remaining -= number
            for resource in range(len(free)):
                free[resource, node] -= requirements[resource, group] * number
            if remaining == 0:
                break
        if remaining > 0:
            return False, counts
    return True, counts


@compiled
def _holds(requirements: Floats, free: Floats, group: int, number: int) -> bool:
    """Whether so many executors of the group fit."""
    for resource in range(len(free)):
        if requirements[resource, group] * number > free[resource]:
            return False
    return True


@compiled
def _most(requirements: Floats, free: Floats, group: int, number: int) -> int:
    """Return a number less than this one that may fit: what each resource holds, rounded down."""
    most = number - 1
    for resource in range(len(free)):
        if requirements[resource, group] > 0.0:
            most = min(most, int(free[resource] / requirements[resource, group]))
    return max(most, 0)
