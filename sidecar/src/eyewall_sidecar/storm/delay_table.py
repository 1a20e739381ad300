"""The delays that the sidecar decides by, as matrices: [i][j] is from host i to host j, one way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
DAY = 86_400.0
"""Seconds after which the age of delays is worth a word: a file is often written only once."""


def _nothing() -> Matrix:
    return np.empty((0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class DelayTable:
    """What a store knew when it was read; two with the same delays are equal, whatever else is.

    Parameters
    ----------
    hosts
        Names, in the order of rows and columns.
    seconds
        NaN where the delay is unknown, which is never zero; 0 on the diagonal.
    trusted
        The same without delays of too little confidence to move what runs.
    confidence
        0 to 1; 0 where the delay is unknown.
    ages
        Seconds since each delay was measured or declared.
    minimum_confidence
        What it takes to be trusted, 0 to 1.
    age
        Seconds since the oldest delay was measured or declared.
    remark
        What is wrong with the store, as a sentence for a person; empty if nothing is.
    coordinates
        Host → its place in a space whose distances estimate delays, in seconds; empty without one.
    """

    hosts: tuple[str, ...] = ()
    seconds: Matrix = field(default_factory=_nothing)
    trusted: Matrix = field(default_factory=_nothing)
    confidence: Matrix = field(default_factory=_nothing)
    ages: Matrix = field(default_factory=_nothing)
    minimum_confidence: float = 0.0
    age: float = 0.0
    remark: str = ""
    coordinates: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    _place: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_place", {host: i for i, host in enumerate(self.hosts)})

    @classmethod
    def certain(cls, hosts: tuple[str, ...], seconds: Matrix) -> Self:
        """Return delays that are all declared: certain where they are known, and new."""
        seconds = seconds.copy()
        np.fill_diagonal(seconds, 0.0)
        known = ~np.isnan(seconds)
        return cls(
            hosts=hosts,
            seconds=seconds,
            trusted=seconds,
            confidence=known.astype(np.float64),
            ages=np.zeros(seconds.shape),
            age=0.0,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DelayTable):
            return NotImplemented
        return (
            self.hosts == other.hosts
            and self.minimum_confidence == other.minimum_confidence
            and _same(self.seconds, other.seconds)
            and _same(self.trusted, other.trusted)
        )

    __hash__ = None  # type: ignore[assignment]

    def places(self, hosts: tuple[str, ...]) -> NDArray[np.intp]:
        """Return the row of each host, -1 for one that is not there."""
        return np.array([self._place.get(it, -1) for it in hosts], dtype=np.intp)

    def seconds_between(self, source: str, target: str) -> float | None:
        """Return the delay from one host to another; None if it is unknown."""
        row, column = self._place.get(source), self._place.get(target)
        if row is None or column is None or np.isnan(self.seconds[row, column]):
            return None
        return float(self.seconds[row, column])

    def trusts(self, source: str, target: str) -> bool:
        """Whether a delay is known well enough to move what runs."""
        row, column = self._place.get(source), self._place.get(target)
        return row is not None and column is not None and not np.isnan(self.trusted[row, column])

    def confidence_between(self, source: str, target: str) -> float:
        """Return how much a delay is worth, 0 (unknown) to 1."""
        if self.seconds_between(source, target) is None:
            return 0.0
        return float(self.confidence[self._place[source], self._place[target]])

    def age_between(self, source: str, target: str) -> float:
        """Return the seconds since a delay was measured or declared; the table's if unknown."""
        if self.seconds_between(source, target) is None:
            return self.age
        return float(self.ages[self._place[source], self._place[target]])

    def least_confidence(self, hosts: tuple[str, ...]) -> float:
        """Return how much the least certain delay between two of these hosts is worth.

        0 if the table lacks one of them; 1 if there are no two.
        """
        rows = self.places(hosts)
        if (rows < 0).any():
            return 0.0
        within = self.confidence[np.ix_(rows, rows)].copy()
        np.fill_diagonal(within, 1.0)
        return float(within.min(initial=1.0))

    def doubt(self) -> str:
        """Say what makes these delays less than good, to a person; empty if nothing does."""
        days = int(self.age // DAY)
        aged = f"delays {days} d old" if days else ""
        return "; ".join(it for it in (self.remark, aged) if it)


def _same(one: Matrix, other: Matrix) -> bool:
    return one is other or np.array_equal(one, other, equal_nan=True)
