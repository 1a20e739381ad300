"""What is still to come, estimated by dynamic programming over runs of co-located operators.

Without capacities every operator would join the one before it and nothing would cost anything. So
the tables know how much room is left on a node: a run that fills it has to leave for another one,
whose room is then whole.
"""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.heuristic.evaluation_state import Terms
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel

MOST_ROOM = 16
"""Runs longer than this are taken as this long."""

LARGEST_TABLE = 4_000_000
"""Numbers in a table; beyond it, and beyond `MOST_STEPS`, nothing is estimated."""
MOST_STEPS = 200_000_000


class Completions(NamedTuple):
    """Estimates for what is not placed yet, by operator, node and the room left there.

    Parameters
    ----------
    unit
        [resource]: what one operator of average size needs.
    most
        The greatest room that the tables tell apart.
    size
        [operator]: how much room it takes in a run.
    lead
        [operator]: the operator before it whose table counts its additive costs; −1 for none.
    tail
        [path pair, node, room]: seconds from the pair's source on this node to the end of paths
        through its target; pairs as in `Terms.outputs`.
    rest
        [operator, node, room]: what the operator and all led by it cost, its lead on this node.
    begin
        [operator]: what it and all led by it cost at least, wherever it is.
    """

    unit: Floats
    most: int
    size: Places
    lead: Places
    tail: Floats
    rest: Floats
    begin: Floats


def no_completions(terms: Terms) -> Completions:
    """Return tables that expect nothing of what is to come."""
    operators = len(terms.allowed)
    return Completions(
        unit=np.zeros(len(terms.limits)),
        most=0,
        size=np.ones(operators, dtype=np.int64),
        lead=np.full(operators, -1),
        tail=np.zeros((0, 1, 1)),
        rest=np.zeros((1, 1, 1)),
        begin=np.zeros(operators),
    )


def completions(terms: Terms, size: Places, order: Places) -> Completions:
    """Fill the tables.

    Parameters
    ----------
    size
        [operator]: how much room it takes in a run, in operators: 1, or more where others that
        paths do not show have to come along.
    order
        Operators as they will be placed.
    """
    operators, nodes = terms.allowed.shape
    unit = terms.requirements.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rooms = np.nan_to_num(terms.limits / unit[:, None], nan=np.inf, posinf=np.inf).min(axis=0)
    room = np.minimum(rooms + 1e-6, MOST_ROOM).astype(np.int64)
    most = int(room.max(initial=0))
    pairs = len(terms.outputs)
    if (
        max(pairs, operators) * nodes * (most + 1) > LARGEST_TABLE
        or (pairs + operators) * nodes * nodes > MOST_STEPS
    ):
        return no_completions(terms)
    lead, inflow = _leads(terms, order)
    tail = _tails(terms, size, room, most) if terms.response else np.zeros((0, 1, 1))
    rest, begin = _rests(terms, size, room, most, order, lead, inflow)
    return Completions(unit, most, size, lead, tail, rest, begin)


def twins(terms: Terms) -> Places:
    """Return [operator]: how many, itself included, have streams with just the same operators."""
    kinds: dict[tuple[tuple[int, bool], ...], list[int]] = {}
    for operator in range(len(terms.allowed)):
        at = slice(terms.stream_starts[operator], terms.stream_starts[operator + 1])
        ends = zip(terms.stream_ends[at].tolist(), terms.stream_out[at].tolist(), strict=True)
        kinds.setdefault(tuple(sorted(ends)), []).append(operator)
    count = np.ones(len(terms.allowed), dtype=np.int64)
    for alike in kinds.values():
        count[alike] = len(alike)
    return count


def _leads(terms: Terms, order: Places) -> tuple[Places, Floats]:
    """Return [operator]: its lead, and [0 rate or 1 number, operator] of all streams before it.

    The lead is a neighbour earlier in the order, one that leads the fewest so far; it stands for
    all of them, as if they were where it is.
    """
    operators = len(order)
    position = np.empty(operators, dtype=np.int64)
    position[order] = np.arange(operators)
    led = np.zeros(operators, dtype=np.int64)
    lead, inflow = np.full(operators, -1), np.zeros((2, operators))
    for operator in order.tolist():
        row = slice(terms.stream_starts[operator], terms.stream_starts[operator + 1])
        earlier = position[terms.stream_ends[row]] < position[operator]
        if earlier.any():
            inflow[0, operator] = terms.stream_rates[row][earlier].sum()
            inflow[1, operator] = earlier.sum()
            others = terms.stream_ends[row][earlier]
            lead[operator] = others[np.argmin(led[others])]
            led[lead[operator]] += 1
    return lead, inflow


