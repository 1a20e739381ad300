"""The integer program of paper 000, sections 4.2 and 5, with S-ODP's operators of section 6.

`create_program` reads as the list of what the program consists of; each `define_*` function adds
one family of constraints, named in the LP file as docs/design/exact.md says. It differs from the
paper where that costs nothing: y is continuous (its linking to the binary x makes it 0 or 1), node
potentials stand for the paths, a pair of operators with a fixed end needs no y, and every metric
is counted from its best case on, so that no constant hides in the solver's relative gap.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, product
from math import inf, isfinite

from eyewall_contracts.objective_terms import TERMS
from pulp import (
    LpAffineExpression,
    LpContinuous,
    LpInteger,
    LpMinimize,
    LpProblem,
    lpSum,
)
from pulp import LpVariable as Variable

from eyewall_sidecar.exact.sparse_program import OVERFULL, SCALE
from eyewall_sidecar.model import PlacementProblem, Stream
from eyewall_sidecar.model.generic_resources import resource_label
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import best_case, worst_case
from eyewall_sidecar.objectives.availability import logarithm
from eyewall_sidecar.objectives.extremes import candidate_pairs

Pair = tuple[str, str]
"""Two operators, or two nodes."""


@dataclass(frozen=True, slots=True)
class OdpProgram:
    """The program while it grows.

    Parameters
    ----------
    problem
        What is to be solved.
    weights
        Term → weight of its excess over the best case, as a fraction of the way to the worst.
        A with weight 0 forbids what has availability 0 and costs nothing.
    linear
        The PuLP program.
    x
        i → u → x_(i,u), over the candidates of i.
    y
        (i, j) → (u, v) → y_(i,j),(u,v), for the pairs of operators that matter, in both orders.
        Where one end has a single candidate, the other end's x is the y.
    costs
        Variable → its part in the objective. Empty if no placement is better than another.
    """

    problem: PlacementProblem
    weights: Mapping[Term, float]
    linear: LpProblem = field(default_factory=lambda: LpProblem("odp", LpMinimize))
    x: dict[str, dict[str, Variable]] = field(default_factory=dict)
    y: dict[Pair, dict[Pair, Variable]] = field(default_factory=dict)
    costs: defaultdict[Variable, float] = field(default_factory=lambda: defaultdict(float))


def unit(problem: PlacementProblem, term: Term) -> float:
    """Return the part of the way from best to worst case that the program counts as 1."""
    return abs(worst_case(problem, term) - best_case(problem, term)) / SCALE


def create_program(problem: PlacementProblem, weights: Mapping[Term, float]) -> OdpProgram:
    """Build the program; its optimum is the best placement for the weighted terms."""
    program = OdpProgram(problem, weights)
    for define in families():
        define(program)
    return program


def families() -> tuple[Callable[[OdpProgram], None], ...]:
    """Return what the program consists of, in the order in which it is built."""
    return (
        define_placements,
        define_stream_placements,
        define_assignment,
        define_capacities,
        define_linking,
        define_bandwidth,
        define_objective,
    )


def read_placement(program: OdpProgram) -> dict[str, str]:
    """Return the nodes that the solver chose: for every operator the u with x_(i,u) = 1."""
    return {
        operator: max(choices, key=lambda node: choices[node].value())
        for operator, choices in program.x.items()
    }


def define_placements(program: OdpProgram) -> None:
    """Equation (15): x_(i,u) ∈ {0, 1} for every operator i and candidate u.

    For A, candidates of availability 0 are out: log 0 is no number, and no placement that uses
    one is better than one that does not.
    """
    problem = program.problem
    number = {node.id: place for place, node in enumerate(problem.nodes)}
    for i, operator in enumerate(problem.operators):
        program.x[operator.id] = {
            node: program.linear.add_variable(f"x_{i}_{number[node]}", 0, 1, LpInteger)
            for node in problem.candidates(operator.id)
            if problem.node(node).availability > 0 or Term.A not in program.weights
        }


def define_stream_placements(program: OdpProgram) -> None:
    """Relax equation (16) to 0 ≤ y_(i,j),(u,v) ≤ 1, for every pair of operators that matters.

    For A, links of availability 0 are out, as nodes are.
    """
    problem, x = program.problem, program.x
    number = {operator.id: place for place, operator in enumerate(problem.operators)}
    place = {node.id: place for place, node in enumerate(problem.nodes)}
    for i, j in _pairs_that_matter(program):
        if (i, j) in program.y:
            continue
        variables: dict[Pair, Variable] = {}
        for u, v in product(x[i], x[j]):
            if len(x[i]) == 1:
                variables[u, v] = x[j][v]
            elif len(x[j]) == 1:
                variables[u, v] = x[i][u]
            else:
                name = f"y_{number[i]}_{number[j]}_{place[u]}_{place[v]}"
                variables[u, v] = program.linear.add_variable(name, 0, 1, LpContinuous)
        program.y[i, j] = variables
        program.y[j, i] = {(v, u): variable for (u, v), variable in variables.items()}
    if Term.A in program.weights:
        _forbid_broken_links(program)


def _forbid_broken_links(program: OdpProgram) -> None:
    for stream in program.problem.streams:
        for (u, v), y in program.y.get((stream.source, stream.target), {}).items():
            if program.problem.availability(u, v) == 0:
                y.upBound = 0


def define_assignment(program: OdpProgram) -> None:
    """Equation (12): Σ_u x_(i,u) = 1 for every operator i."""
    linear = program.linear
    for i, choices in enumerate(program.x.values()):
        linear += lpSum(choices.values()) == 1, f"assignment_{i}"


def define_capacities(program: OdpProgram) -> None:
    """Equation (11): Σ_i C_i x_(i,u) ≤ C_u for every node u and each resource.

    Both sides are divided by C_u / SCALE.
    """
    linear = program.linear
    for row, resource in enumerate(program.problem.resources):
        for u, node in enumerate(program.problem.nodes):
            capacity = node.capacity(resource)
            load = _load(program, node.id, resource)
            if sum(load.values()) <= capacity or not isfinite(capacity):
                continue
            unit = capacity / SCALE or 1.0
            linear += (
                _sum(_capped(load, unit)) <= capacity / unit,
                f"{resource_label(resource, row)}_{u}",
            )


def define_linking(program: OdpProgram) -> None:
    """Equations (13) and (14), y_(i,j),(u,v) = x_(i,u) ∧ x_(j,v).

    x_(i,u) = Σ_v y_(i,j),(u,v) for every u, and x_(j,v) = Σ_u y_(i,j),(u,v) for every v.
    """
    linear = program.linear
    number = {operator.id: place for place, operator in enumerate(program.problem.operators)}
    place = {node.id: place for place, node in enumerate(program.problem.nodes)}
    for (i, j), variables in program.y.items():
        if len(program.x[i]) == 1 or len(program.x[j]) == 1:
            continue
        for u, x in program.x[i].items():
            name = f"linking_{number[i]}_{number[j]}_{place[u]}"
            linear += lpSum(variables[u, v] for v in program.x[j]) == x, name


def define_bandwidth(program: OdpProgram) -> None:
    """Equation (17): Σ_(i,j) λ_(i,j) y_(i,j),(u,v) ≤ B_(u,v), λ in bytes/s, for every link (u, v).

    Both sides are divided by B_(u,v) / SCALE.
    """
    linear = program.linear
    problem = program.problem
    loads: defaultdict[Pair, defaultdict[Variable, float]] = defaultdict(lambda: defaultdict(float))
    for stream in problem.streams:
        for (u, v), variable in program.y.get((stream.source, stream.target), {}).items():
            if isfinite(problem.bandwidth(u, v)):
                loads[u, v][variable] += stream.rate * (stream.tuple_bytes or 0.0)
    number = {node.id: place for place, node in enumerate(problem.nodes)}
    for (u, v), load in loads.items():
        unit = problem.bandwidth(u, v) / SCALE or 1.0
        linear += (
            _sum(_capped(load, unit)) <= problem.bandwidth(u, v) / unit,
            f"bandwidth_{number[u]}_{number[v]}",
        )


def define_objective(program: OdpProgram) -> None:
    """Equations (9) and (22): minimise Σ w · (value − best case), each in units of its range.

    Maximising Σ w (worse − value) / (worse − better) is the same but for a constant. Where that
    leaves nothing to minimise, nodes listed first are preferred: HiGHS 1.10 to 1.15 can run for
    ever on a program without costs, whatever its time limit.
    """
    linear = program.linear
    for term, weight in program.weights.items():
        for variable, excess in _excess(program, term).items() if weight else ():
            program.costs[variable] += weight * excess
    preferences = {
        x: float(place)
        for choices in program.x.values()
        for place, x in enumerate(choices.values(), start=1)
    }
    linear += _sum(program.costs or preferences)


def define_response_time(program: OdpProgram, unit: float) -> Variable:
    """Equation (10), as node potentials: t_i is when operator i has worked on its last input.

    t_j ≥ t_i + Σ_(u,v) d_(u,v) y_(i,j),(u,v) + Σ_u R_j / S_u x_(j,u) for every (i, j) on a path,
    and r ≥ t_i. What is returned is the excess r − R_best ≥ 0, counted in `unit` seconds.
    """
    problem, linear = program.problem, program.linear
    number = {operator.id: place for place, operator in enumerate(problem.operators)}
    excess = linear.add_variable("response_time", 0)
    done = {i: linear.add_variable(f"done_{number[i]}", 0) for i in problem.path_inputs}
    leads_on = {source for sources in problem.path_inputs.values() for source in sources}
    for j, sources in problem.path_inputs.items():
        work = {
            x: problem.operator(j).execution_time / problem.node(u).speedup
            for u, x in program.x[j].items()
        }
        for i in sources:
            arrival = defaultdict(float, work)
            for (u, v), y in program.y[i, j].items():
                arrival[y] += problem.delay(u, v)
            name = f"path_{number[i]}_{number[j]}"
            linear += done[j] >= done[i] + _sum(arrival, unit), name
        if not sources:
            linear += done[j] >= _sum(work, unit), f"source_{number[j]}"
        if j not in leads_on:
            best = best_case(problem, Term.R) / unit
            linear += excess + best >= done[j], f"sink_{number[j]}"
    return excess


def _excess(program: OdpProgram, term: Term) -> Mapping[Variable, float]:
    """Return the term's value beyond its best case, in units of its range, as variable → cost."""
    scale = unit(program.problem, term)
    if not scale > 0:
        return {}
    if term is Term.R:
        return {define_response_time(program, scale): 1.0}
    found: defaultdict[Variable, float] = defaultdict(float)
    terms = _stream_excess(program, term)
    for variable, excess in chain(terms, _node_excess(program)) if term is Term.A else terms:
        if 0 < excess < inf:
            found[variable] += excess / scale
    return found


