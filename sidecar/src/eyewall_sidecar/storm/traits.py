"""A host's traits in supervisor.scheduler.meta: site, labels, availability, speed."""

from collections.abc import Mapping
from dataclasses import dataclass

from eyewall_sidecar.model.limits import SLOWEST

FASTEST = 1000.0


@dataclass(frozen=True, slots=True)
class Traits:
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


def read_traits(meta: Mapping[str, str]) -> Traits:
    """Read supervisor.scheduler.meta; keys that Eyewall does not know belong to others."""
    labels = (label.strip() for label in meta.get("labels", "").split(","))
    return Traits(
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
        raise TraitsError(f"supervisor.scheduler.meta {key} is {text!r}; it must be {allowed}")
    return value
