"""The negotiation of a network's agents, compiled: algorithm 3 of paper 004 for simulations.

`negotiate` passes some 30,000 messages between agents for each task of section 6, which takes a
second, and figure 9 needs a million tasks. Here the same state machines run on arrays, a hundred
times as fast: LeastCostMap with the balanced metric, messages first in, first out. The agents are
the reference; a test compares both message by message.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel, subroutine

from eyewall_papers.bimodal.compiled_maps import (
    DEDICATED,
    PUBLIC,
    Maps,
    arrive,
    best_of,
    cores,
    count_forwarding,
    create_maps,
    exceeds_capacity,
    hold,
    is_better,
    is_on_route,
    may_return,
    traffic_between,
    visits,
)
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.mapping_arrays import (
    NONE,
    Flags,
    FreeArrays,
    NetworkArrays,
    TaskArrays,
    free_arrays,
    network_arrays,
    task_arrays,
)
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.partial_map import MapVisit, PartialMap
from eyewall_papers.bimodal.task import Task

MESSAGES_PER_MAP = 8

MAP, MAP_WITH_TASK, REGULAR_ACK, FINAL_ACK, UNKNOWN = range(5)


class Mail(NamedTuple):
    """Messages in the order in which they are sent: [0] of `ends` is handled next, [1] is free."""

    ends: Places
    kind: Places
    sender: Places
    receiver: Places
    row: Places
    arrived: Places
    spent: Floats


class Computations(NamedTuple):
    """Each node's part, see `agent.Computation`; `best` is [node, length], `knows` [node, node]."""

    engaged: Flags
    pred: Places
    outstanding: Places
    knows: Flags
    best: Places


class CompiledOutcome(NamedTuple):
    """How a negotiation ended.

    Parameters
    ----------
    maps
        All partial maps.
    best
        The row of the best whole one, NONE if there is none.
    sent
        How many map messages there were, those that came back included.
    finished
        Whether the arrays were long enough.
    """

    maps: Maps
    best: int
    sent: int
    finished: bool


@kernel
def run_negotiation(
    network: NetworkArrays, free: FreeArrays, task: TaskArrays, capacity: int
) -> CompiledOutcome:
    """Run the agents until no message is under way.

    Parameters
    ----------
    capacity
        How many partial maps there is room for, and MESSAGES_PER_MAP times as many messages.
    """
    nodes, operators = len(network.cpu), len(task.cpu)
    maps = create_maps(capacity, operators)
    mail = _no_mail(MESSAGES_PER_MAP * capacity)
    parts = Computations(
        np.zeros(nodes, np.bool_),
        np.full(nodes, NONE),
        np.zeros(nodes, np.int64),
        np.zeros((nodes, nodes), np.bool_),
        np.full((nodes, operators + 1), NONE),
    )
    found = np.empty(capacity, np.int64)
    parts.engaged[task.sink] = True
    parts.outstanding[task.sink] = 1
    parts.knows[task.sink, task.source] = True
    _post(mail, MAP_WITH_TASK, task.sink, task.source, NONE, DEDICATED, 0.0)
    sent = whole = 0
    most_sent = max(len(network.receivers), nodes) * operators + operators + 2
    while mail.ends[0] < mail.ends[1]:
        at = mail.ends[0]
        mail.ends[0] += 1
        here, sender, kind = mail.receiver[at], mail.sender[at], mail.kind[at]
        if maps.used[0] + operators > capacity or mail.ends[1] + most_sent > len(mail.kind):
            return CompiledOutcome(maps, NONE, sent, finished=False)
        if kind in (MAP, MAP_WITH_TASK):
            sent += 1
            known = parts.engaged[here]
            if not known and kind == MAP:
                row, arrived, spent = mail.row[at], mail.arrived[at], mail.spent[at]
                _post(mail, UNKNOWN, here, sender, row, arrived, spent)
                continue
            if known:
                _post(mail, REGULAR_ACK, here, sender, NONE, DEDICATED, 0.0)
            else:
                _engage(parts, here, sender)
            whole = _extend(network, free, task, maps, mail, parts, at, found, whole)
            if not known:
                _end(parts, mail, here)
        elif kind == UNKNOWN:
            parts.knows[here, sender] = True
            row, arrived, spent = mail.row[at], mail.arrived[at], mail.spent[at]
            _post(mail, MAP_WITH_TASK, here, sender, row, arrived, spent)
        else:
            parts.outstanding[here] -= 1
            if kind == FINAL_ACK:
                parts.knows[here, sender] = False
            _end(parts, mail, here)
    return CompiledOutcome(maps, best_of(maps, network.ranks, found[:whole]), sent, finished=True)


