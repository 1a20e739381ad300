"""Delays between hosts, as a store knows them: with their age, or unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

DAY = 86_400.0
"""Seconds after which the age of delays is worth a word: a file is often written only once."""


@dataclass(frozen=True, slots=True)
class DelayTable:
    """What a store knew when it was read; with the same delays it is equal, whatever its age.

    Parameters
    ----------
    hosts
        Row and column of each host.
    seconds
        [i][j]: from host i to host j, one way; None where it is unknown.
    age
        Seconds since its delays were measured or declared.
    remark
        What is wrong with the store, as a sentence for a person; empty if nothing is.
    """

    hosts: Mapping[str, int] = field(default_factory=dict)
    seconds: Sequence[Sequence[float | None]] = ()
    age: float = field(default=0.0, compare=False)
    remark: str = field(default="", compare=False)

    def seconds_between(self, source: str, target: str) -> float | None:
        """Return the delay from one host to another; None if it is unknown, never zero."""
        if source not in self.hosts or target not in self.hosts:
            return None
        return self.seconds[self.hosts[source]][self.hosts[target]]

    def doubt(self) -> str:
        """Say what makes these delays less than good, to a person; empty if nothing does."""
        days = int(self.age // DAY)
        aged = f"delays {days} d old" if days else ""
        return "; ".join(it for it in (self.remark, aged) if it)


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