@kernel
def _tails(terms: Terms, size: Places, room: Places, most: int) -> Floats:
    """Fill `Completions.tail`, from the ends of paths to their starts."""
    nodes = len(room)
    tail = np.zeros((len(terms.outputs), nodes, most + 1))
    longest = np.zeros((len(size), nodes, most + 1))
    there = np.zeros(nodes)
    for place in range(len(terms.order) - 1, -1, -1):
        operator = terms.order[place]
        for pair in range(terms.output_starts[operator], terms.output_starts[operator + 1]):
            target = terms.outputs[pair]
            for node in range(nodes):
                there[node] = np.inf
                if terms.allowed[target, node] and room[node] >= size[target]:
                    there[node] = (
                        terms.execution_times[target] / terms.speedups[node]
                        + longest[target, node, room[node] - size[target]]
                    )
            for node in range(nodes):
                leave = np.inf
                for other in range(nodes):
                    if other != node:
                        leave = min(leave, terms.delays[node, other] + there[other])
                for left in range(most + 1):
                    least = leave
                    if left >= size[target] and terms.allowed[target, node]:
                        stay = (
                            terms.execution_times[target] / terms.speedups[node]
                            + longest[target, node, left - size[target]]
                        )
                        least = min(least, stay)
                    tail[pair, node, left] = least
                    longest[operator, node, left] = max(longest[operator, node, left], least)
    return tail


@kernel
def _rests(
    terms: Terms,
    size: Places,
    room: Places,
    most: int,
    order: Places,
    lead: Places,
    inflow: Floats,
) -> tuple[Floats, Floats]:
    """Fill `Completions.rest` and `.begin`, from the last operator to the first."""
    operators, nodes = terms.allowed.shape
    rest = np.zeros((operators, nodes, most + 1))
    below = np.zeros((operators, nodes, most + 1))
    begin = np.zeros(operators)
    saved = np.zeros((operators, nodes, most + 1))
    there = np.zeros(nodes)
    led = [[0 for _ in range(0)] for _ in range(operators)]
    for operator in order:
        if lead[operator] >= 0:
            led[lead[operator]].append(operator)
    for place in range(operators - 1, -1, -1):
        operator = order[place]
        for node in range(nodes):
            for left in range(most + 1):
                below[operator, node, left] = _below(rest, saved, size, led[operator], node, left)
        for node in range(nodes):
            there[node] = np.inf
            if terms.allowed[operator, node] and room[node] >= size[operator]:
                there[node] = (
                    terms.per_operator[node] + below[operator, node, room[node] - size[operator]]
                )
        begin[operator] = there.min()
        if lead[operator] < 0:
            continue
        for node in range(nodes):
            leave = np.inf
            for other in range(nodes):
                if other != node:
                    cost = (
                        inflow[0, operator] * terms.per_rate[node, other]
                        + inflow[1, operator] * terms.per_stream[node, other]
                        + there[other]
                    )
                    leave = min(leave, cost)
            for left in range(most + 1):
                least = leave
                if left >= size[operator] and terms.allowed[operator, node]:
                    stay = terms.per_operator[node] + below[operator, node, left - size[operator]]
                    least = min(least, stay)
                rest[operator, node, left] = least
                saved[operator, node, left] = leave - least
    return rest, begin


@compiled
def _below(
    rest: Floats, saved: Floats, size: Places, led: list[int], node: int, left: int
) -> float:
    """Return what those led cost: as many stay as there is room for, the dearest to send first."""
    if len(led) == 0:
        return 0.0
    if len(led) == 1:
        return float(rest[led[0], node, left])
    total = 0.0
    savings = np.zeros(len(led))
    for place, operator in enumerate(led):
        total += rest[operator, node, left] + saved[operator, node, left]
        savings[place] = saved[operator, node, left]
    for place in np.argsort(-savings):
        if left < size[led[place]] or savings[place] <= 0.0:
            break
        total -= savings[place]
        left -= size[led[place]]
    return total
