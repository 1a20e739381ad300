"""The way of a packet from one host to another: what it passes, and where it comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from eyewall_deploy.wan.link_kind import LinkKind


class Stage(Protocol):
    """A wire or a shaper: something that packets pass, one after the other."""

    def accept(self, size: int, now: float) -> float | None:
        """Say when a packet of this many bytes is through; None if it is dropped."""


@dataclass(frozen=True, slots=True)
class Way:
    """All that packets between two hosts pass by one kind of link, in order.

    Parameters
    ----------
    device
        Descriptor of the interface at the other end.
    """

    stages: tuple[Stage, ...]
    device: int
    kind: LinkKind
