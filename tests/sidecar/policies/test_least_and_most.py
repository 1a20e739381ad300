"""Every policy where there is the least to place, and where every number is the most allowed."""

from itertools import permutations

import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Status, Stream
from eyewall_sidecar.model.limits import LONGEST, MOST, MOST_OFFERED, SLOWEST
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import load_policy, policy_catalogue

VALUES = {
    # Three days' work at a speedup of 1e-6, and two days on the way.
    "R=1": 3 * 86_400 / 1e-6 + 2 * 86_400,
    "A=1": 1.0,
    # Two streams of 1e15 tuples/s of 1e15 bytes.
    "T=1": 2 * 1e30,
    "N=1": 2 * 1e30 * 86_400,
    "EE=1": 2 * 1e30 * 86_400**2,
    "R=0.5,A=0.2,N=0.3": 0.0,
    # 1e-6 for each of 2 · 86,400,000 ms; all nodes, streams and tuples.
    "ecker=lat:1e-06,sup:1,co:1,event:1": 172.8 + 1 + 1 + 1,
}
OBJECTIVES = tuple(map(Objective.parse, VALUES))
ASKED = [
    (name, it) for name, entry in policy_catalogue().items() for it in OBJECTIVES if entry.takes(it)
]
PATIENCE = 60.0
"""Seconds; no test means to wait so long."""


@pytest.mark.parametrize(("name", "objective"), ASKED, ids=str)
def test_no_operators_are_placed_nowhere_by_every_policy(name: str, objective: Objective) -> None:
    nothing = PlacementProblem((), (), (Node("n1"),), {})
    solution = load_policy(name)(nothing, objective, time_limit=PATIENCE, seed=0)
    assert solution.placement == {}
    assert solution.status is (Status.OPTIMAL if name == "odp" else Status.HEURISTIC)


@pytest.mark.parametrize(("name", "objective"), ASKED, ids=str)
def test_the_most_allowed_is_valued_as_it_is_by_every_policy(
    name: str, objective: Objective
) -> None:
    # a → b → c, one on each of three nodes, whichever: two streams of 1e15 tuples/s over a day.
    huge = PlacementProblem(
        operators=tuple(Operator(it, MOST, MOST, LONGEST) for it in "abc"),
        streams=(Stream("a", "b", MOST, MOST), Stream("b", "c", MOST, MOST)),
        nodes=tuple(
            Node(it, MOST_OFFERED, MOST_OFFERED, 1, SLOWEST, coordinates=place)
            for it, place in zip("uvw", ((MOST, MOST), (MOST, -MOST), (-MOST, MOST)), strict=True)
        ),
        links=dict.fromkeys(permutations("uvw", 2), Link(LONGEST, bandwidth=MOST_OFFERED)),
    )
    # Of these only bound_guided uses all that it is given; on a busy machine any may need more.
    time_limit = 2.0 if name == "bound_guided" else PATIENCE
    solution = load_policy(name)(huge, objective, time_limit=time_limit, seed=0)
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(VALUES[str(objective)])
    if name == "odp":
        assert (solution.status, solution.gap) == (Status.OPTIMAL, 0)
