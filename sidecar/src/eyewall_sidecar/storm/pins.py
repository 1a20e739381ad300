"""Pins: the hosts on which a component may run, by name, label or site."""

from collections.abc import Iterable, Mapping

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.storm.traits import Traits


def pinned_hosts(
    component: str, pins: Iterable[str], traits: Mapping[str, Traits]
) -> tuple[str, ...]:
    """Hosts that a component's pins allow; a pin that names nothing is refused with the choice."""
    allowed: dict[str, None] = {}
    for pin in pins:
        found = _named(pin, traits)
        if not found:
            raise ProblemError(f"eyewall.pin of {component}: no {_meant(pin, traits)}")
        allowed |= dict.fromkeys(found)
    return tuple(allowed)


def _named(pin: str, traits: Mapping[str, Traits]) -> list[str]:
    kind, colon, name = pin.partition(":")
    if colon and kind == "label":
        return [host for host, its in traits.items() if name in its.labels]
    if colon and kind == "site":
        return [host for host, its in traits.items() if its.site == name]
    return [pin] if pin in traits else []


def _meant(pin: str, traits: Mapping[str, Traits]) -> str:
    kind, colon, name = pin.partition(":")
    if colon and kind == "label":
        labels = sorted({label for its in traits.values() for label in its.labels})
        return f"host has the label {name}; labels are {listed(labels) or 'not given'}"
    if colon and kind == "site":
        sites = sorted({its.site for its in traits.values() if its.site})
        return f"host is at the site {name}; sites are {listed(sites) or 'not given'}"
    return f"host {pin}; hosts are {listed(sorted(traits))}"
