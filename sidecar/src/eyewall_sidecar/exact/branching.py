"""One branching: which nodes the next operator may have, and what each costs at least."""

from eyewall_sidecar.exact.assignment_bound import Assignment
from eyewall_sidecar.exact.domain_bound import Domains, longest_over_domains
from eyewall_sidecar.exact.free_capacity import FreeCapacity, admits
from eyewall_sidecar.exact.instance import Flags
from eyewall_sidecar.exact.layer_bound import LayerBound, least_with_layers
from eyewall_sidecar.exact.path_bound import PathBound, longest_of_frontier, longest_through
from eyewall_sidecar.exact.search_state import LEVEL, NONE, SearchState, cutoff
from eyewall_sidecar.exact.sum_bound import SumBound, least_sum
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free

BY_PATHS, BY_DOMAINS, BY_SUMS, BY_LAYERS = range(4)
"""Of `used`: how the response time is bounded, if at all, whether anything adds up, and whether
layers of two are looked at."""


@allocation_free
def branch(
    paths: PathBound,
    domains: Domains,
    sum_bound: SumBound,
    assignment: Assignment,
    layers: LayerBound,
    pair_costs: Floats,
    used: Flags,
    capacity: FreeCapacity,
    state: SearchState,
    before: Places,
    same_node: Places,
) -> None:
    """List the children of the level's operator that may be better than the incumbent."""
    level = state.counters[LEVEL]
    state.children[level] = 0
    state.visited[level] = 0
    most = cutoff(state.incumbent_cost)
    places, room, spent = state.places, capacity.room, state.spent[level]
    through, sums, done_there = state.through, state.sums, state.done_there

    longest = state.longest[level]
    if used[BY_PATHS]:
        longest = max(longest, longest_of_frontier(paths, room, places, state.done, level))
    if used[BY_DOMAINS]:
        longest = max(longest, longest_over_domains(domains, capacity, places))
        through = domains.through[domains.like[level]]
    if spent + longest >= most:
        return
    admitted = state.admitted[level]
    admits(capacity, level, admitted)
    if used[BY_SUMS]:
        least = least_sum(
            sum_bound, assignment, capacity, state.admitted, state.stars, state.star, level, sums
        )
        if spent + least + longest >= most:
            return
    if used[BY_PATHS]:
        taken = capacity.places[level]
        longest_through(paths, room, taken, places, state.done, level, through, done_there)
    _keep_first_of_kind(admitted, before[level], same_node, capacity.held, places)
    layered = state.layered
    if used[BY_LAYERS]:
        for node in range(len(admitted)):
            if spent + sums[node] + max(longest, through[node]) >= most:
                admitted[node] = False
        least_with_layers(layers, paths, pair_costs, capacity, state, level, layered)
    nodes, bounds = state.child_nodes[level], state.child_bounds[level]
    longests, dones = state.child_longest[level], state.child_done[level]
    children = 0
    for node in range(len(admitted)):
        slowest = max(longest, through[node])
        bound = spent + max(sums[node] + slowest, layered[node])
        if admitted[node] and bound < most:
            rank = children  # by rising bound, equals by node
            while rank > 0 and bounds[rank - 1] > bound:
                nodes[rank], bounds[rank] = nodes[rank - 1], bounds[rank - 1]
                longests[rank], dones[rank] = longests[rank - 1], dones[rank - 1]
                rank -= 1
            nodes[rank], bounds[rank] = node, bound
            longests[rank], dones[rank] = slowest, done_there[node]
            children += 1
    state.children[level] = children


@allocation_free
def _keep_first_of_kind(
    admitted: Flags, twin: int, same_node: Places, held: Places, places: Places
) -> None:
    """Leave out nodes that only swap what is alike (see `symmetry`).

    Parameters
    ----------
    admitted
        [node]: of the operator to be placed.
    twin
        The operator before it of its kind, or `NONE`.
    same_node
        [node]: the one before it of its kind, or `NONE`.
    held
        [node]: how many operators are on it.
    places
        [operator]: its node.
    """
    if twin != NONE:
        admitted[: places[twin]] = False
    for node in range(len(admitted)):
        if same_node[node] != NONE and held[node] == 0 and held[same_node[node]] == 0:
            admitted[node] = False