@subroutine
def _engage(parts: Computations, here: int, sender: int) -> None:
    parts.engaged[here] = True
    parts.pred[here] = sender
    parts.outstanding[here] = 0
    parts.knows[here, :] = False
    parts.knows[here, sender] = True
    parts.best[here, :] = NONE


@subroutine
def _end(parts: Computations, mail: Mail, here: int) -> None:
    if parts.outstanding[here] == 0:
        parts.engaged[here] = False
        if parts.pred[here] != NONE:
            _post(mail, FINAL_ACK, here, parts.pred[here], NONE, DEDICATED, 0.0)


@subroutine
def _extend(
    network: NetworkArrays,
    free: FreeArrays,
    task: TaskArrays,
    maps: Maps,
    mail: Mail,
    parts: Computations,
    at: int,
    found: Places,
    whole: int,
) -> int:
    """Send a map on with x more operators here, for each x; return the number of whole maps."""
    here = mail.receiver[at]
    came = arrive(maps, mail.row[at], here, mail.arrived[at], mail.spent[at])
    again = may_return(maps, came)
    if maps.arrived[came] == PUBLIC:
        inward = task.bandwidths[maps.length[came] - 1]
        if again:
            inward = traffic_between(maps, task, came, NONE, here, PUBLIC)
        if exceeds_capacity(inward, free.downlinks[here]):
            maps.used[0] = came
            return whole
    kept = False
    if maps.length[came] and maps.arrived[came] == DEDICATED:
        kept = _send_on(network, free, task, maps, mail, parts, came)
    needed = cores(maps, task, came) if again else 0.0
    used = 0.0 if np.isinf(network.cpu[here]) else network.cpu[here] - free.cpu[here]
    length = maps.length[came]
    for operators in range(1, len(task.cpu) - length + 1):
        place = length + operators - 1
        needed += task.cpu[place]
        if not _can_hold_operator(network, task, here, place) or exceeds_capacity(
            needed, free.cpu[here]
        ):
            break
        load = 0.0
        if network.cpu[here] > 0.0 and not np.isinf(network.cpu[here]):
            load = (used + needed) / network.cpu[here]
        held = hold(maps, came, operators, load)
        if maps.length[held] == len(task.cpu):
            found[whole] = held
            return whole + 1
        if not _send_on(network, free, task, maps, mail, parts, held):
            maps.used[0] = held
    if not kept and maps.used[0] == came + 1:
        maps.used[0] = came
    return whole


