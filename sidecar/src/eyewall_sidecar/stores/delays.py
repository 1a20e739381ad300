"""Delays between hosts, as a store knows them: with their age, or unknown."""

from collections.abc import Iterator, Mapping, Sequence
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
    doubtful
        (i, j) whose delay is known, but with less confidence than it takes to move what runs.
    minimum_confidence
        How much it takes, 0 to 1.
    age
        Seconds since its oldest delay was measured or declared: none is older.
    remark
        What is wrong with the store, as a sentence for a person; empty if nothing is.
    confidence
        [i][j]: how much that delay is worth, 0 to 1; None: all that is known is certain.
    ages
        [i][j]: seconds since that delay was measured or declared; None: all have the table's age.
    """

    hosts: Mapping[str, int] = field(default_factory=dict)
    seconds: Sequence[Sequence[float | None]] = ()
    doubtful: frozenset[tuple[int, int]] = frozenset()
    minimum_confidence: float = 0.0
    age: float = field(default=0.0, compare=False)
    remark: str = field(default="", compare=False)
    confidence: Sequence[Sequence[float]] | None = field(default=None, compare=False)
    ages: Sequence[Sequence[float]] | None = field(default=None, compare=False)

    def seconds_between(self, source: str, target: str) -> float | None:
        """Return the delay from one host to another; None if it is unknown, never zero."""
        if source not in self.hosts or target not in self.hosts:
            return None
        return self.seconds[self.hosts[source]][self.hosts[target]]

    def confidence_between(self, source: str, target: str) -> float:
        """Return how much a delay is worth, 0 (unknown) to 1."""
        if self.seconds_between(source, target) is None:
            return 0.0
        if self.confidence is None:
            return 1.0
        return self.confidence[self.hosts[source]][self.hosts[target]]

    def age_between(self, source: str, target: str) -> float:
        """Return the seconds since a delay was measured or declared."""
        if self.ages is None or source not in self.hosts or target not in self.hosts:
            return self.age
        return self.ages[self.hosts[source]][self.hosts[target]]

    def doubtful_pairs(self) -> Iterator[tuple[str, str]]:
        """Yield source and target of each delay that is known with too little confidence."""
        names = {place: host for host, place in self.hosts.items()}
        for row, column in self.doubtful:
            yield names[row], names[column]

    def doubt(self) -> str:
        """Say what makes these delays less than good, to a person; empty if nothing does."""
        days = int(self.age // DAY)
        aged = f"delays {days} d old" if days else ""
        return "; ".join(it for it in (self.remark, aged) if it)


class DelayStore(Protocol):
    """Where delays come from."""

    @property
    def source(self) -> str:
        """Return what people call it: redis, file or none."""
        ...

    def read(self) -> DelayTable:
        """Return what is known now. Never raises: what is wrong is the table's `remark`."""
        ...


class NoDelays:
    """The store of a sidecar that was told of none."""

    source = "none"

    def read(self) -> DelayTable:
        """Return a table in which every delay is unknown."""
        return DelayTable(remark="no delays are configured ([delays] file or redis)")
