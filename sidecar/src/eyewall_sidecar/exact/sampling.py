"""Candidate sampling: a smaller problem, solved sooner, for a placement that may be worse.

Cardellini et al., "Optimal operator placement" (paper 000), section 7.3, figures 10a and 10b.
"""

from dataclasses import replace

from numpy.random import Generator

from eyewall_sidecar.model import Operator, PlacementProblem


def sampled(problem: PlacementProblem, share: float, rng: Generator) -> PlacementProblem:
    """Return the problem with fewer candidates V_res^i, drawn for each operator by itself.

    The paper uses "a simple random sampling to identify the candidate resource subset for each
    operator": without replacement, every subset of that size alike. Whatever fits the sample fits
    the problem; that the sample has no valid placement says nothing about the problem.

    Parameters
    ----------
    share
        The part of its candidates that an operator keeps, in (0, 1]: rounded to whole nodes, but
        at least one, so that a pinned operator keeps its node. A node that an operator runs on
        now is drawn like any other.
    rng
        Draws once for each operator that has to give up candidates, in their order.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share of candidates is {share:g}; it must be > 0 and at most 1")
    operators = tuple(_sampled(problem, it, share, rng) for it in problem.operators)
    return replace(problem, operators=operators)


def _sampled(
    problem: PlacementProblem, operator: Operator, share: float, rng: Generator
) -> Operator:
    candidates = problem.candidates(operator.id)
    kept = max(1, round(share * len(candidates)))
    if kept >= len(candidates):
        return operator
    places = sorted(rng.choice(len(candidates), kept, replace=False).tolist())
    return replace(operator, candidates=tuple(candidates[place] for place in places))
