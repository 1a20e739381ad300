"""Two operators and all that flows between them, as matrices over the nodes they can be on."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.model.violations import TOLERANCE
from eyewall_sidecar.objectives.costs import Costs

Choices = NDArray[np.bool_]
"""[operator, node]: whether the operator can be there."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two different operators with streams between them; matrices are [node of one, of other].

    Parameters
    ----------
    one, other
        The operators' places, one < other.
    costs
        What all streams between them cost, both ways; infinite where the two cannot be.
    delays
        d from the one on a path's earlier end to the other; None if no path leads along.
    forth, back
        Bytes/s from one to other, and from other to one; 0 if no link is limited.
    """

    one: int
    other: int
    costs: Matrix
    delays: Matrix | None
    forth: float
    back: float


def pair_keys(arrays: ProblemArrays) -> Places:
    """Return one · operators + other for each pair of operators with a stream between them."""
    return np.unique(_keys(arrays)[arrays.sources != arrays.targets])


def pairs_of(arrays: ProblemArrays, costs: Costs) -> tuple[Pair, ...]:
    """Return each pair of operators with a stream between them, once.

    Nodes between which a stream alone exceeds the bandwidth (equation 17) are out, as are those
    whose cost is infinite. A stream from an operator to itself costs nothing and is on no link.
    """
    keys = pair_keys(arrays)
    limited = bool(np.isfinite(arrays.bandwidths).any())
    flows = arrays.rates * arrays.sizes if limited else np.zeros(len(arrays.rates))
    apart = arrays.sources != arrays.targets
    backwards = arrays.sources > arrays.targets
    slot = (2 * np.searchsorted(keys, _keys(arrays)) + backwards)[apart]
    # [pair, 0 for forth and 1 for back]
    streams, rates, traffic = (
        np.bincount(slot, weights[apart], minlength=2 * len(keys)).reshape(-1, 2)
        for weights in (np.ones(len(flows)), costs.data_rates, flows)
    )
    on_paths = set(zip(arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True))
    found = []
    for place, key in enumerate(keys.tolist()):
        one, other = divmod(key, arrays.operators)
        forth, back = traffic[place].tolist()
        between = _costs(costs, rates[place].tolist(), streams[place].tolist())
        between[_exceeds(forth, arrays.bandwidths) | _exceeds(back, arrays.bandwidths.T)] = inf
        delays = None
        if (one, other) in on_paths:
            delays = arrays.delays
        elif (other, one) in on_paths:
            delays = arrays.delays.T
        found.append(Pair(one, other, between, delays, forth, back))
    return tuple(found)


def choices_of(arrays: ProblemArrays, costs: Costs, pairs: Iterable[Pair]) -> Choices:
    """Return where each operator can be for all that one operator, or two, can tell.

    Out are nodes of infinite cost, nodes too small for the operator alone, and nodes from which
    every node of a neighbour is out of reach.
    """
    choices: Choices = arrays.allowed & np.isfinite(costs.per_operator)
    for needs, limits in zip(arrays.requirements, arrays.limits, strict=True):
        choices &= needs[:, np.newaxis] <= limits
    narrow = [(pair, np.isfinite(pair.costs)) for pair in pairs]
    narrow = [(pair, usable) for pair, usable in narrow if not usable.all()]
    while True:
        before = choices.sum()
        for pair, usable in narrow:
            choices[pair.one] &= usable[:, choices[pair.other]].any(axis=1)
            choices[pair.other] &= usable[choices[pair.one]].any(axis=0)
        if choices.sum() == before:
            return choices


def _keys(arrays: ProblemArrays) -> Places:
    one = np.minimum(arrays.sources, arrays.targets)
    other = np.maximum(arrays.sources, arrays.targets)
    keys: Places = one * arrays.operators + other
    return keys


def _costs(costs: Costs, rates: list[float], streams: list[float]) -> Matrix:
    """Return λ · per_rate + per_stream, each way with its own rate."""
    total = np.zeros_like(costs.per_rate)
    ways = ((costs.per_rate, costs.per_stream), (costs.per_rate.T, costs.per_stream.T))
    for (per_rate, per_stream), rate, count in zip(ways, rates, streams, strict=True):
        if count:
            total += rate * per_rate + count * per_stream
    return total


def _exceeds(load: float, bandwidths: Matrix) -> NDArray[np.bool_]:
    """Where the load is more than the link carries, as `model.violations.exceeds` has it."""
    over: NDArray[np.bool_] = load > bandwidths + TOLERANCE * np.maximum(1.0, bandwidths)
    return over
