"""What it has cost a topology so far that it is given more than it carries."""

from dataclasses import dataclass

from eyewall_sidecar.objectives.load_prediction import LoadPrediction
from eyewall_sidecar.service.performance import Performance

LULL = 15.0
"""Seconds without overload after which the next one is another: single measurements err."""


@dataclass(frozen=True, slots=True)
class Strain:
    """How tuples wait at one moment.

    Parameters
    ----------
    latency, least
        Seconds from emit to ack, now and at least lately; None if that is not known.
    held_back
        The part of the tuples that spouts are taken to hold back, where nothing measures how long
        those wait.
    """

    latency: float | None
    least: float | None
    held_back: float = 0.0


@dataclass(frozen=True, slots=True)
class Overload:
    """An overload as far as it has been seen; times are by the clock of rounds.

    Parameters
    ----------
    since, seen
        When it began, and when it was last seen.
    usual
        Seconds that tuples took before, from emit to ack.
    latency, outside
        Seconds that tuples wait longer than usual, from emit to ack, and before they are emitted.
    lateness
        Seconds that they waited longer so far, for each tuple/s.
    """

    since: float
    seen: float
    usual: float = 0.0
    latency: float = 0.0
    outside: float = 0.0
    lateness: float = 0.0

    @property
    def seconds(self) -> float:
        """How long it has been seen."""
        return self.seen - self.since

    def go_on(self, strain: Strain, now: float) -> "Overload":
        """Return it as it is now; where the latency is not known, all tuples wait since then."""
        passed = now - self.seen
        latency = self.latency + passed
        if strain.latency is not None:
            latency = max(0.0, strain.latency - self.usual)
        outside = self.outside + strain.held_back * passed
        lateness = self.lateness + (latency + outside) * passed
        return Overload(self.since, now, self.usual, latency, outside, lateness)


def update_overload(before: Overload | None, strain: Strain | None, now: float) -> Overload | None:
    """Return the overload that goes on, begins, or may only pause; None if there is none.

    `strain` is None where all that comes is carried.
    """
    if before is not None and now - before.seen > LULL:
        before = None
    if strain is None:
        return before
    return (before or Overload(now, now, strain.least or 0.0)).go_on(strain, now)


def find_strain(performance: Performance, prediction: LoadPrediction | None) -> Strain | None:
    """Return how tuples wait where queues, or the load model, say that more come than are carried.

    None where neither says so. What a move would carry in addition is what spouts hold back.
    """
    predicted = prediction is not None and prediction.saturated
    if not (performance.is_queueing or performance.is_saturated or predicted):
        return None
    held_back = 0.0
    if performance.holds_back and prediction is not None:
        held_back = max(0.0, 1.0 - 1.0 / prediction.expected_relief)
    return Strain(performance.newest_latency, performance.least_latency, held_back)
