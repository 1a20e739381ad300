"""Where shuffled tuples go: to operators on the sender's own node, if there are any.

Storm's shuffle (`LoadAwareShuffleGrouping`) sends all tuples to tasks in the sender's own worker,
if there are none to those on its host, else to all. It looks further only while the queues of those
near it are filled by more than `topology.localityaware.higher.bound`, 0.8 of 32,768 tuples. So what
executors get depends on where the others of their component are.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

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
    operators
        How many operators there are.
    """

    sources: Indices
    targets: Indices
    groups: Indices
    weights: Floats
    parts: Floats
    order: Indices
    operators: int

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
        ahead = np.flatnonzero(forward)
        return cls(
            sources=sources,
            targets=targets,
            groups=groups,
            weights=np.where(chosen & (carried[groups] == 0), 1.0, rates),
            parts=parts,
            order=ahead[np.lexsort((groups[ahead], sources[ahead], at[ahead]))],
            operators=operators,
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
        operators, streams = np.ones(self.operators), np.ones(len(self.sources))
        operators[self.targets[self.order]] = 0.0
        for _, run in groupby(
            self.order.tolist(), key=lambda it: (self.sources[it], self.groups[it])
        ):
            members = np.array(list(run))
            source, group = self.sources[members[0]], self.groups[members[0]]
            found = np.full(len(members), operators[source])
            if group >= 0:
                found *= self._nearest(members, levels)
            streams[members] = found
            np.add.at(operators, self.targets[members], self.parts[members] * found)
        others = np.setdiff1d(np.arange(len(streams)), self.order)
        streams[others] = operators[self.sources[others]]
        return operators, streams

    def conserved_sets(self, traits: Sequence[Hashable]) -> Indices:
        """Return for each operator a number that those share among whom tuples are only divided.

        The multiples of those with one number add up to how many these are, wherever operators
        are: they are alike, and so is what they get. −1: that may not be so.

        Parameters
        ----------
        traits
            [operator]: what has to be the same for operators to be alike.
        """
        targets_of = {
            group: frozenset(self.targets[self.groups == group].tolist())
            for group in np.unique(self.groups[self.groups >= 0]).tolist()
        }
        sets = {it: {frozenset((it,))} for it in range(self.operators)}
        for targets in targets_of.values():
            for it in targets:
                sets[it] = {*(known for known in sets[it] if len(known) > 1), targets}
        found = np.full(self.operators, -1)
        into: dict[frozenset[int], list[int]] = {}
        for stream in self.order.tolist():
            for targets in sets[int(self.targets[stream])]:
                into.setdefault(targets, []).append(stream)
        for operator in self._upstream_first():
            if found[operator] >= 0 or len(sets[operator]) > 1:
                continue
            (alike,) = sets[operator]
            if len({traits[it] for it in alike}) == 1 and self._divides(into.get(alike, []), found):
                found[list(alike)] = operator
        return found

    def _upstream_first(self) -> list[int]:
        """Return operators after all those that lead to them."""
        last = np.zeros(self.operators, dtype=np.int64)
        last[self.targets[self.order]] = 1 + np.arange(len(self.order))
        return [int(it) for it in np.argsort(last, kind="stable")]

    def _divides(self, streams: list[int], found: Indices) -> bool:
        """Return whether all who send along these are in sets, each of which gives alike."""
        given: dict[int, float] = {}
        for stream in streams:
            source = int(self.sources[stream])
            given[source] = given.get(source, 0.0) + float(self.parts[stream])
        by_set: dict[int, set[float]] = {}
        for source, part in given.items():
            by_set.setdefault(int(found[source]), set()).add(round(part, 12))
        whole = all(
            set(np.flatnonzero(found == number).tolist()) <= given.keys() for number in by_set
        )
        return -1 not in by_set and whole and all(len(it) == 1 for it in by_set.values())

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