def _node_excess(program: OdpProgram) -> Iterator[tuple[Variable, float]]:
    """Equation (8), first sum: −log A_u beyond that of the operator's best candidate."""
    for choices in program.x.values():
        costs = {u: -logarithm(program.problem.node(u).availability) for u in choices}
        least = min(costs.values(), default=0.0)
        yield from ((x, costs[u] - least) for u, x in choices.items())


def _stream_excess(program: OdpProgram, term: Term) -> Iterator[tuple[Variable, float]]:
    """Equations (8), second sum, (19), (20), (21): a stream's cost beyond that of its best pair."""
    problem = program.problem
    for stream in problem.streams:
        costs = {at: _cost(problem, term, stream, *at) for at in candidate_pairs(problem, stream)}
        least = min(costs.values())
        placements = program.y.get((stream.source, stream.target), {})
        yield from ((y, costs[at] - least) for at, y in placements.items() if least < inf)


def _cost(problem: PlacementProblem, term: Term, stream: Stream, u: str, v: str) -> float:
    """What the stream adds to the term when its ends are on u and v: equations (8), (19)–(21)."""
    match term:
        case Term.A:
            return -logarithm(problem.availability(u, v))
        case Term.T:
            return problem.data_rate(stream) * (u != v)
        case Term.N:
            return problem.data_rate(stream) * problem.delay(u, v)
        case Term.EE:
            return problem.data_rate(stream) * problem.delay(u, v) ** 2
        case _:
            raise ValueError(f"the integer program has no costs of {term.name}")


