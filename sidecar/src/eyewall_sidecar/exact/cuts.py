"""Inequalities that every placement obeys but the relaxed program does not know.

With nodes that are alike, the relaxation of paper 000's program spreads every operator evenly over
all nodes, y stays on the loops, and the bound is 0. What helps is to make the capacity visible
where streams are: on a path, and around a hub. Both families leave the optimum as it is.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import isfinite

from pulp import LpAffineExpression, lpSum

from eyewall_sidecar.exact.integer_program import OdpProgram
from eyewall_sidecar.exact.sparse_program import OVERFULL, SCALE
from eyewall_sidecar.model import Node
from eyewall_sidecar.model.generic_resources import resource_label
from eyewall_sidecar.model.violations import exceeds

PATHS_PER_NODE = 64
STEPS_PER_NODE = 2_000
STAR_ROWS = 4_000


def define_path_covers(program: OdpProgram) -> None:
    """Σ_l y_(l,l+1),(u,u) ≤ Σ_(1<l<k) x_(l,u), for operators 1 … k on a path that overfill u.

    A run of operators on u has one stream less than operators. Were all streams on u, so were all
    operators; so at least one is elsewhere, and then the streams on u are at most as many as the
    inner operators on u.
    """
    linear = program.linear
    for u, node in enumerate(program.problem.nodes):
        for place, path in enumerate(_overfull_paths(program, node)):
            loops = (program.y[pair][node.id, node.id] for pair in pairwise(path))
            inner = (program.x[operator][node.id] for operator in path[1:-1])
            linear += lpSum(loops) <= lpSum(inner), f"path_cover_{u}_{place}"


def define_star_capacities(program: OdpProgram) -> None:
    """Σ_(j ∈ N(i)) C_j y_(i,j),(u,w) ≤ (C_w − [w = u] C_i) x_(i,u), for hubs i, nodes u, w.

    Equation (11) times x_(i,u): with i on u, its neighbours on w leave room for what w holds.
    Only hubs of three or more neighbours that overfill w, and no more than STAR_ROWS rows.
    """
    linear, problem = program.linear, program.problem
    rows = 0
    for i, operator in enumerate(problem.operators):
        hub = operator.id
        neighbours = [other for one, other in program.y if one == hub]
        if len(neighbours) < 3:
            continue
        for row, resource in enumerate(problem.resources):
            needs = {j: problem.operator(j).requirement(resource) for j in neighbours}
            own = operator.requirement(resource)
            for u, x in program.x[hub].items():
                for w, node in enumerate(problem.nodes):
                    room = node.capacity(resource) - own * (node.id == u)
                    there = {j: need for j, need in needs.items() if node.id in program.x[j]}
                    if not isfinite(room) or sum(there.values()) <= max(room, 0.0):
                        continue
                    rows += 1
                    if rows > STAR_ROWS:
                        return
                    unit = node.capacity(resource) / SCALE or 1.0
                    star = lpSum(
                        min(need / unit, OVERFULL) * program.y[hub, j][u, node.id]
                        for j, need in there.items()
                    )
                    left = max(room / unit, -OVERFULL)
                    name = f"star_{resource_label(resource, row)}_{i}_{w}_{rows}"
                    linear += star <= LpAffineExpression({x: left}), name


def _overfull_paths(program: OdpProgram, node: Node) -> Iterator[list[str]]:
    """Shortest paths along streams whose operators do not fit on the node together."""
    here = [operator for operator, choices in program.x.items() if node.id in choices]
    if _fits(program, node, here):
        return
    successors: dict[str, list[str]] = {operator: [] for operator in here}
    for stream in program.problem.streams:
        source, target = stream.source, stream.target
        inside = source in successors and target in successors
        if inside and (source, target) in program.y and target not in successors[source]:
            successors[source].append(target)
    steps = found = 0
    paths = [[operator] for operator in reversed(here)]
    while paths and steps < STEPS_PER_NODE and found < PATHS_PER_NODE:
        path = paths.pop()
        steps += 1
        if _fits(program, node, path):
            paths += [[*path, after] for after in successors[path[-1]] if after not in path]
        elif len(path) > 1:
            found += 1
            yield path


def _fits(program: OdpProgram, node: Node, operators: list[str]) -> bool:
    return not any(
        exceeds(
            sum(program.problem.operator(it).requirement(resource) for it in operators),
            node.capacity(resource),
        )
        for resource in program.problem.resources
    )
