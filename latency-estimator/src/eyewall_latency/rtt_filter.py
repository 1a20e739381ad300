"""From single echoes to an RTT: a median against spikes, then a mean against jitter."""

from statistics import median, median_low

WINDOW = 3
"""Samples of the median: one that is off is outvoted, two that agree are believed."""
JUMP = 0.2
"""From which fraction of the smoothed RTT a median is a change of the network, not jitter."""
JITTER = 0.0005
"""Seconds that never count as a jump."""
OUTDATED = 300.0
"""Seconds after which a sample outvotes no other any more."""
GAIN = 0.25
"""Share of a new median in the smoothed RTT, within jitter."""


class RttFilter:
    """The RTT of one peer; a sample must have passed the range check."""

    __slots__ = ("_samples", "seconds")

    def __init__(self, first: float, at: float) -> None:
        """Begin with the first sample."""
        self._samples: tuple[tuple[float, float], ...] = ((at, first),)
        self.seconds = first

    def add(self, sample: float, at: float) -> None:
        """Take a sample; a jump is taken whole, once two of three samples agree on it."""
        recent = [it for it in self._samples if at - it[0] <= OUTDATED]
        self._samples = (*recent, (at, sample))[-WINDOW:]
        middle = median_low(value for _, value in self._samples)
        if abs(middle - self.seconds) > max(JUMP * self.seconds, JITTER):
            self.seconds = middle
        else:
            self.seconds += GAIN * (middle - self.seconds)

    @property
    def spread(self) -> float:
        """Seconds that the last samples differ from the smoothed RTT, in the median."""
        return median(abs(value - self.seconds) for _, value in self._samples)
