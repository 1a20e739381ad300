"""The operator graph of the algorithms in a cost space: links between operators, and rates.

Rizou et al., "Solving the multi-operator placement problem" (paper 001), section III: operators,
the links L_ω of each, and which operators are pinned.

Clusters: linked operators at one position, which move as one (paper 001, sections VI and VII).

"In the special case where the solution coincides with the position of a neighboring operator, the
two operators are clustered in one." A cluster needs no memory here: its operators have the same
position to the last bit.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import compiled, kernel
from numpy.typing import NDArray


class OperatorGraph(NamedTuple):
    """The links of each operator, in both directions alike: the cost of a link has none.

    A named tuple, since compiled code takes those as they are.

    Parameters
    ----------
    first
        [operator + 1]: the links of operator i are those from first[i] up to first[i + 1].
    others
        [link end]: the operator at the other end; each neighbour once, in ascending order.
    rates
        [link end]: r(ω ω_i), what all streams between the two carry, > 0, tuples/s.
    pinned
        [operator]: whether its node is given (sources and sinks in the paper).
    """

    first: Places
    others: Places
    rates: Floats
    pinned: NDArray[np.bool_]

    @classmethod
    def of(cls, arrays: ProblemArrays) -> Self:
        """Take a problem's streams; an operator with one candidate is pinned."""
        pinned = arrays.allowed.sum(axis=1) == 1
        return cls.between(arrays.sources, arrays.targets, arrays.data_rates, pinned)

    @classmethod
    def between(
        cls,
        sources: Places,
        targets: Places,
        rates: Sequence[float] | Floats,
        pinned: NDArray[np.bool_],
    ) -> Self:
        """Take streams by their ends; those that carry nothing or lead nowhere pull at nothing.

        Parameters
        ----------
        sources, targets, rates
            [stream]: its ends and its tuples/s.
        pinned
            [operator]: whether its node is given.
        """
        count = len(pinned)
        carried = np.asarray(rates, dtype=np.float64)
        pulling = (carried > 0) & (sources != targets)
        ends, others = sources[pulling], targets[pulling]
        pairs = np.concatenate((ends * count + others, others * count + ends))
        links, link = np.unique(pairs, return_inverse=True)
        first = np.searchsorted(links, np.arange(count + 1, dtype=np.int64) * count)
        totals = np.asarray(np.bincount(link, np.tile(carried[pulling], 2), len(links)), np.float64)
        return cls(first.astype(np.int64), links % max(count, 1), totals, pinned)

    @property
    def operators(self) -> int:
        """The number of operators."""
        return len(self.pinned)

    def neighbours(self, operator: int) -> Places:
        """Return the operators at the other ends of its links."""
        return self.others[self.first[operator] : self.first[operator + 1]]

    def rates_of(self, operator: int) -> Floats:
        """Return what its links carry, as `neighbours` has them."""
        return self.rates[self.first[operator] : self.first[operator + 1]]


NOBODY = -1


@kernel
def gather(
    graph: OperatorGraph,
    positions: Floats,
    operator: int,
    without: int,
    members: Places,
    member_of: Places,
    mark: int,
) -> int:
    """Write an operator's cluster, or the part on its side of a link, into `members`.

    Parameters
    ----------
    positions
        [operator, dimension].
    operator
        Whose cluster.
    without
        The neighbour to which the link is cut, or NOBODY.
    members
        [operator]: written.
    member_of
        [operator]: set to `mark` for members.
    mark
        A number that `member_of` does not contain yet.

    Returns
    -------
    int
        How many members there are; 0 where cutting the link divides nothing.
    """
    members[0] = operator
    member_of[operator] = mark
    count, looked_at = 1, 0
    while looked_at < count:
        member = members[looked_at]
        looked_at += 1
        for link in range(graph.first[member], graph.first[member + 1]):
            other = graph.others[link]
            if member_of[other] == mark or not are_at_one_position(positions, member, other):
                continue
            if other != without:
                members[count] = other
                member_of[other] = mark
                count += 1
            elif member != operator:
                return 0
    return count


@compiled
def are_at_one_position(positions: Floats, one: int, other: int) -> bool:
    """Whether two operators have the same position, to the last bit."""
    same = True
    for axis in range(positions.shape[1]):
        same = same and positions[one, axis] == positions[other, axis]
    return same
