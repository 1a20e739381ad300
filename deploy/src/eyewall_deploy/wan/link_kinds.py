"""The two kinds of links between hosts (paper 004, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LinkKind = Literal["public", "dedicated"]


@dataclass(frozen=True, slots=True)
class LeasedLine:
    """A leased line between two hosts, the same both ways.

    Parameters
    ----------
    delay
        Seconds, one way.
    bandwidth
        Bytes/s each way.
    price
        Of one byte.
    """

    between: tuple[str, str]
    delay: float
    bandwidth: float
    price: float

    @property
    def directions(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Its two directions, as (source, target)."""
        return self.between, self.between[::-1]


@dataclass(frozen=True, slots=True)
class PublicNetwork:
    """How the rates of the hosts' up- and downlinks vary around their means.

    Parameters
    ----------
    log2_deviation
        σ of log₂(transient rate / mean), which is normal with mean 0; 0 is steady.
    redrawn_every
        Seconds for which a drawn rate holds.
    """

    log2_deviation: float = 0.0
    redrawn_every: float = 0.010
