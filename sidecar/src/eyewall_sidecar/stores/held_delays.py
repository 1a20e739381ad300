"""Delays that stay the same until the network has changed: measured ones never stand still.

Whoever decides builds and solves a problem again when the table of delays differs from the last
one, so a table must not differ for jitter. A pair keeps the delay that was handed out until the
new one is off by more than all of

- a tenth of it: by default nothing that runs moves for a gain of less than a tenth
  (`[replacement] minimum_gain`), so a smaller change could not move anything by itself;
- 0.5 ms one way: twice what the agent's own filter takes for jitter, and about what a busy host's
  scheduler adds to an echo that is timed in user space;
- the pair's own spread: what its samples scatter, or what its coordinates' errors come to;

and, where both ends probed the pair lately, until both say so. One end believes two late echoes
of three, which happens to some pair every few seconds among a hundred hosts; both ends do next to
never.

What becomes known, unknown, or goes from below the minimum of confidence to above it changes the
table at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eyewall_contracts.latency import (
    EXPIRY_SECONDS,
    Delay,
    HostCoordinate,
    RttRecord,
    delay_between,
)

from eyewall_sidecar.stores.delays import DelayTable

RELATIVE_BAND = 0.1
ABSOLUTE_BAND = 0.0005
"""Seconds, one way."""
OBJECTS_SECONDS = EXPIRY_SECONDS
"""How long an end that did not probe the pair again may gainsay the other: as long as a host that
says nothing counts as alive. In a full mesh of a hundred hosts each end probes it every 50 s."""
CONFIDENCE_BAND = 0.05
"""By how much confidence must exceed the minimum before a delay once doubted is trusted again."""


@dataclass(frozen=True, slots=True)
class LatencyRecords:
    """What hosts said of themselves and measured to each other.

    Parameters
    ----------
    now
        Redis's time when it was read, in seconds.
    hosts
        Host → its record; None if it has expired.
    rtts
        Target → source → what the source's probes to the target came to.
    """

    now: float
    hosts: Mapping[str, HostCoordinate | None] = field(default_factory=dict)
    rtts: Mapping[str, Mapping[str, RttRecord]] = field(default_factory=dict)


class HeldDelays:
    """Remembers which delays were handed out."""

    def __init__(self, minimum_confidence: float) -> None:
        """Doubt what is known with less confidence than this, 0 to 1."""
        self._minimum = minimum_confidence
        self._last = DelayTable(minimum_confidence=minimum_confidence)

    def table(self, records: LatencyRecords, now: float) -> DelayTable:
        """Return the delays at Redis's time `now`, equal to the last ones if nothing changed."""
        last = self._last
        names = sorted(records.hosts)
        count = len(names)
        places = [last.hosts.get(it) for it in names]
        seconds: list[list[float | None]] = [[None] * count for _ in names]
        confidence = [[0.0] * count for _ in names]
        ages = [[0.0] * count for _ in names]
        doubtful = set()
        oldest = 0.0
        for row, a in enumerate(names):
            seconds[row][row], confidence[row][row] = 0.0, 1.0
            here, to_a, before_a = records.hosts[a], records.rtts.get(a, {}), places[row]
            for column in range(row + 1, count):
                b, before_b = names[column], places[column]
                probed = {}
                if (rtt := to_a.get(b)) is not None:
                    probed[b] = rtt
                if (rtt := records.rtts.get(b, {}).get(a)) is not None:
                    probed[a] = rtt
                delay = delay_between(here, records.hosts[b], probed, now=now)
                if delay.seconds is None:
                    continue
                held, doubted = None, False
                if before_a is not None and before_b is not None:
                    held = last.seconds[before_a][before_b]
                    doubted = (before_a, before_b) in last.doubtful
                given = delay.seconds if _differs(held, delay, probed, now) else held
                seconds[row][column] = seconds[column][row] = given
                confidence[row][column] = confidence[column][row] = delay.confidence
                ages[row][column] = ages[column][row] = delay.age
                oldest = max(oldest, delay.age)
                if delay.confidence < self._wanted(doubted=doubted):
                    doubtful |= {(row, column), (column, row)}
        fresh = DelayTable(
            hosts={host: place for place, host in enumerate(names)},
            seconds=tuple(map(tuple, seconds)),
            doubtful=frozenset(doubtful),
            minimum_confidence=self._minimum,
        )
        # What is equal is the very same, so that comparing tables costs next to nothing.
        kept = last if fresh == last else fresh
        self._last = replace(kept, age=oldest, confidence=confidence, ages=ages)
        return self._last

    def _wanted(self, *, doubted: bool) -> float:
        """Return the confidence that a delay must have; one once doubted needs a little more."""
        return min(1.0, self._minimum + CONFIDENCE_BAND) if doubted else self._minimum


def _differs(held: float | None, delay: Delay, probed: Mapping[str, RttRecord], now: float) -> bool:
    """Tell whether a delay is another one than was handed out, and not only its jitter."""
    if held is None or delay.seconds is None:
        return held is not delay.seconds
    band = max(RELATIVE_BAND * held, ABSOLUTE_BAND)
    if abs(delay.seconds - held) <= max(band, delay.spread):
        return False
    return all(
        abs(it.seconds / 2 - held) > max(band, it.spread / 2)
        for it in probed.values()
        if now - it.at <= OBJECTS_SECONDS
    )
