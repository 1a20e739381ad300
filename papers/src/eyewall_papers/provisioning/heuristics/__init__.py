"""The heuristics of paper 003, section 6; papers/docs/provisioning.md lists their rules."""

from collections.abc import Mapping

from eyewall_papers.provisioning.heuristics.comm_greedy import comm_greedy
from eyewall_papers.provisioning.heuristics.comp_greedy import comp_greedy
from eyewall_papers.provisioning.heuristics.failure import Failure, Step
from eyewall_papers.provisioning.heuristics.heuristic import Heuristic
from eyewall_papers.provisioning.heuristics.object_availability import object_availability
from eyewall_papers.provisioning.heuristics.object_greedy import object_greedy
from eyewall_papers.provisioning.heuristics.object_grouping import object_grouping
from eyewall_papers.provisioning.heuristics.random import random
from eyewall_papers.provisioning.heuristics.server_selection import (
    select_intelligently,
    select_randomly,
)
from eyewall_papers.provisioning.heuristics.subtree_bottom_up import subtree_bottom_up

HEURISTICS: Mapping[str, Heuristic] = {
    "random": Heuristic(random, select_randomly),
    "comp-greedy": Heuristic(comp_greedy, select_intelligently),
    "comm-greedy": Heuristic(comm_greedy, select_intelligently),
    "object-greedy": Heuristic(object_greedy, select_intelligently),
    "subtree-bottom-up": Heuristic(subtree_bottom_up, select_intelligently),
    "object-grouping": Heuristic(object_grouping, select_intelligently),
    "object-availability": Heuristic(object_availability, select_intelligently),
}

__all__ = ["HEURISTICS", "Failure", "Heuristic", "Step"]
