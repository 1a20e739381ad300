"""Solves tiny problems, so that what is compiled is compiled before a decision waits for it.

python -m eyewall_sidecar.policies.compile_ahead
"""

from collections.abc import Iterator

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.odp.branch_and_bound import compile_what_is_rare
from eyewall_sidecar.odp.solve import POLICY as ODP
from eyewall_sidecar.policies import POLICIES
from eyewall_sidecar.policies.catalogue import CATALOGUE
from eyewall_sidecar.qos.costs import weigh

OBJECTIVES = tuple(
    Objective.parse(it) for it in ("R=1", "A=1", "T=1", "N=1", "EE=1", "R=0.5,A=0.2,N=0.3", "ecker")
)
PATIENCE = 300.0
"""Seconds for an exact engine and a tiny problem, of which compiling takes nearly all."""
A_MOMENT = 0.2
"""Seconds for a search, which may use all that it is given; it compiles before they begin."""


def compile_ahead(policy: str) -> None:
    """Compile all that the policy needs, or load it from disk where that was done before."""
    time_limit = PATIENCE if policy == ODP else A_MOMENT
    for problem in _tiny_problems():
        for objective in filter(CATALOGUE[policy].takes, OBJECTIVES):
            POLICIES[policy](problem, objective, time_limit=time_limit, seed=0)
        if policy == ODP:
            arrays = ProblemArrays.of(problem)
            compile_what_is_rare(arrays, weigh(arrays, {Term.R: 1.0, Term.N: 1.0}))


def _tiny_problems() -> Iterator[PlacementProblem]:
    """A chain, one source with parallel operators and one sink, and a graph that is neither."""
    for pairs in (("ab", "bc"), ("ab", "ac", "bd", "cd"), ("ab", "ac", "bd", "cd", "de", "ce")):
        names = sorted({name for pair in pairs for name in pair})
        yield PlacementProblem(
            operators=tuple(Operator(it, execution_time=0.001) for it in names),
            streams=tuple(Stream(source, target, tuple_bytes=100) for source, target in pairs),
            nodes=(Node("u", operators=3, availability=0.9), Node("v", operators=3)),
            links={("u", "v"): Link(0.001), ("v", "u"): Link(0.002)},
        )


def main() -> None:
    """Compile ahead for every policy."""
    for policy in POLICIES:
        compile_ahead(policy)


if __name__ == "__main__":
    main()
