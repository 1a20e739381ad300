"""The heuristics of paper 003, section 6; papers/docs/provisioning.md lists their rules."""

from collections.abc import Mapping

from eyewall_papers.provisioning.heuristics.heuristic import Heuristic
from eyewall_papers.provisioning.heuristics.placements import (
    comm_greedy,
    comp_greedy,
    object_availability,
    object_greedy,
    object_grouping,
    random,
    subtree_bottom_up,
)
from eyewall_papers.provisioning.heuristics.server_selection import (
    select_intelligently,
    select_randomly,
)
from eyewall_papers.provisioning.purchases import FailedStep, HeuristicFailure

HEURISTICS: Mapping[str, Heuristic] = {
    "random": Heuristic(random, select_randomly),
    "comp-greedy": Heuristic(comp_greedy, select_intelligently),
    "comm-greedy": Heuristic(comm_greedy, select_intelligently),
    "object-greedy": Heuristic(object_greedy, select_intelligently),
    "subtree-bottom-up": Heuristic(subtree_bottom_up, select_intelligently),
    "object-grouping": Heuristic(object_grouping, select_intelligently),
    "object-availability": Heuristic(object_availability, select_intelligently),
}

__all__ = ["HEURISTICS", "FailedStep", "Heuristic", "HeuristicFailure"]
