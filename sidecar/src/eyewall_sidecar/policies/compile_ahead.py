"""Asks every policy something tiny, so that what is compiled is compiled before it is needed.

python -m eyewall_sidecar.policies.compile_ahead
"""

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import POLICIES
from eyewall_sidecar.policies.catalogue import CATALOGUE

OBJECTIVES = tuple(map(Objective.parse, ("R=1", "T=1", "N=1", "R=0.5,A=0.2,N=0.3", "ecker")))
A_MOMENT = 0.2
"""Seconds for a search, which may use all that it is given; it compiles before they begin."""


def compile_ahead(policy: str) -> None:
    """Compile all that the policy needs, or load it from disk where that was done before."""
    problem = PlacementProblem(
        operators=tuple(Operator(it, execution_time=0.001) for it in "abcd"),
        streams=tuple(Stream(*pair) for pair in ("ab", "ac", "bd", "cd")),
        nodes=(Node("u", operators=3), Node("v", operators=3)),
        links={("u", "v"): Link(0.001), ("v", "u"): Link(0.002)},
    )
    for objective in filter(CATALOGUE[policy].takes, OBJECTIVES):
        POLICIES[policy](problem, objective, time_limit=A_MOMENT, seed=0)


def main() -> None:
    """Compile ahead for every policy."""
    for policy in POLICIES:
        compile_ahead(policy)


if __name__ == "__main__":
    main()
