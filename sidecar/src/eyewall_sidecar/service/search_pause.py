"""When to look for something better again: a search takes CPU, and what is measured never rests."""

from math import isfinite

from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.model import PlacementProblem, ProblemError
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.candidate_move import CandidateMove, MoveConditions
from eyewall_sidecar.service.move_price import least_price
from eyewall_sidecar.service.movement_rules import MoveVerdict
from eyewall_sidecar.service.placement_search import PlacementSearch

SHARE = 0.1
"""Of the time, that searches for one topology may take, but for what follows."""
CHANGED_SHARE = 1 / 3
"""Of the time, that they may take where the value of what runs got better or worse enough, or where
what was found would be moved to if it were not too old."""
LEAST_CHANGE, MOST_CHANGE = 1.25, 5.0
"""Factors by which the value has to change for that: it grows while values change all the time.

Those of what is saturated, or has few tuples, always do: with 1.25 alone, searches for such a
topology took a quarter of a core for as long as it ran.
"""
GROWS, SHRINKS = 2.0, 0.8
"""With each search that began sooner than a tenth allows, and with each other one, the factor's
distance from 1 is multiplied by this."""
FRESH_SECONDS = 10.0
"""Since a solution was taken, for which it is moved to though values have changed meanwhile."""


def is_stale(search: PlacementSearch, now: float) -> bool:
    """Whether what a search found, for a problem that has changed since, is too old to move to.

    What makes a move worth it may have changed most while nothing was searched for. The round that
    takes a solution never finds it stale, however late it comes: else none would ever be moved to.
    """
    return now > search.found + FRESH_SECONDS


def next_change(search: PlacementSearch | None, now: float) -> float:
    """Return the factor by which values have to change for the search after one that begins now.

    Parameters
    ----------
    search
        The last one; None before the first.
    now
        By the clock that `search.began` is on.
    """
    if search is None:
        return LEAST_CHANGE
    times = SHRINKS if _is_rested(search, now) else GROWS
    return min(MOST_CHANGE, max(LEAST_CHANGE, 1 + times * (search.change - 1)))


def may_search_again(
    search: PlacementSearch,
    verdict: MoveVerdict,
    conditions: MoveConditions,
    limits: MoveLimits,
    now: float,
) -> bool:
    """Whether to search again, as the problem is no longer the one that was solved.

    Parameters
    ----------
    search
        The last one, with its solution.
    verdict
        On that solution, held against the problem as it is now. What it lets move is stale: it is
        searched for again as soon as a third of the time allows.
    now
        By the clock that `search.began` is on.
    """
    candidate = verdict.candidate
    then, problem = search.task.problem, candidate.request.problem
    if isinstance(problem, ProblemError) or _may_run_elsewhere(then, problem.problem):
        return True
    if verdict.hold is None:
        return _is_rested_a_little(search, now)
    if any(it.job is not None for it in search.cheaper):
        return False
    if not _may_pay(candidate, conditions, limits):
        return False
    if _is_rested(search, now):
        return True
    return _is_rested_a_little(search, now) and _has_changed(then, candidate, search.change)


def may_retry(search: PlacementSearch, now: PlacementProblem, at: float) -> bool:
    """Whether to search again though the last search failed.

    A policy that fails or hangs does so each time: it gets a tenth of the time as any other, by
    when rounds look, unless executors may run elsewhere than it was asked for.

    Parameters
    ----------
    now
        The problem as it is now.
    at
        The time, by the clock that `search.began` is on.
    """
    return _is_rested(search, at) or _may_run_elsewhere(search.task.problem, now)


def _is_rested(search: PlacementSearch, now: float) -> bool:
    return now >= search.began + search.seconds / SHARE


def _is_rested_a_little(search: PlacementSearch, now: float) -> bool:
    return now >= search.began + search.seconds / CHANGED_SHARE


def _may_run_elsewhere(then: PlacementProblem, now: PlacementProblem) -> bool:
    """Whether there is another node than then, or pins and slots leave executors others."""
    was, may = ([(it.id, it.candidates) for it in each.operators] for each in (then, now))
    open_then, open_now = ({it.id for it in each.nodes if it.operators} for each in (then, now))
    closed = open_then & {it.id for it in now.nodes if not it.operators}
    return was != may or bool(closed) or not open_now <= open_then


def _may_pay(candidate: CandidateMove, conditions: MoveConditions, limits: MoveLimits) -> bool:
    """Whether any placement could save as much as the least that a move costs.

    No move saves more than what tuples take, nor is that ever counted as more than was measured.
    What is saturated moves for its throughput, and what has to move moves whatever that costs.
    """
    weighs_load = candidate.request.settings.objective.weighs_load
    if not weighs_load or limits.horizon_seconds == 0:
        return True
    if conditions.saturated or conditions.latency is None:
        return True
    if candidate.before is None or candidate.must_move is not None:
        return True
    most = min(conditions.latency, candidate.before.metrics[Term.L])
    return most * limits.horizon_seconds > least_price(candidate.request, conditions.starts)


def _has_changed(then: PlacementProblem, candidate: CandidateMove, factor: float) -> bool:
    """Whether the value of what runs has changed since the search by more than this factor."""
    before = candidate.before
    if before is None or then.current is None:
        return False
    objective = candidate.request.settings.objective
    was = evaluate(then, then.current, objective, before.ranges).value
    if not (isfinite(was) and isfinite(before.value)):
        # Near saturation it may be infinite with every other reading.
        return was != before.value and factor < MOST_CHANGE
    low, high = sorted((abs(was), abs(before.value)))
    return high > factor * low
