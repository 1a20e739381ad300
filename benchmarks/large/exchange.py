"""Local search on groups: executors move to another node, or change places with another group's."""

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel
from eyewall_sidecar.model.links import Matrix

from benchmarks.large.node_fill import price_group


@kernel
def trade(
    counts: Places,
    sizes: Places,
    requirements: Floats,
    left: Floats,
    rack: Places,
    per_tuple: Matrix,
    sources: Places,
    targets: Places,
    rates: Floats,
    passes: int,
) -> None:
    """Trade while that helps: the best trade of each group's executors on each node, in turn.

    What is traded is one executor or all that the group has on a node, for none, one or all that
    another group has on another node in use. `counts` and `left` are changed in place.
    """
    groups, nodes = counts.shape
    used = [int(node) for node in np.flatnonzero(counts.sum(axis=0))]
    prices = np.zeros((groups, nodes))
    for group in range(groups):
        price_group(group, counts, sizes, rack, per_tuple, sources, targets, rates, prices[group])
    joint = np.zeros((groups, groups))
    for stream in range(len(rates)):
        one, other = sources[stream], targets[stream]
        pairs = sizes[one] * sizes[other]
        joint[one, other] += rates[stream] / pairs
        joint[other, one] += rates[stream] / pairs
    for _ in range(passes):
        traded = False
        for one in range(groups):
            if joint[one, one] > 0.0:
                continue
            for here in used:
                best, best_there, best_other = -1e-12, -1, -1
                best_out, best_back = 0, 0
                for choice in range(2):
                    out = 1 if choice == 0 else counts[one, here]
                    if counts[one, here] < 1 or (choice == 1 and out == 1):
                        continue
                    for there in used:
                        if there == here:
                            continue
                        gain = out * (prices[one, there] - prices[one, here])
                        if gain >= best and gain >= 0.0:
                            continue
                        both = (
                            per_tuple[rack[here], rack[there]] + per_tuple[rack[there], rack[here]]
                        )
                        for other in range(-1, groups):
                            if other >= 0 and (
                                other == one or counts[other, there] < 1 or joint[other, other] > 0
                            ):
                                continue
                            for back_choice in range(1 if other < 0 else 2):
                                back = 0 if other < 0 else 1
                                if back_choice == 1:
                                    back = counts[other, there]
                                    if back == 1:
                                        continue
                                change = gain
                                if other >= 0:
                                    change += back * (prices[other, here] - prices[other, there])
                                    # Prices hold one group still: both move, away from each other.
                                    change += joint[one, other] * out * back * both
                                if change < best and _trade_fits(
                                    requirements, left, one, out, here, other, back, there
                                ):
                                    best, best_there, best_other = change, there, other
                                    best_out, best_back = out, back
                if best_there >= 0:
                    _exchange(
                        counts,
                        requirements,
                        left,
                        one,
                        best_out,
                        here,
                        best_other,
                        best_back,
                        best_there,
                    )
                    traded = True
                    for group in range(groups):
                        near = joint[group, one] > 0.0
                        if best_other >= 0:
                            near = near or joint[group, best_other] > 0.0
                        if near:
                            price_group(
                                group,
                                counts,
                                sizes,
                                rack,
                                per_tuple,
                                sources,
                                targets,
                                rates,
                                prices[group],
                            )
        if not traded:
            return


@compiled
def _trade_fits(
    requirements: Floats,
    left: Floats,
    one: int,
    out: int,
    here: int,
    other: int,
    back: int,
    there: int,
) -> bool:
    for resource in range(len(left)):
        leaving = out * requirements[resource, one]
        coming = back * requirements[resource, other] if other >= 0 else 0.0
        if leaving - coming > left[resource, there] or coming - leaving > left[resource, here]:
            return False
    return True


@compiled
def _exchange(
    counts: Places,
    requirements: Floats,
    left: Floats,
    one: int,
    out: int,
    here: int,
    other: int,
    back: int,
    there: int,
) -> None:
    counts[one, here] -= out
    counts[one, there] += out
    if other >= 0:
        counts[other, there] -= back
        counts[other, here] += back
    for resource in range(len(left)):
        moved = out * requirements[resource, one]
        if other >= 0:
            moved -= back * requirements[resource, other]
        left[resource, here] += moved
        left[resource, there] -= moved
