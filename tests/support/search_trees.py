"""The branch and bound's tree at its root, as tests look into it."""

from eyewall_sidecar.exact.instance import Instance, instance_of
from eyewall_sidecar.exact.search_tree import SearchTree, search_tree
from eyewall_sidecar.exact.symmetry import identical_nodes, interchangeable_operators
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.costs import Costs


def root_of(arrays: ProblemArrays, costs: Costs) -> tuple[Instance, SearchTree]:
    """Return the instance and its tree."""
    instance = instance_of(arrays, costs)
    before, same_node = interchangeable_operators(instance), identical_nodes(instance, costs)
    return instance, search_tree(instance, before, same_node)
