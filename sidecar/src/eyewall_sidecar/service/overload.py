"""What it has cost a topology so far that it is given more than it carries."""

from dataclasses import dataclass, replace

from eyewall_sidecar.objectives.load_prediction import LoadPrediction
from eyewall_sidecar.service.performance import GROWTH, Performance

LULL = 15.0
"""Seconds of calm rounds after which the next overload is another: single measurements err."""
LONGEST_ROUND = 30.0
"""Seconds between two rounds that are counted at most: in more, nobody looked."""
MOST_OVERRATED = 1.5
"""At most that counts: what it overrates by more is overloaded for a reason it does not know."""
OVERRATED_STEP = 0.1
"""By how much that has to change to count: it does with every measurement."""
PROOF = 30.0
"""Seconds within which tuples take longer where more come than are carried."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How tuples of an overloaded topology wait at one moment.

    Parameters
    ----------
    seconds, least
        How long tuples take, or wait in queues where none is acked: now, and at least lately; None
        if that is not known.
    held_back
        The part of the tuples that spouts are taken to hold back, where nothing measures how long
        those wait; None: of none, as no queue is full.
    """

    seconds: float | None
    least: float | None
    held_back: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Overload:
    """An overload as far as it has been seen; times are by the clock of rounds.

    Parameters
    ----------
    since, seen
        When it began, and the last round.
    usual
        Seconds that tuples take without it; None if that is not known.
    excess, before_emit
        Seconds that tuples wait longer than usual, once they are emitted and before.
    lateness
        Seconds that they waited longer so far, for each tuple/s.
    calm_since
        The first of the rounds that saw nothing of it, up to the last one; None if that one did.
    is_refuted
        Whether tuples hardly took longer for long enough: all that comes is carried after all.
    """

    since: float
    seen: float
    usual: float | None = None
    excess: float = 0.0
    before_emit: float = 0.0
    lateness: float = 0.0
    calm_since: float | None = None
    is_refuted: bool = False

    @property
    def seconds(self) -> float:
        """How long it has been seen."""
        return self.seen - self.since

    def extended(self, waiting: Waiting, now: float) -> "Overload":
        """Return it as it is in the next round that sees it."""
        passed = min(LONGEST_ROUND, now - self.seen)
        known = [it for it in (self.usual, waiting.least, waiting.seconds) if it is not None]
        usual = min(known, default=None)
        # Where the acks stop, all tuples wait since then.
        excess = self.excess + passed
        if waiting.seconds is not None:
            excess = max(0.0, waiting.seconds - (usual or 0.0))
        before_emit = 0.0
        if waiting.held_back is not None:
            before_emit = self.before_emit + waiting.held_back * passed
        wait = (self.excess + self.before_emit + excess + before_emit) / 2
        lateness = self.lateness + wait * passed
        it = Overload(self.since, now, usual, excess, before_emit, lateness)
        least = GROWTH * (usual or 0.0)
        if it.seconds > PROOF and lateness < least * it.seconds:
            return replace(it, since=now, lateness=0.0, is_refuted=True)
        return replace(it, is_refuted=self.is_refuted and lateness <= least * PROOF)


def note_overload(
    before: Overload | None,
    performance: Performance,
    prediction: LoadPrediction | None,
    now: float,
) -> Overload | None:
    """Return the overload as a round finds it; `prediction` is what the load model said last.

    What starts makes up for its start, which neither costs nor ends an overload; nor does a time
    without reports.
    """
    if performance.unsettled or not performance.workers:
        return replace(before, seen=now) if before is not None else None
    return update_overload(before, find_waiting(performance, prediction), now)


def note_overrated(
    before: float, overload: Overload | None, prediction: LoadPrediction | None
) -> float:
    """Return by what multiple the load model overrates what a topology carries.

    What is overloaded carries no more than it does. Where the model says that it would, it finds
    headroom that is not there, and has no reason to look for a placement that carries more.

    Parameters
    ----------
    before
        What the round before returned; 1 to begin with.
    """
    if overload is None or overload.is_refuted:
        return 1.0
    if prediction is None:
        return before
    seen = min(MOST_OVERRATED, max(1.0, prediction.carried))
    return before if abs(seen - before) < OVERRATED_STEP else seen


def update_overload(
    before: Overload | None, waiting: Waiting | None, now: float
) -> Overload | None:
    """Return the overload that goes on, begins, or may only pause; None if there is none.

    `waiting` is None where all that comes is carried.
    """
    if waiting is not None:
        return (before or Overload(now, now)).extended(waiting, now)
    if before is None:
        return None
    calm_since = now if before.calm_since is None else before.calm_since
    if now - calm_since > LULL:
        return None
    return replace(before, seen=now, excess=0.0, before_emit=0.0, calm_since=calm_since)


def find_waiting(performance: Performance, prediction: LoadPrediction | None) -> Waiting | None:
    """Return how tuples wait where more of them come than are carried; None where all are.

    Queues say so, or the load model. Where neither queues nor latency change any more, spouts hold
    back what a move would carry in addition.
    """
    predicted = prediction is not None and prediction.saturated
    queues = performance.is_queueing or performance.is_saturated
    if not (queues or predicted):
        return None
    held_back = 0.0 if queues else None
    if performance.holds_back and prediction is not None:
        held_back = max(0.0, 1.0 - 1.0 / prediction.expected_relief)
    seconds = performance.newest_wait
    if not (queues or performance.is_acked):
        seconds = None  # they may wait where no queue is reported
    return Waiting(seconds, performance.least_wait, held_back)
