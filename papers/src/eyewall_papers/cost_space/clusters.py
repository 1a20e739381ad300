"""Clusters: linked operators at one position, which move as one (paper 001, sections VI and VII).

"In the special case where the solution coincides with the position of a neighboring operator, the
two operators are clustered in one." A cluster needs no memory here: its operators have the same
position to the last bit.
"""

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel

from eyewall_papers.cost_space.operator_graph import OperatorGraph

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
            if member_of[other] == mark or not at_one_position(positions, member, other):
                continue
            if other != without:
                members[count] = other
                member_of[other] = mark
                count += 1
            elif member != operator:
                return 0
    return count


@compiled
def at_one_position(positions: Floats, one: int, other: int) -> bool:
    """Whether two operators have the same position, to the last bit."""
    same = True
    for axis in range(positions.shape[1]):
        same = same and positions[one, axis] == positions[other, axis]
    return same
