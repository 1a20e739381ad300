"""How one node extends a map that reaches it: lines 13 to 31 of algorithm 1, 11 to 37 of 3.

Where the pseudo-code is read differently:

- Its loop `for x = 0 to |T| − j − 1` never maps all that is left. Here x goes to |T| − j; the sink
  is an operator of its own that only the delivery node serves, so a map is whole exactly there.
- Line 14 asks t_(j+x) ∈ S(v) with x = 0 let through; with the break at the first component that
  does not fit, all of t_(j+1) … t_(j+x) are served. The sums of line 14 are the cores that the map
  takes of v: those of earlier visits and those of the x new operators.
- Line 23 compares a hop's bandwidth with what is there. A map may use the same link for several
  streams, so its own earlier hops on that link count as well.
- Empty hops are counted for one stream, as its sender's budget pays for them (section 4), and a
  route does not touch a node twice: P_R holds paths, and a loop only costs.
- A map that arrives over the public network must map something: such hops are end to end.
- Algorithm 3 allocates the uplink alone. The receiver knows its downlink, and drops a map that is
  more than it can take.
"""

from collections.abc import Iterator
from math import isinf

from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.partial_map import Hop, PartialMap
from eyewall_papers.bimodal.surroundings import Stock, Surroundings
from eyewall_papers.bimodal.task import Task


def held_here(
    task: Task, partial: PartialMap, here: Surroundings, stock: Stock
) -> Iterator[PartialMap]:
    """Yield the map with the next x operators on this node, for x = 0, 1, … while they fit."""
    if _floods(task, partial, here.node, stock.downlink):
        return
    if partial.length and partial.here.arrived is LinkKind.DEDICATED:
        yield partial
    cores = partial.cores(task, here.node)
    used = 0.0 if isinf(here.cpu) else here.cpu - stock.cpu
    for operators in range(1, len(task.operators) - partial.length + 1):
        place = partial.length + operators - 1
        cores += task.operators[place].cpu
        if not _serves(here, task, place) or exceeds(cores, stock.cpu):
            return
        load = (used + cores) / here.cpu if here.cpu and not isinf(here.cpu) else 0.0
        yield partial.holding(operators, load)


def hops_on(task: Task, partial: PartialMap, here: Surroundings) -> list[Hop]:
    """Links that the map may take out of this node, whatever they carry already.

    Public offers go to nodes that serve the next operator, if this node holds the last one
    (section 4.3).
    """
    touched = partial.open_route
    hops = [hop for hop in here.dedicated if hop.receiver not in touched]
    if partial.here.operators and here.public:
        place = partial.length
        last = place == len(task.operators) - 1
        offer = (task.sink,) if last else here.providers.get(task.services[place - 1], ())
        hops += [here.public[node] for node in offer if node != here.node]
    return hops


def carries(task: Task, partial: PartialMap, hop: Hop, here: Surroundings, stock: Stock) -> bool:
    """Say whether bandwidth, budget and max_null let the map's next stream take the hop."""
    stream = partial.length - 1
    needed = task.bandwidth(stream)
    if hop.kind is LinkKind.PUBLIC:
        used = sum(
            task.bandwidth(it)
            for it, sender, receiver in partial.crossings()
            if sender.node == here.node and receiver.arrived is LinkKind.PUBLIC
        )
        return not exceeds(used + needed, stock.uplink)
    if exceeds(needed, stock.dedicated[hop.receiver]):
        return False
    if len(partial.open_route) - 1 > task.max_null:
        return False
    if exceeds(partial.spent + hop.price, task.budgets[stream]):
        return False
    used = sum(
        task.bandwidth(it)
        for it, sender, receiver in partial.crossings()
        if (sender.node, receiver.node, receiver.arrived)
        == (here.node, hop.receiver, LinkKind.DEDICATED)
    )
    return not exceeds(used + needed, stock.dedicated[hop.receiver])


def _serves(here: Surroundings, task: Task, place: int) -> bool:
    """Say whether the node may hold the operator at that place: t ∈ S(v), or an end pinned here."""
    if place == 0:
        return here.node == task.source
    if place == len(task.operators) - 1:
        return here.node == task.sink
    return task.services[place - 1] in here.services


def _floods(task: Task, partial: PartialMap, node: str, downlink: float) -> bool:
    if partial.here.arrived is LinkKind.DEDICATED:
        return False
    used = sum(
        task.bandwidth(stream)
        for stream, _, receiver in partial.crossings()
        if receiver.node == node and receiver.arrived is LinkKind.PUBLIC
    )
    return exceeds(used, downlink)
