"""What nodes and links still hold while operators are placed one after the other."""

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.violations import TOLERANCE

NOWHERE = -1
"""The place of an operator that is not placed yet."""


class RemainingCapacity:
    """A placement that grows, and what it leaves (constraints 11, 12 and 17 of paper 000).

    Attributes
    ----------
    arrays
        The problem.
    places
        [operator]: the place of its node, or NOWHERE.
    loads
        [resource, node]: what the operators placed so far need.
    """

    def __init__(self, arrays: ProblemArrays) -> None:
        """Begin with nothing placed."""
        self.arrays = arrays
        self.places: Places = np.full(arrays.operators, NOWHERE, dtype=np.int64)
        self.loads: Floats = np.zeros_like(arrays.limits)
        apart = np.flatnonzero(arrays.sources != arrays.targets)
        ends = np.concatenate([arrays.sources[apart], arrays.targets[apart]])
        by_operator = np.argsort(ends, kind="stable")
        self._rows = np.searchsorted(ends[by_operator], np.arange(arrays.operators + 1))
        self._others = np.concatenate([arrays.targets[apart], arrays.sources[apart]])[by_operator]
        self._streams = np.concatenate([apart, apart])[by_operator]
        self._outward = (np.arange(len(ends)) < len(apart))[by_operator]
        self._limited = bool(np.isfinite(arrays.bandwidths).any())
        if self._limited:
            self._bytes: Floats = arrays.rates * arrays.sizes
            self._traffic: Floats = np.zeros_like(arrays.bandwidths)
            self._widths = arrays.bandwidths + TOLERANCE * np.maximum(1.0, arrays.bandwidths)

    def placed_streams(self, operator: int) -> tuple[Places, Places, NDArray[np.bool_]]:
        """Return the operator's streams whose other end is placed.

        Returns
        -------
        [stream]: the node of the other end, the place of the stream, whether it leaves the
        operator. Streams from an operator to itself are not among them.
        """
        row = slice(self._rows[operator], self._rows[operator + 1])
        nodes = self.places[self._others[row]]
        placed = nodes != NOWHERE
        return nodes[placed], self._streams[row][placed], self._outward[row][placed]

    def holding(self, operator: int) -> NDArray[np.bool_]:
        """Return [node]: whether it is a candidate and has room, and its links carry the rest."""
        needs = self.arrays.requirements[:, operator, None]
        holding: NDArray[np.bool_] = self.arrays.allowed[operator] & (
            (needs == 0) | (self.loads + needs <= self.arrays.limits)
        ).all(axis=0)
        return holding & self._carrying(operator) if self._limited else holding

    def further(self, operator: int) -> Floats:
        """Return [node]: how many operators of this size it has room for; may be infinite."""
        needs = self.arrays.requirements[:, operator]
        counted = needs > 0
        left = self.arrays.limits[counted] - self.loads[counted]
        return np.asarray((left / needs[counted, None]).min(axis=0), dtype=np.float64)

    def put(self, operator: int, node: int) -> None:
        """Place an operator that is nowhere."""
        self._count(operator, node, 1.0)
        self.places[operator] = node

    def take_back(self, operator: int) -> None:
        """Undo `put`."""
        node = int(self.places[operator])
        self.places[operator] = NOWHERE
        self._count(operator, node, -1.0)

    def _carrying(self, operator: int) -> NDArray[np.bool_]:
        nodes, streams, outward = self.placed_streams(operator)
        carrying = np.ones(self.arrays.nodes, dtype=np.bool_)
        for direction in (True, False):
            there = outward == direction
            added = np.bincount(
                nodes[there], self._bytes[streams[there]], minlength=self.arrays.nodes
            )
            busy = np.flatnonzero(added)
            if direction:
                after, widths = self._traffic[:, busy] + added[busy], self._widths[:, busy]
            else:
                after, widths = self._traffic[busy].T + added[busy], self._widths[busy].T
            carrying &= (after <= widths).all(axis=1)
        return carrying

    def _count(self, operator: int, node: int, sign: float) -> None:
        self.loads[:, node] += sign * self.arrays.requirements[:, operator]
        if self._limited:
            nodes, streams, outward = self.placed_streams(operator)
            amounts = sign * self._bytes[streams]
            np.add.at(self._traffic[node], nodes[outward], amounts[outward])
            np.add.at(self._traffic[:, node], nodes[~outward], amounts[~outward])
