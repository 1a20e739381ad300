"""Placement for L and Θ: one search and one proof side by side, for `bound_guided` and `odp`.

The search begins from where operators run, from simple placements and from good ones on idle
hosts. The proof learns from it what is worth looking at, and ends both if nothing better is left.
"""

from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.random import default_rng

from eyewall_sidecar.exact.finding import Clock
from eyewall_sidecar.exact.first_fit import known_placements
from eyewall_sidecar.exact.load_branching import LoadTree, load_load_branching
from eyewall_sidecar.heuristic.bound_guided_search import guided, load_guided
from eyewall_sidecar.heuristic.load_search import LoadSearch, load_load_search
from eyewall_sidecar.model import PlacementProblem, Solution, Status
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.costs import weigh
from eyewall_sidecar.objectives.load_terms import load_terms
from eyewall_sidecar.policies.policy_request import PolicyRequest

FIRST_PROOF, PROOF = 200_000, 100_000
"""Expansions times operators times nodes of the proof's first turn and of each other one: up to a
tenth of a second."""
IDLE_HOSTS_SHARE = 0.15
"""Of the time, for placements that are good on idle hosts."""
IDLE_HOSTS_STEPS = 12


def place_under_load(
    policy: str,
    problem: PlacementProblem,
    objective: Objective,
    time_limit: float,
    seed: int,
    clock: Clock,
) -> Solution:
    """Return the optimum, or the best placement within the time limit and its bound.

    The time limit begins when compiled code is loaded.
    """
    load_guided()
    load_load_search()
    load_load_branching()
    request = PolicyRequest.now(policy, problem, objective, time_limit, seed, clock)
    if not problem.operators:
        return request.placed(np.zeros(0, dtype=np.int64))
    arrays = ProblemArrays.of(problem)
    terms = load_terms(arrays, objective.single or Term.L)
    known = known_placements(problem)
    running = problem.current is not None and len(problem.current) == arrays.operators
    search = LoadSearch(terms, known[0] if running else None)
    tree = LoadTree(terms, arrays)
    # The answer's evaluation takes about as long as translating the problem did.
    ends_at = request.ends_at - (clock() - request.started)
    for places in known:
        search.meet(places)
    if not _proven(tree, search, max(1, FIRST_PROOF // terms.allowed.size)):
        improving = search.improve(_starts(request, arrays, known), default_rng(seed))
        steps, longest, before = max(1, PROOF // terms.allowed.size), 0.0, clock()
        while not _proven(tree, search, steps):
            next(improving)
            now = clock()
            longest, before = max(longest, now - before), now
            # As likely as not the next step is a long one.
            if now + longest / 2 >= ends_at:
                break
    search.settle()
    evaluated = search.evaluated + tree.steps
    if search.best is None:
        return replace(request.stuck("no placement that was tried fits"), evaluated=evaluated)
    return _answer(request, search, tree, evaluated)


def _proven(tree: LoadTree, search: LoadSearch, steps: int) -> bool:
    """Go on with the proof; return whether nothing is better than what the search knows."""
    tree.learn(search.cost)
    tree.prove(steps)
    if (found := tree.places) is not None:
        search.meet(found)
    return not tree.is_open


def _starts(request: PolicyRequest, arrays: ProblemArrays, known: list[Places]) -> list[Places]:
    """Add what is good on idle hosts, within a share of the time."""
    seconds = IDLE_HOSTS_SHARE * (request.ends_at - request.started)
    stop, starts = request.clock() + seconds, list(known)
    search = guided(
        arrays,
        weigh(arrays, {Term.R: 1.0}),
        known,
        seconds=seconds,
        generator=default_rng(request.seed),
    )
    for places in islice(search, IDLE_HOSTS_STEPS):
        starts.append(places.copy())
        if request.clock() >= stop:
            break
    return starts


def _answer(request: PolicyRequest, search: LoadSearch, tree: LoadTree, evaluated: int) -> Solution:
    """Answer with what is known: the proof's word for `odp`; a heuristic answers without bound."""
    assert search.best is not None  # noqa: S101 - for mypy
    solution = replace(request.placed(search.best), evaluated=evaluated)
    if request.policy != "odp" or solution.evaluation is None:
        return solution
    value = solution.evaluation.value
    least = min(tree.bound, search.cost)
    bound = 1.0 / least if request.objective.maximised else least
    bound = max(bound, value) if request.objective.maximised else min(bound, value)
    gap = abs(value - bound) / max(abs(value), 1e-9)
    proven = not tree.is_open
    return replace(
        solution,
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        decided_by="branch and bound" if proven else "search under load",
        bound=value if proven else bound,
        gap=0.0 if proven else gap,
    )
