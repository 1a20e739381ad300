"""What a search over placements works on: the problem, its costs and one placement, in arrays.

`Terms` never change in a search, `State` is what `evaluator` changes in place. Both are tuples
that numba takes, so that compiled searches hand them on at no cost.
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import subroutine
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.model.violations import TOLERANCE
from eyewall_sidecar.objectives.costs import Costs
from eyewall_sidecar.objectives.ecker import EckerCosts

Flags = NDArray[np.bool_]
Numbers = TypeVar("Numbers", Floats, Places, Flags)

ADDITIVE, RESPONSE_TIME, EXCESS = 0, 1, 2
"""Places in `State.amounts`."""
VIOLATIONS, FORBIDDEN, VERSION = 0, 1, 2
"""Places in `State.counts`."""
NOBODY = -1


class Terms(NamedTuple):
    """A problem and what a placement of it costs; all arrays are read-only.

    Parameters
    ----------
    requirements, limits, allowed, delays, speedups
        As in `ProblemArrays`.
    execution_times
        [operator]: seconds at speedup 1; all 0 for Ecker's score.
    units
        [resource]: what an overload is counted in, the most that one operator needs; the last
        one for links, the most that one stream carries.
    response, per_operator, per_rate, per_stream
        As in `Costs`.
    per_node
        What each node in use costs.
    link_limits
        [node, node]: bytes/s a link carries, tolerance included; 0 × 0 if none is limited.
    stream_starts, stream_ends, stream_out, stream_rates, stream_bytes
        The streams at operator i are those from `stream_starts[i]` to `stream_starts[i + 1]`, each
        with the operator at its other end, whether it leaves i, its data rate and its bytes/s.
        Streams from an operator to itself are left out: they never cost anything.
    order, positions
        The operators on paths in topological order; [operator]: its position there, −1 if on none.
    input_starts, inputs, output_starts, outputs
        The operators just before and just after an operator on paths, listed like streams.
    sinks
        The operators that end paths.
    """

    requirements: Floats
    limits: Floats
    allowed: Flags
    delays: Matrix
    speedups: Floats
    execution_times: Floats
    units: Floats
    response: float
    per_operator: Floats
    per_rate: Matrix
    per_stream: Matrix
    per_node: float
    link_limits: Matrix
    stream_starts: Places
    stream_ends: Places
    stream_out: Flags
    stream_rates: Floats
    stream_bytes: Floats
    order: Places
    positions: Places
    input_starts: Places
    inputs: Places
    output_starts: Places
    outputs: Places
    sinks: Places


class State(NamedTuple):
    """One placement and everything that is kept up to date about it.

    Parameters
    ----------
    terms
        What it is a placement of.
    places
        [operator]: the place of its node. Changed only through `evaluator`.
    loads
        [resource, node]: what is used.
    holds
        [node]: how many operators are on it.
    first_on, next_on, previous_on
        [node]: one operator on it; [operator]: the next and the previous one on the same node.
    traffic
        [node, node]: bytes/s; 0 × 0 if no link is limited.
    heads, tails
        [operator]: seconds from a source until it is done; seconds from there to the last sink.
        Kept only if the response time costs anything.
    amounts
        The finite part of the additive cost, the response time in seconds (0 if it costs nothing),
        and by how much constraints are broken, in `units`.
    counts
        How many constraints are broken: overloaded resources of nodes, operators on nodes that are
        no candidates, saturated links. How often a cost is infinite. A number that grows with each
        change.
    avoiding, avoiding_since
        [operator]: the longest way that avoids it, and the version at which that was computed.
    waiting, moved
        [position]: whether heads or tails are to be recomputed there, and whether the operator has
        moved; all False between calls.
    touched, before
        Scratch: which numbers were overwritten on trial, and what they were.
    """

    terms: Terms
    places: Places
    loads: Floats
    holds: Places
    first_on: Places
    next_on: Places
    previous_on: Places
    traffic: Matrix
    heads: Floats
    tails: Floats
    amounts: Floats
    counts: Places
    avoiding: Floats
    avoiding_since: Places
    waiting: Flags
    moved: Flags
    touched: Places
    before: Floats


def terms_of(arrays: ProblemArrays, costs: Costs | EckerCosts) -> Terms:
    """Bring problem and costs into the form that compiled code reads.

    The only work that grows with nodes² is for limited bandwidths.
    """
    per_node, execution_times = 0.0, arrays.execution_times
    if isinstance(costs, EckerCosts):
        per_node, execution_times = costs.per_node, np.zeros(arrays.operators)
        costs = costs.costs
    operators = arrays.operators
    # A stream from an operator to itself never costs anything.
    stream = np.flatnonzero(arrays.sources != arrays.targets)
    ends = np.concatenate([arrays.sources[stream], arrays.targets[stream]])
    others = np.concatenate([arrays.targets[stream], arrays.sources[stream]])
    starts, listing = _grouped(ends, operators)
    outward = listing < len(stream)
    stream = np.concatenate([stream, stream])[listing]
    limited = bool(np.isfinite(arrays.bandwidths).any())
    carried = np.nan_to_num(arrays.rates * arrays.sizes, nan=0.0)
    positions = np.full(operators, -1, dtype=np.int64)
    positions[arrays.path_order] = np.arange(len(arrays.path_order))
    input_starts, by_target = _grouped(arrays.path_targets, operators)
    output_starts, by_source = _grouped(arrays.path_sources, operators)
    ending = output_starts[arrays.path_order] == output_starts[arrays.path_order + 1]
    units = np.append(arrays.requirements.max(axis=1, initial=0.0), carried.max(initial=0.0))
    return Terms(
        requirements=_fixed(arrays.requirements),
        limits=_fixed(arrays.limits),
        allowed=_fixed(arrays.allowed),
        delays=_fixed(arrays.delays),
        speedups=_fixed(arrays.speedups),
        execution_times=_fixed(execution_times),
        units=_fixed(np.where(units > 0, units, 1.0)),
        response=float(costs.response),
        per_operator=_fixed(costs.per_operator),
        per_rate=_fixed(costs.per_rate),
        per_stream=_fixed(costs.per_stream),
        per_node=per_node,
        link_limits=_fixed(_link_limits(arrays.bandwidths) if limited else np.zeros((0, 0))),
        stream_starts=_fixed(starts),
        stream_ends=_fixed(others[listing]),
        stream_out=_fixed(outward),
        stream_rates=_fixed(costs.data_rates[stream]),
        stream_bytes=_fixed(carried[stream]),
        order=_fixed(arrays.path_order),
        positions=_fixed(positions),
        input_starts=_fixed(input_starts),
        inputs=_fixed(arrays.path_sources[by_target]),
        output_starts=_fixed(output_starts),
        outputs=_fixed(arrays.path_targets[by_source]),
        sinks=_fixed(arrays.path_order[ending]),
    )


def blank(terms: Terms) -> State:
    """Return a state without a placement; `evaluator.put` gives it one."""
    operators, nodes = len(terms.execution_times), len(terms.speedups)
    links = terms.link_limits.shape
    scratch = max(operators, 2 * len(terms.stream_ends) if links[0] else 0)
    return State(
        terms=terms,
        places=np.zeros(operators, dtype=np.int64),
        loads=np.zeros((len(terms.requirements), nodes)),
        holds=np.zeros(nodes, dtype=np.int64),
        first_on=np.full(nodes, NOBODY, dtype=np.int64),
        next_on=np.full(operators, NOBODY, dtype=np.int64),
        previous_on=np.full(operators, NOBODY, dtype=np.int64),
        traffic=np.zeros(links),
        heads=np.zeros(operators),
        tails=np.zeros(operators),
        amounts=np.zeros(3),
        counts=np.zeros(3, dtype=np.int64),
        avoiding=np.zeros(operators),
        avoiding_since=np.full(operators, -1, dtype=np.int64),
        waiting=np.zeros(len(terms.order), dtype=np.bool_),
        moved=np.zeros(len(terms.order), dtype=np.bool_),
        touched=np.zeros(scratch, dtype=np.int64),
        before=np.zeros(scratch),
    )


def _link_limits(bandwidths: Matrix) -> Matrix:
    return bandwidths + TOLERANCE * np.maximum(1.0, bandwidths)


def _grouped(owners: Places, count: int) -> tuple[Places, Places]:
    """Return where each owner's entries start, and the entries in the order of their owners."""
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=count), out=starts[1:])
    return starts, np.argsort(owners, kind="stable").astype(np.int64)


def _fixed(numbers: Numbers) -> Numbers:
    """Return a read-only view, laid out as compiled code expects it: one type, one compilation."""
    view = np.ascontiguousarray(numbers).view()
    view.setflags(write=False)
    return view


@subroutine
def enlist(state: State, operator: int, node: int) -> None:
    """Add the operator to those on the node."""
    first = state.first_on[node]
    state.next_on[operator], state.previous_on[operator] = first, NOBODY
    if first != NOBODY:
        state.previous_on[first] = operator
    state.first_on[node] = operator
    state.holds[node] += 1


@subroutine
def strike(state: State, operator: int, node: int) -> None:
    """Take the operator off the node."""
    following, previous = state.next_on[operator], state.previous_on[operator]
    if previous == NOBODY:
        state.first_on[node] = following
    else:
        state.next_on[previous] = following
    if following != NOBODY:
        state.previous_on[following] = previous
    state.holds[node] -= 1