@subroutine
def _send_on(
    network: NetworkArrays,
    free: FreeArrays,
    task: TaskArrays,
    maps: Maps,
    mail: Mail,
    parts: Computations,
    row: int,
) -> bool:
    """Offer the map to neighbours and providers, if LeastCostMap does; return whether."""
    here, length = maps.node[row], maps.length[row]
    best = parts.best[here, length]
    if best != NONE and not is_better(maps, row, best):
        return False
    parts.best[here, length] = row
    stream = length - 1
    needed = task.bandwidths[stream]
    hops = count_forwarding(maps, row)
    again = may_return(maps, row)
    for link in range(network.first_link[here], network.first_link[here + 1]):
        receiver = network.receivers[link]
        spent = maps.spent[row] + network.prices[link]
        if (
            hops > task.max_null
            or exceeds_capacity(needed, free.dedicated[link])
            or exceeds_capacity(spent, task.budgets[stream])
            or is_on_route(maps, row, receiver)
        ):
            continue
        there = traffic_between(maps, task, row, here, receiver, DEDICATED) if again else 0.0
        if not exceeds_capacity(there + needed, free.dedicated[link]):
            _offer(parts, mail, here, receiver, row, DEDICATED, spent)
    if maps.operators[row] == 0 or not network.public:
        return True
    there = traffic_between(maps, task, row, here, NONE, PUBLIC) if again else 0.0
    if exceeds_capacity(there + needed, free.uplinks[here]):
        return True
    if length == len(task.cpu) - 1:
        if task.sink != here:
            _offer(parts, mail, here, task.sink, row, PUBLIC, maps.spent[row])
        return True
    service = task.services[length]
    if service == NONE:
        return True
    for offer in range(network.first_provider[service], network.first_provider[service + 1]):
        if network.providers[offer] != here:
            _offer(parts, mail, here, network.providers[offer], row, PUBLIC, maps.spent[row])
    return True


@subroutine
def _offer(
    parts: Computations,
    mail: Mail,
    here: int,
    receiver: int,
    row: int,
    arrived: int,
    spent: float,
) -> None:
    kind = MAP if parts.knows[here, receiver] else MAP_WITH_TASK
    parts.knows[here, receiver] = True
    parts.outstanding[here] += 1
    _post(mail, kind, here, receiver, row, arrived, spent)


@subroutine
def _post(
    mail: Mail, kind: int, sender: int, receiver: int, row: int, arrived: int, spent: float
) -> None:
    at = mail.ends[1]
    mail.kind[at] = kind
    mail.sender[at] = sender
    mail.receiver[at] = receiver
    mail.row[at] = row
    mail.arrived[at] = arrived
    mail.spent[at] = spent
    mail.ends[1] += 1


@subroutine
def _can_hold_operator(network: NetworkArrays, task: TaskArrays, node: int, place: int) -> bool:
    if place == 0:
        return node == task.source
    if place == len(task.cpu) - 1:
        return node == task.sink
    service = task.services[place]
    return service != NONE and bool(network.serves[node, service])


@compiled
def _no_mail(capacity: int) -> Mail:
    return Mail(
        np.zeros(2, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
    )


KINDS = (LinkKind.DEDICATED, LinkKind.PUBLIC)
"""In the order of `compiled_maps`."""
FIRST_CAPACITY = 1 << 15
"""Partial maps that there is room for at first; twice as many while that is not enough."""


def balanced_mapper(network: TwoKindNetwork) -> Callable[[Resources, Task], PartialMap | None]:
    """Return what maps tasks as agents with LeastCostMap and the balanced metric do.

    What it returns takes what is left of the network and a task, and gives the map that the agents
    settle on; None if they find none.
    """
    arrays = network_arrays(network)

    def settled(free: Resources, task: Task) -> PartialMap | None:
        now, wanted = free_arrays(network, free), task_arrays(network, task)
        capacity = FIRST_CAPACITY
        while not (ended := run_negotiation(arrays, now, wanted, capacity)).finished:
            capacity *= 2
        return None if ended.best == NONE else _partial_map(network, ended.maps, ended.best)

    return settled


def _partial_map(network: TwoKindNetwork, maps: Maps, row: int) -> PartialMap:
    return PartialMap(
        visits=tuple(
            MapVisit(
                network.nodes[maps.node[it]].id, int(maps.operators[it]), KINDS[maps.arrived[it]]
            )
            for it in visits(maps, row)
        ),
        length=int(maps.length[row]),
        loads=tuple(
            (network.nodes[maps.loaded[row, at]].id, float(maps.load[row, at]))
            for at in range(maps.loads[row])
        ),
    )
