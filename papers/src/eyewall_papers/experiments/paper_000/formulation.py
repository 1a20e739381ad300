"""Paper 000's integer program of section 4.2 over PuLP, the reference for the others.

Equations (8) to (16) and (18) to (21), with y binary and a row for every path. No cuts, nothing
fixed, nothing left out, but for two kindnesses to the solver: the objective has no constant, and
a single term is minimised as it is. Bandwidths (17) are not in it: no instance limits any.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite

from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.availability import logarithm
from pulp import (
    LpAffineExpression,
    LpBinary,
    LpConstraint,
    LpConstraintEQ,
    LpConstraintGE,
    LpConstraintLE,
    LpMinimize,
    LpProblem,
    LpVariable,
)

MOST_PATHS = 10_000
"""Rows of equation (10) that are written out at most; 40 operators in layers have 524,288."""

Pair = tuple[str, str]
"""Two nodes, or two operators."""


class NotBuiltError(Exception):
    """A program that is too large to build, or was not built in time."""


@dataclass(frozen=True, slots=True)
class PaperProgram:
    """The program while it grows.

    Parameters
    ----------
    problem, weights
        What is minimised: Σ weight · term, A as −log A.
    late
        Whether the time is up; asked for each stream and path.
    linear
        The PuLP program.
    x
        i → u → x_(i,u).
    y
        [stream] → (u, v) → y_(i,j),(u,v).
    """

    problem: PlacementProblem
    weights: Mapping[Term, float]
    late: Callable[[], bool]
    linear: LpProblem = field(default_factory=lambda: LpProblem("paper", LpMinimize))
    x: dict[str, dict[str, LpVariable]] = field(default_factory=dict)
    y: list[dict[Pair, LpVariable]] = field(default_factory=list)
    costs: list[tuple[LpVariable, float]] = field(default_factory=list)

    def add(self, name: str, terms: list[tuple[LpVariable, float]], sense: int, rhs: float) -> None:
        """Add a row."""
        self.linear.addConstraint(LpConstraint(LpAffineExpression(terms), sense, name, rhs))

    def require_time(self) -> None:
        """Give up when the time is up."""
        if self.late():
            raise NotBuiltError("not built in time")


def paper_program(
    problem: PlacementProblem, weights: Mapping[Term, float], late: Callable[[], bool]
) -> PaperProgram:
    """Build the program, or raise `NotBuiltError`."""
    program = PaperProgram(problem, weights, late)
    define_placements(program)
    define_stream_placements(program)
    define_capacities(program)
    define_linking(program)
    if Term.R in weights:
        define_paths(program)
    define_costs(program)
    program.linear.setObjective(LpAffineExpression(program.costs))
    return program


def define_placements(program: PaperProgram) -> None:
    """Equations (12) and (15): every operator on exactly one of its candidates."""
    for i, operator in enumerate(program.problem.operators):
        choices = {
            node: program.linear.add_variable(f"x_{i}_{u}", cat=LpBinary)
            for u, node in enumerate(program.problem.candidates(operator.id))
        }
        program.x[operator.id] = choices
        program.add(f"assignment_{i}", [(it, 1.0) for it in choices.values()], LpConstraintEQ, 1.0)


def define_stream_placements(program: PaperProgram) -> None:
    """Equation (16): y_(i,j),(u,v) ∈ {0, 1} for every stream and pair of candidates."""
    for e, stream in enumerate(program.problem.streams):
        program.require_time()
        program.y.append(
            {
                (from_node, to_node): program.linear.add_variable(f"y_{e}_{u}_{v}", cat=LpBinary)
                for u, from_node in enumerate(program.x[stream.source])
                for v, to_node in enumerate(program.x[stream.target])
            }
        )


def define_capacities(program: PaperProgram) -> None:
    """Equation (11), for operators, cpu and memory: Σ_i C_i · x_(i,u) ≤ C_u."""
    for resource in program.problem.resources:
        for u, node in enumerate(program.problem.nodes):
            if not isfinite(limit := node.capacity(resource)):
                continue
            needs = [
                (program.x[it.id][node.id], it.requirement(resource))
                for it in program.problem.operators
                if node.id in program.x[it.id]
            ]
            program.add(f"{resource}_{u}", needs, LpConstraintLE, limit)


def define_linking(program: PaperProgram) -> None:
    """Equations (13) and (14): x_(i,u) = Σ_v y_(i,j),(u,v) and x_(j,v) = Σ_u y_(i,j),(u,v)."""
    for e, (stream, pairs) in enumerate(zip(program.problem.streams, program.y, strict=True)):
        program.require_time()
        senders, receivers = program.x[stream.source], program.x[stream.target]
        for u, (node, x) in enumerate(senders.items()):
            row = [(pairs[node, other], 1.0) for other in receivers]
            program.add(f"from_{e}_{u}", [*row, (x, -1.0)], LpConstraintEQ, 0.0)
        for v, (node, x) in enumerate(receivers.items()):
            row = [(pairs[other, node], 1.0) for other in senders]
            program.add(f"to_{e}_{v}", [*row, (x, -1.0)], LpConstraintEQ, 0.0)


def define_paths(program: PaperProgram) -> None:
    """Equation (10): r ≥ Σ R_i/S_u · x + Σ d · y along every source–sink path."""
    problem = program.problem
    if (count := number_of_paths(problem)) > MOST_PATHS:
        raise NotBuiltError(f"{count} paths")
    works = {
        it.id: [
            (x, -it.execution_time / problem.node(node).speedup)
            for node, x in program.x[it.id].items()
            if it.execution_time
        ]
        for it in problem.operators
    }
    hops: dict[Pair, list[tuple[LpVariable, float]]] = {}
    for stream, pairs in zip(problem.streams, program.y, strict=True):
        delays = [(y, -problem.delay(u, v)) for (u, v), y in pairs.items() if u != v]
        hops.setdefault((stream.source, stream.target), delays)
    response_time = program.linear.add_variable("r", lowBound=0.0)
    for k, path in enumerate(paths(problem)):
        program.require_time()
        terms = [(response_time, 1.0)]
        for operator in path:
            terms += works[operator]
        for ends in pairwise(path):
            terms += hops[ends]
        program.add(f"path_{k}", terms, LpConstraintGE, 0.0)
    program.costs.append((response_time, program.weights[Term.R]))


def define_costs(program: PaperProgram) -> None:
    """Equations (8) and (18) to (21): −log A and Z, linear in x and y."""
    problem, weights = program.problem, program.weights
    unavailable = weights.get(Term.A, 0.0)
    traffic, usage, energy = (weights.get(term, 0.0) for term in (Term.T, Term.N, Term.EE))
    if unavailable:
        for choices in program.x.values():
            program.costs.extend(
                (x, -unavailable * logarithm(problem.node(node).availability))
                for node, x in choices.items()
            )
    for stream, pairs in zip(problem.streams, program.y, strict=True):
        program.require_time()
        for (u, v), y in pairs.items():
            if u == v:
                continue
            delay = problem.delay(u, v)
            cost = stream.rate * (traffic + usage * delay + energy * delay**2)
            if unavailable:
                cost -= unavailable * logarithm(problem.availability(u, v))
            if cost:
                program.costs.append((y, cost))


def number_of_paths(problem: PlacementProblem) -> int:
    """Return |π|, without walking any path."""
    arriving: dict[str, int] = {}
    for operator, inputs in problem.path_inputs.items():
        arriving[operator] = sum(arriving[it] for it in inputs) or 1
    inner = {it for inputs in problem.path_inputs.values() for it in inputs}
    return sum(count for operator, count in arriving.items() if operator not in inner)


def paths(problem: PlacementProblem) -> Iterator[tuple[str, ...]]:
    """Walk every path from a source to a sink."""
    inner = {it for inputs in problem.path_inputs.values() for it in inputs}
    waiting: list[tuple[str, ...]] = [(it,) for it in problem.path_inputs if it not in inner]
    while waiting:
        path = waiting.pop()
        if inputs := problem.path_inputs[path[0]]:
            waiting += [(it, *path) for it in inputs]
        else:
            yield path
