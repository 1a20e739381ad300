"""How a change breaks or mends constraints: capacities, candidates and bandwidths.

An overload is counted in the largest operator's (for links: stream's) need of the resource, so
that amounts of different resources can be added.
"""

from eyewall_sidecar.heuristic.evaluation_state import State
from eyewall_sidecar.model.compilation import subroutine


@subroutine
def overload(state: State, resource: int, node: int, load: float) -> float:
    """Return by how much a load of the node's resource is too much, in units; 0 if it is not."""
    limit = state.terms.limits[resource, node]
    return (load - limit) / state.terms.units[resource] if load > limit else 0.0


@subroutine
def exchange(state: State, node: int, arriving: int, leaving: int) -> tuple[int, float]:
    """Count the node's broken capacities, and by how much, after a change less before it.

    Parameters
    ----------
    arriving, leaving
        Operators; −1 for none.
    """
    requirements, broken, excess = state.terms.requirements, 0, 0.0
    for resource in range(len(requirements)):
        load = state.loads[resource, node]
        was = overload(state, resource, node, load)
        if leaving >= 0:
            load -= requirements[resource, leaving]
        if arriving >= 0:
            load += requirements[resource, arriving]
        now = overload(state, resource, node, load)
        broken += int(now > 0) - int(was > 0)
        excess += now - was
    return broken, excess


@subroutine
def pour(state: State, source: int, target: int) -> tuple[int, float]:
    """Count broken capacities after all of one node's load went to another, less before it."""
    broken, excess = 0, 0.0
    for resource in range(len(state.loads)):
        moved, there = state.loads[resource, source], state.loads[resource, target]
        was = overload(state, resource, source, moved)
        then = overload(state, resource, target, there)
        now = overload(state, resource, target, there + moved)
        broken += int(now > 0) - int(was > 0) - int(then > 0)
        excess += now - was - then
    return broken, excess


@subroutine
def reroute(
    state: State, operator: int, source: int, target: int, noted: int
) -> tuple[int, int, float]:
    """Move the traffic of an operator's streams from one node to another.

    Returns
    -------
    How many numbers are in `touched` and `before` now, broken bandwidths after less before, and
    by how much.
    """
    terms, broken, excess = state.terms, 0, 0.0
    for place in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
        other, amount = terms.stream_ends[place], terms.stream_bytes[place]
        for node, sign in ((source, -1.0), (target, 1.0)):
            end = state.places[other]
            u, v = (node, end) if terms.stream_out[place] else (end, node)
            was = state.traffic[u, v]
            now = was + sign * amount
            limit, unit = terms.link_limits[u, v], terms.units[-1]
            broken += int(now > limit) - int(was > limit)
            if was > limit:
                excess -= (was - limit) / unit
            if now > limit:
                excess += (now - limit) / unit
            state.touched[noted] = u * len(state.traffic) + v
            state.before[noted] = was
            noted += 1
            state.traffic[u, v] = now
    return noted, broken, excess


@subroutine
def unroute(state: State, noted: int) -> None:
    """Take back what `reroute` noted: the traffic is what it was, to the last bit."""
    nodes = len(state.traffic)
    for number in range(noted - 1, -1, -1):
        pair = state.touched[number]
        state.traffic[pair // nodes, pair % nodes] = state.before[number]
