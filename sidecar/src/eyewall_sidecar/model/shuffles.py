"""Where shuffled tuples go: to operators on the sender's own node, if there are any.

Storm's shuffle (`LoadAwareShuffleGrouping`) sends all tuples to tasks in the sender's own worker,
if there are none to those on its host, else to all. It looks further only while the queues of those
near it are filled by more than `topology.localityaware.higher.bound`, 0.8 of 32,768 tuples. So what
executors get depends on where the others of their component are.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Indices

KEPT = 4
"""Placements whose multiples are remembered: what runs, and what is held against it."""
NO_GROUP = -1
"""Of a stream whose tuples do not depend on where others of its target's component are."""


@dataclass(frozen=True, slots=True, eq=False)
class Shuffles:
    """How tuples spread along streams, for any placement.

    Rates, visits and demands of a problem are those of an even spread; a multiple of 1 is that.

    Parameters
    ----------
    sources, targets
        [stream]: its ends.
    groups
        [stream]: streams of one source with the same number share its tuples; `NO_GROUP`: none.
    weights
        [stream]: its part of what its group carries where no target is near, in any unit.
    parts
        [stream]: its part of what its target gets where all spread evenly.
    order
        The streams that lead forward, sources in topological order, those of a group side by side.
    others
        All other streams.
    alternatives
        [operator]: those with the same number are targets of the same shuffle; −1: of none.
    operators
        How many operators there are.
    """

    sources: Indices
    targets: Indices
    groups: Indices
    weights: Floats
    parts: Floats
    order: Indices
    others: Indices
    alternatives: Indices
    operators: int
    _runs: tuple[Indices, ...] = field(repr=False)
    _known: dict[bytes, tuple[Floats, Floats]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        sources: Indices,
        targets: Indices,
        rates: Floats,
        system: Flags,
        groups: Indices,
        path_order: Indices,
        operators: int,
    ) -> Self:
        """Find out what spreads where; a group of one stream, or on a way back, is none.

        Parameters
        ----------
        rates, system
            [stream]: tuples/s, and whether it is Storm's own.
        path_order
            Operators on paths, in topological order.
        """
        position = np.full(operators, -1)
        position[path_order] = np.arange(len(path_order))
        at, to = position[sources], position[targets]
        forward = ~system & (at >= 0) & (at < to)
        grouped = forward & (groups >= 0)
        size = np.bincount(groups[grouped], minlength=int(groups.max(initial=0)) + 1)
        chosen = grouped & (size[groups] > 1)
        groups = np.where(chosen, groups, NO_GROUP)
        carried = np.bincount(groups[chosen], rates[chosen], len(size))
        received = np.bincount(targets[forward], rates[forward], operators)[targets]
        inputs = np.bincount(targets[forward], minlength=operators)[targets]
        none = forward & (received == 0)
        parts = np.divide(rates, received, out=np.zeros(len(rates)), where=forward & ~none)
        parts[none] = 1.0 / inputs[none]
        first = np.full(len(size), operators)
        np.minimum.at(first, groups[chosen], targets[chosen])
        alternatives = np.full(operators, -1)
        _, alternatives[targets[chosen]] = np.unique(first[groups[chosen]], return_inverse=True)
        ahead = np.flatnonzero(forward)
        order = ahead[np.lexsort((groups[ahead], sources[ahead], at[ahead]))]
        begins = np.flatnonzero((np.diff(sources[order]) != 0) | (np.diff(groups[order]) != 0)) + 1
        return cls(
            sources=sources,
            targets=targets,
            groups=groups,
            weights=np.where(chosen & (carried[groups] == 0), 1.0, rates),
            parts=parts,
            order=order,
            others=np.flatnonzero(~forward),
            alternatives=alternatives,
            operators=operators,
            _runs=tuple(np.split(order, begins)) if len(order) else (),
        )

    @property
    def matter(self) -> bool:
        """Whether anything depends on the placement."""
        return bool((self.groups >= 0).any())

    def multiples(self, levels: Sequence[Indices]) -> tuple[Floats, Floats]:
        """Return by what each operator's and each stream's tuples are multiplied.

        Parameters
        ----------
        levels
            [operator]: where it is; the nearest first, as its worker and then its host.
        """
        # One placement is looked at in many scenarios. Several threads may ask at once.
        placement = b"".join(it.tobytes() for it in levels)
        if (found := self._known.get(placement)) is None:
            found = self._multiples(levels)
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[placement] = found
        return found

    def _multiples(self, levels: Sequence[Indices]) -> tuple[Floats, Floats]:
        operators, streams = np.ones(self.operators), np.ones(len(self.sources))
        operators[self.targets[self.order]] = 0.0
        for members in self._runs:
            found = operators[self.sources[members]]
            if self.groups[members[0]] != NO_GROUP:
                found = found * self._nearest(members, levels)
            streams[members] = found
            np.add.at(operators, self.targets[members], self.parts[members] * found)
        streams[self.others] = operators[self.sources[self.others]]
        return operators, streams

    def _nearest(self, members: Indices, levels: Sequence[Indices]) -> Floats:
        weights = self.weights[members]
        for places in levels:
            near = places[self.targets[members]] == places[self.sources[members]]
            if (total := weights[near].sum()) > 0:
                return np.where(near, weights.sum() / total, 0.0)
        return np.ones(len(members))


def shuffle_numbers(names: Sequence[tuple[Hashable, str | None]]) -> Indices:
    """Return one number for all streams with the same source and shuffle; `NO_GROUP` without."""
    numbers: dict[tuple[Hashable, str], int] = {}
    return np.array(
        [
            NO_GROUP if name is None else numbers.setdefault((source, name), len(numbers))
            for source, name in names
        ],
        dtype=np.int64,
    )
