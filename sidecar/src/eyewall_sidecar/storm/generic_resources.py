"""Storm's generic resources in the model's words, and limits on executors of a supervisor as such.

A component of which a supervisor may hold so many executors (topology.ras.constraints,
maxNodeCoLocationCnt) uses up places that each supervisor has that many of.
"""

from collections.abc import Iterable

from eyewall_sidecar.model.generic_resources import RESOURCES, Amounts
from eyewall_sidecar.storm.capacity import SupervisorCapacity
from eyewall_sidecar.storm.cluster import Component

_GENERIC, _PLACES = "generic ", "executors of "
_TAKEN = (*RESOURCES, "candidates", "bandwidth")
"""Names of other constraints (heuristic/alternatives.py)."""


def generic_needs(component: Component) -> Amounts:
    """Return what one executor needs."""
    needs = tuple((_named(name), amount) for name, amount in component.generic)
    return (*needs, (_places(component), 1.0)) if component.most_on_supervisor else needs


def generic_offers(
    components: Iterable[Component], staying: Iterable[Component], capacity: SupervisorCapacity
) -> Amounts:
    """Return what a supervisor offers of all that the components need.

    Parameters
    ----------
    staying
        The component of each executor that stays there: it holds these in any case.
    """
    needed: dict[str, float] = {}
    for component in staying:
        for name, amount in generic_needs(component):
            needed[name] = needed.get(name, 0.0) + amount
    offers: dict[str, float] = {}
    for component in components:
        for name, _ in component.generic:
            offers[_named(name)] = capacity.generic.get(name, 0.0)
        if component.most_on_supervisor:
            offers[_places(component)] = float(component.most_on_supervisor)
    return tuple(
        (name, max(offer, needed.get(name, 0.0))) for name, offer in sorted(offers.items())
    )


def _named(name: str) -> str:
    """Return a name that is none of the model's own: users may call theirs anything."""
    is_taken = name in _TAKEN or name.startswith((_GENERIC, _PLACES))
    return f"{_GENERIC}{name}" if is_taken else name


def _places(component: Component) -> str:
    return f"{_PLACES}{component.id}"
