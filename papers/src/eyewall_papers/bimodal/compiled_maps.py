"""Partial maps as rows of arrays: `partial_map`, `agent` and `metric` for compiled code.

A row has the row from which it was sent as its parent, so the rows of one map are its visits, the
last one first.
"""

from typing import NamedTuple

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, subroutine
from eyewall_sidecar.model.violations import TOLERANCE

from eyewall_papers.bimodal.mapping_arrays import NONE, TaskArrays
from eyewall_papers.bimodal.metric import ALIKE

DEDICATED, PUBLIC = 0, 1
"""Kinds of links, in the order of their names."""


BITS = 62
"""The number of bits that distinguish nodes before a map is examined in full."""


class Maps(NamedTuple):
    """Partial maps.

    Parameters
    ----------
    used
        [0]: how many rows there are.
    parent
        [row]: the row that was sent here, NONE at the source.
    node, operators, arrived
        [row]: the last visit.
    length, spent
        [row]: as in `PartialMap`.
    dedicated, public
        [row]: streams on dedicated links, and on public ones.
    before
        [row]: a bit for each earlier visit, that of its node's place modulo BITS.
    balance
        [row]: mean load factor of the nodes that hold operators.
    loads, loaded, load
        [row], [row, place], [row, place]: how many nodes hold operators, which, how loaded.
    """

    used: Places
    parent: Places
    node: Places
    operators: Places
    arrived: Places
    length: Places
    spent: Floats
    dedicated: Places
    public: Places
    before: Places
    balance: Floats
    loads: Places
    loaded: Places
    load: Floats


@compiled
def create_maps(capacity: int, operators: int) -> Maps:
    """Return room for so many maps of a task."""
    return Maps(
        np.zeros(1, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity, np.int64),
        np.empty((capacity, operators), np.int64),
        np.empty((capacity, operators)),
    )


@subroutine
def arrive(maps: Maps, sent: int, node: int, arrived: int, spent: float) -> int:
    """Add the map that a row becomes at the node that it is sent to; NONE begins one."""
    row = int(maps.used[0])
    maps.used[0] += 1
    maps.parent[row] = sent
    maps.node[row] = node
    maps.operators[row] = 0
    maps.arrived[row] = arrived
    maps.spent[row] = spent
    maps.length[row] = maps.dedicated[row] = maps.public[row] = maps.loads[row] = 0
    maps.before[row] = 0
    maps.balance[row] = 0.0
    if sent != NONE:
        maps.length[row] = maps.length[sent]
        maps.dedicated[row] = maps.dedicated[sent]
        maps.public[row] = maps.public[sent]
        if arrived == PUBLIC:
            maps.public[row] += 1
        elif maps.operators[sent] > 0:
            maps.dedicated[row] += 1
        maps.before[row] = maps.before[sent] | (1 << (maps.node[sent] % BITS))
        maps.balance[row] = maps.balance[sent]
        maps.loads[row] = maps.loads[sent]
        for place in range(maps.loads[sent]):
            maps.loaded[row, place] = maps.loaded[sent, place]
            maps.load[row, place] = maps.load[sent, place]
    return row


@subroutine
def hold(maps: Maps, came: int, operators: int, load: float) -> int:
    """Add the map that puts the next operators on its present node."""
    row = int(maps.used[0])
    maps.used[0] += 1
    maps.parent[row] = maps.parent[came]
    maps.node[row] = maps.node[came]
    maps.operators[row] = operators
    maps.arrived[row] = maps.arrived[came]
    maps.length[row] = maps.length[came] + operators
    maps.spent[row] = 0.0
    maps.dedicated[row] = maps.dedicated[came]
    maps.public[row] = maps.public[came]
    maps.before[row] = maps.before[came]
    kept, total = 0, 0.0
    for place in range(maps.loads[came]):
        if maps.loaded[came, place] != maps.node[came]:
            maps.loaded[row, kept] = maps.loaded[came, place]
            maps.load[row, kept] = maps.load[came, place]
            total += maps.load[row, kept]
            kept += 1
    maps.loaded[row, kept] = maps.node[came]
    maps.load[row, kept] = load
    maps.loads[row] = kept + 1
    maps.balance[row] = (total + load) / (kept + 1)
    return row


@subroutine
def may_return(maps: Maps, row: int) -> bool:
    """Whether the map may have visited the node before; False is certain."""
    return bool(maps.before[row] >> (maps.node[row] % BITS) & 1)


