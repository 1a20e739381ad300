"""A host's traits in supervisor.scheduler.meta, and pins: hosts by name, label or site."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.limits import SLOWEST
from eyewall_sidecar.storm.cluster import Supervisor

FASTEST = 1000.0


@dataclass(frozen=True, slots=True)
class HostTraits:
    """A host's own description; the defaults hold for what it does not say.

    Parameters
    ----------
    site
        Where it is.
    labels
        What pins may name.
    availability
        The probability that it is up, in (0, 1].
    speed
        How much faster than the reference processor, from SLOWEST to FASTEST.
    """

    site: str = ""
    labels: frozenset[str] = frozenset()
    availability: float = 1.0
    speed: float = 1.0


class TraitsError(ValueError):
    """A host's description that cannot be read; names key, value and what is allowed."""


def read_traits(meta: Mapping[str, str]) -> HostTraits:
    """Read supervisor.scheduler.meta; keys that Eyewall does not know belong to others."""
    labels = (label.strip() for label in meta.get("labels", "").split(","))
    return HostTraits(
        site=meta.get("site", "").strip(),
        labels=frozenset(label for label in labels if label),
        availability=_number(meta, "availability", 0.0, 1.0, "a number in (0, 1]"),
        speed=_number(meta, "speed", SLOWEST, FASTEST, f"a number from {SLOWEST:g} to {FASTEST:g}"),
    )


def _number(meta: Mapping[str, str], key: str, least: float, most: float, allowed: str) -> float:
    text = meta.get(key, "1")
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (value > 0 and least <= value <= most):
        raise TraitsError(message(Code.BAD_TRAIT, key=key, value=text, allowed=allowed))
    return value


def traits_of(
    supervisors: Iterable[Supervisor],
) -> tuple[dict[str, HostTraits], dict[str, str]]:
    """Return host → what it says of itself, and host → why that cannot be read."""
    readable: dict[str, HostTraits] = {}
    unreadable: dict[str, str] = {}
    for supervisor in supervisors:
        try:
            readable[supervisor.host] = read_traits(supervisor.scheduler_meta)
        except TraitsError as error:
            unreadable[supervisor.host] = str(error)
    return {host: it for host, it in readable.items() if host not in unreadable}, unreadable


def pinned_hosts(
    component: str, pins: Iterable[str], traits: Mapping[str, HostTraits]
) -> tuple[str, ...]:
    """Hosts that a component's pins allow; a pin that names nothing is refused with the choice."""
    allowed: dict[str, None] = {}
    for pin in pins:
        found = _named(pin, traits)
        if not found:
            raise ProblemError(_no_host(component, pin, traits))
        allowed |= dict.fromkeys(found)
    return tuple(allowed)


def _named(pin: str, traits: Mapping[str, HostTraits]) -> list[str]:
    kind, colon, name = pin.partition(":")
    if colon and kind == "label":
        return [host for host, its in traits.items() if name in its.labels]
    if colon and kind == "site":
        return [host for host, its in traits.items() if its.site == name]
    return [pin] if pin in traits else []


def _no_host(component: str, pin: str, traits: Mapping[str, HostTraits]) -> Message:
    kind, colon, name = pin.partition(":")
    if colon and kind == "label":
        labels = sorted({label for its in traits.values() for label in its.labels})
        return message(Code.PIN_NO_LABEL, component=component, name=name, known=labels)
    if colon and kind == "site":
        sites = sorted({its.site for its in traits.values() if its.site})
        return message(Code.PIN_NO_SITE, component=component, name=name, known=sites)
    return message(Code.PIN_NO_HOST, component=component, name=pin, known=sorted(traits))
