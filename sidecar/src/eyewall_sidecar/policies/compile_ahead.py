"""Asks every policy something tiny, so that what is compiled is compiled before it is needed.

python -m eyewall_sidecar.policies.compile_ahead
"""

import sys

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.plugins import described
from eyewall_sidecar.policies.catalogue import load_policy, policy_catalogue

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
    place = load_policy(policy)
    for objective in filter(policy_catalogue()[policy].takes, OBJECTIVES):
        place(problem, objective, time_limit=A_MOMENT, seed=0)


def main() -> None:
    """Compile ahead for every policy; exit code 1 if one fails."""
    failed = False
    for policy in policy_catalogue():
        try:
            compile_ahead(policy)
        except Exception as error:  # noqa: BLE001 - another distribution's policy may raise anything
            failed = True
            sys.stderr.write(f"policy {policy} failed: {described(error)}\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