@subroutine
def cores(maps: Maps, task: TaskArrays, row: int) -> float:
    """Cores that a map takes of its present node."""
    node, needed = maps.node[row], 0.0
    while row != NONE:
        if maps.node[row] == node:
            for place in range(maps.length[row] - maps.operators[row], maps.length[row]):
                needed += task.cpu[place]
        row = maps.parent[row]
    return needed


@subroutine
def traffic_between(
    maps: Maps, task: TaskArrays, row: int, sender: int, receiver: int, kind: int
) -> float:
    """Bytes/s that a map sends from one node to another by one kind; NONE means any node."""
    total = 0.0
    while maps.parent[row] != NONE:
        sent = maps.parent[row]
        if (
            maps.arrived[row] == kind
            and (sender == NONE or maps.node[sent] == sender)
            and (receiver == NONE or maps.node[row] == receiver)
        ):
            total += task.bandwidths[maps.length[sent] - 1]
        row = sent
    return total


@subroutine
def count_forwarding(maps: Maps, row: int) -> int:
    """Hops of the map's last stream up to here."""
    hops = 0
    while maps.operators[row] == 0 and maps.parent[row] != NONE:
        hops += 1
        row = maps.parent[row]
    return hops


@subroutine
def is_on_route(maps: Maps, row: int, node: int) -> bool:
    """Whether the map's last stream touches a node, the one that sends it included."""
    while row != NONE:
        if maps.node[row] == node:
            return True
        if maps.operators[row] > 0:
            return False
        row = maps.parent[row]
    return False


@subroutine
def is_better(maps: Maps, one: int, other: int) -> bool:
    """Whether one map is preferred, see `metric.Balanced`."""
    mine, theirs = maps.balance[one], maps.balance[other]
    if abs(mine - theirs) > ALIKE:
        return bool(mine < theirs)
    return _precedes_by_kinds(maps, one, other)


@compiled
def best_of(maps: Maps, ranks: Places, rows: Places) -> int:
    """Return the first of whole maps in the metric's order, NONE if there are none."""
    if len(rows) == 0:
        return NONE
    least = maps.balance[rows[0]]
    for row in rows:
        least = min(least, maps.balance[row])
    best = NONE
    for row in rows:
        if maps.balance[row] > least + ALIKE:
            continue
        if best == NONE or _precedes(maps, ranks, row, best):
            best = row
    return best


@compiled
def _precedes(maps: Maps, ranks: Places, one: int, other: int) -> bool:
    if _precedes_by_kinds(maps, one, other):
        return True
    if _precedes_by_kinds(maps, other, one):
        return False
    mine, theirs = maps.balance[one], maps.balance[other]
    if mine != theirs:
        return bool(mine < theirs)
    return _precedes_by_way(maps, ranks, one, other)


@subroutine
def _precedes_by_kinds(maps: Maps, one: int, other: int) -> bool:
    if maps.dedicated[one] != maps.dedicated[other]:
        return bool(maps.dedicated[one] > maps.dedicated[other])
    return bool(maps.public[one] < maps.public[other])


@compiled
def _precedes_by_way(maps: Maps, ranks: Places, one: int, other: int) -> bool:
    mine, theirs = visits(maps, one), visits(maps, other)
    for at in range(min(len(mine), len(theirs))):
        a, b = mine[at], theirs[at]
        if maps.node[a] != maps.node[b]:
            return bool(ranks[maps.node[a]] < ranks[maps.node[b]])
        if maps.operators[a] != maps.operators[b]:
            return bool(maps.operators[a] < maps.operators[b])
        if maps.arrived[a] != maps.arrived[b]:
            return bool(maps.arrived[a] < maps.arrived[b])
    return len(mine) < len(theirs)


@compiled
def visits(maps: Maps, row: int) -> Places:
    """Rows of a map's visits, the source first."""
    count, at = 0, row
    while at != NONE:
        count += 1
        at = maps.parent[at]
    rows = np.empty(count, np.int64)
    for place in range(count - 1, -1, -1):
        rows[place] = row
        row = maps.parent[row]
    return rows


@subroutine
def exceeds_capacity(load: float, capacity: float) -> bool:
    """`violations.exceeds` for compiled code."""
    return load > capacity + TOLERANCE * max(1.0, capacity)
