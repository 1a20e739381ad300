"""Loading compiled engines before a question is timed."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from time import perf_counter

from eyewall_contracts.objective_terms import PAPER_TERMS

from eyewall_sidecar.exact.branch_and_bound import rehearse
from eyewall_sidecar.exact.solve import solve
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.costs import weigh

OBJECTIVES = (
    *(Objective({term: 1.0}) for term in PAPER_TERMS),
    Objective.parse("R=0.5,A=0.2,N=0.3"),
)
PATIENCE = 300.0
"""Seconds for a tiny problem, of which compiling takes nearly all."""


@cache
def load_compiled_engines() -> None:
    """Run every compiled part once: a second from numba's cache, a minute without it."""
    for problem in _tiny_problems():
        for objective in OBJECTIVES:
            solve(problem, objective, time_limit=PATIENCE, seed=0, clock=perf_counter)
        arrays = ProblemArrays.of(problem)
        rehearse(arrays, weigh(arrays, {Term.R: 1.0, Term.N: 1.0}))


def _tiny_problems() -> Iterator[PlacementProblem]:
    """A chain, one source with parallel operators and one sink, and a graph that is neither."""
    for pairs in (("ab", "bc"), ("ab", "ac", "bd", "cd"), ("ab", "ac", "bd", "cd", "de", "ce")):
        names = sorted({name for pair in pairs for name in pair})
        yield PlacementProblem(
            operators=tuple(Operator(it, execution_time=0.001) for it in names),
            streams=tuple(Stream(source, target, tuple_bytes=100) for source, target in pairs),
            nodes=(
                Node("u", operators=2, availability=0.9),
                Node("v", operators=2),
                Node("w", operators=2),
            ),
            links={pair: Link(0.001) for pair in permutations("uvw", 2)},
        )
