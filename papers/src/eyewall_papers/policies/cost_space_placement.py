"""Shared by the policies that move operators in a cost space."""

from dataclasses import replace

import numpy as np
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE
from eyewall_sidecar.model import Solution
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.policies.policy_request import PolicyRequest, counted

from eyewall_papers.cost_space.adaptation import Adaptation, Situation, adapt, all_operators
from eyewall_papers.cost_space.coordinates import cost_space
from eyewall_papers.cost_space.equilibrium import Turns
from eyewall_papers.cost_space.nearest_node import Sites
from eyewall_papers.cost_space.operator_graph import OperatorGraph


def place_in_cost_space(request: PolicyRequest, turns: Turns, aim: str) -> Solution:
    """Let all operators take turns from where they run now, and map them to nodes.

    Parameters
    ----------
    turns
        What an operator does in its turn.
    aim
        What that optimises, as a sentence for a person.
    """
    problem = request.problem
    arrays = ProblemArrays.of(problem)
    graph = OperatorGraph.of(arrays)
    space = cost_space(problem, request.seed)
    sites = Sites.of(arrays, space.coordinates)
    start = Situation.at_first(graph, sites, _current(request))
    if request.clock() >= request.ends_at:
        return request.late()
    found = adapt(
        turns,
        graph,
        sites,
        start,
        all_operators(graph),
        stopped=lambda: request.clock() >= request.ends_at,
    )
    places = found.situation.places
    homeless = np.flatnonzero(places == NOWHERE)
    solution = request.no_room_for(homeless[0]) if len(homeless) else request.placed(places)
    solution = counted(solution, found.turns)
    if solution.placement is None:
        return solution
    reasons = (aim, f"cost space: {space.remark}", *_report(found))
    return replace(solution, reasons=(*reasons, *solution.reasons))


def _report(found: Adaptation) -> list[str]:
    taken = f"operators took {found.turns} turns and would send {found.messages} messages"
    moved = f"{found.migrations} migrate, lazily, in place of {found.eager_migrations} migrations"
    report = [f"{taken}; {moved}"]
    if found.second_choices:
        report.append(f"operators not on their nearest node, which is full: {found.second_choices}")
    if not found.settled:
        report.append("the turns ended before the operators came to rest")
    return report


def _current(request: PolicyRequest) -> Places:
    node = {it.id: place for place, it in enumerate(request.problem.nodes)}
    current = request.problem.current or {}
    return np.array(
        [node[current[it.id]] if it.id in current else NOWHERE for it in request.problem.operators],
        dtype=np.int64,
    )
