"""What nodes hold and operators need, by name: Storm's own resources, and generic ones.

A generic resource is anything that a node has a number of and operators use up: GPUs
(`supervisor.resources.map`), or places for executors of a component that is to be spread.
"""

from collections import Counter

from eyewall_sidecar.model.errors import ProblemError, listed, require_amount

RESOURCES = ("operators", "cpu", "memory", "reserved")
"""What every node's capacity is counted in; `operators` with one for each operator."""

Amounts = tuple[tuple[str, float], ...]
"""(generic resource, amount), each one once."""


def amount_of(owner: object, generic: Amounts, resource: str) -> float:
    """Return how much of the resource the owner needs or offers: 0 of one that it does not name."""
    if resource in RESOURCES:
        return float(getattr(owner, resource))
    return next((amount for name, amount in generic if name == resource), 0.0)


def require_amounts(owner: str, generic: Amounts, most: float) -> None:
    """Refuse a generic resource without a name, with another one's name, or given twice."""
    times = Counter(name for name, _ in generic)
    for name, amount in generic:
        if not name or name in RESOURCES:
            raise ProblemError(
                f"{owner}: resource {name!r}; a generic resource has a name, other than "
                f"{listed(RESOURCES)}"
            )
        if times[name] > 1:
            raise ProblemError(f"{owner}: resource {name} is listed more than once")
        require_amount(owner, f"resource {name}", amount, most)


def resource_label(resource: str, row: int) -> str:
    """Return a name for rows of programs: generic resources may be called anything."""
    return resource if resource in RESOURCES else f"generic_{row}"
