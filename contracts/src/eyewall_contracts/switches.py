"""The operators' switches: what people turn while everything runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eyewall_contracts.znodes import ZnodeError, decode_document, encode_document

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class Switches:
    """What is switched off.

    Parameters
    ----------
    frozen
        Nothing that runs is moved.
    frozen_topologies
        The same for single topologies, by Storm's id.
    """

    frozen: bool = False
    frozen_topologies: frozenset[str] = frozenset()

    def with_all(self, *, frozen: bool) -> Switches:
        """Freeze or unfreeze everything; topologies frozen by themselves stay so."""
        return replace(self, frozen=frozen)

    def with_topology(self, topology: str, *, frozen: bool) -> Switches:
        """Freeze or unfreeze one topology, by Storm's id."""
        others = self.frozen_topologies - {topology}
        return replace(self, frozen_topologies=others | {topology} if frozen else others)

    def without_gone(self, known: Collection[str]) -> Switches:
        """Drop topologies that no longer exist; Storm never reuses an id."""
        return replace(self, frozen_topologies=self.frozen_topologies & frozenset(known))


def encode_switches(switches: Switches) -> bytes:
    """Return the switches as JSON."""
    return encode_document(
        {"frozen": switches.frozen, "frozen_topologies": sorted(switches.frozen_topologies)}
    )


def decode_switches(data: bytes) -> Switches:
    """Read the switches; ZnodeError names what is wrong."""
    content = decode_document(data)
    frozen = content.get("frozen", False)
    topologies = content.get("frozen_topologies", [])
    if not isinstance(frozen, bool):
        raise ZnodeError(f"switches: frozen is {frozen!r:.50}; it must be true or false")
    if not isinstance(topologies, list) or not all(isinstance(name, str) for name in topologies):
        raise ZnodeError("switches: frozen_topologies must be a list of topology ids")
    return Switches(frozen, frozenset(topologies))
