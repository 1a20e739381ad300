"""The branch and bound's tree at its root, as tests look into it."""

from eyewall_sidecar.exact.bounds.layer_bound import layer_bound, layers_of
from eyewall_sidecar.exact.capacity import capacity_of
from eyewall_sidecar.exact.instance import Instance, instance_of
from eyewall_sidecar.exact.search_tree import SearchTree, search_tree
from eyewall_sidecar.exact.symmetry import identical_nodes, interchangeable_operators
from eyewall_sidecar.model.arrays import Floats, ProblemArrays
from eyewall_sidecar.objectives.costs import Costs


def root_of(
    arrays: ProblemArrays, costs: Costs, *, prices: Floats | None = None, layered: bool = False
) -> tuple[Instance, SearchTree]:
    """Return the instance and its tree, with prices for places, or layers from the root on."""
    instance = instance_of(arrays, costs)
    layers = None
    if layered:
        found = layer_bound(instance, layers_of(instance), capacity_of(instance).room)
        layers = found if len(found.layer) else None
    before, same_node = interchangeable_operators(instance), identical_nodes(instance, costs)
    return instance, search_tree(instance, before, same_node, prices, layers)
