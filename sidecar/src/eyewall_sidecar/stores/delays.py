"""Delays between hosts, as a store knows them: each with its age and confidence, or unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Delay:
    """One delay, one way.

    Parameters
    ----------
    seconds
        How long a packet takes, ≥ 0.
    age
        Seconds since it was measured or declared.
    confidence
        How far to trust it, in [0, 1].
    source
        Who says so.
    """

    seconds: float
    age: float
    confidence: float
    source: str


@dataclass(frozen=True, slots=True)
class DelayTable:
    """What a store knew when it was read; with the same delays it is equal, whatever its age.

    Parameters
    ----------
    hosts
        Row and column of each host.
    seconds
        [i][j]: from host i to host j, one way; None where it is unknown.
    age, confidence, source
        Of all its delays.
    remark
        What is wrong with the store, as a sentence for a person; empty if nothing is.
    """

    hosts: Mapping[str, int] = field(default_factory=dict)
    seconds: Sequence[Sequence[float | None]] = ()
    age: float = field(default=0.0, compare=False)
    confidence: float = field(default=1.0, compare=False)
    source: str = field(default="", compare=False)
    remark: str = field(default="", compare=False)

    def between(self, source: str, target: str) -> Delay | None:
        """Return the delay from one host to another; None if it is unknown, never zero."""
        seconds = self.seconds_between(source, target)
        if seconds is None:
            return None
        return Delay(seconds, self.age, self.confidence, self.source)

    def seconds_between(self, source: str, target: str) -> float | None:
        """Return the seconds alone."""
        if source not in self.hosts or target not in self.hosts:
            return None
        return self.seconds[self.hosts[source]][self.hosts[target]]


class DelayStore(Protocol):
    """Where delays come from."""

    def read(self) -> DelayTable:
        """Return what is known now. Never raises: what is wrong is the table's `remark`."""
        ...


class NoDelays:
    """The store of a sidecar that was told of none."""

    def read(self) -> DelayTable:
        """Return a table in which every delay is unknown."""
        return DelayTable(remark="no delays are configured ([delays] file)")