def _sum(parts: Mapping[Variable, float], unit: float = 1.0) -> LpAffineExpression:
    """Return Σ factor · variable, in the unit; what is 0 does not clutter the LP file."""
    return LpAffineExpression({it: factor / unit for it, factor in parts.items() if factor})


def _capped(load: Mapping[Variable, float], unit: float) -> dict[Variable, float]:
    return {it: min(factor / unit, OVERFULL) for it, factor in load.items()}


def _load(program: OdpProgram, node: str, resource: str) -> dict[Variable, float]:
    return {
        choices[node]: program.problem.operator(operator).requirement(resource)
        for operator, choices in program.x.items()
        if node in choices
    }


def _pairs_that_matter(program: OdpProgram) -> list[Pair]:
    """Pairs of different operators whose distance counts for a term or a bandwidth."""
    problem, weights = program.problem, program.weights
    network = any(TERMS[term].depends_on_rates for term in weights)
    limited = any(isfinite(link.bandwidth) for link in problem.links.values())
    uncertain = Term.A in weights and any(it.availability < 1 for it in problem.links.values())
    return [
        (stream.source, stream.target)
        for stream in problem.streams
        if stream.source != stream.target
        and (
            (network and problem.data_rate(stream) > 0)
            or limited
            or uncertain
            or (Term.R in weights and stream.source in problem.path_inputs.get(stream.target, ()))
        )
    ]
