"""Delays that stay the same until the network has changed: measured ones never stay the same.

A problem is built and solved again when the table of delays differs from the last one, so a table
must not differ for jitter. A pair keeps the delay that was handed out until the new one is off by
more than all of

- a tenth of it: by default nothing that runs moves for a gain of less than a tenth
  (`[replacement] minimum_gain`), so a smaller change could not move anything by itself;
- 0.5 ms one way: twice what the agent's own filter takes for jitter, and about what a busy host's
  scheduler adds to an echo that is timed in user space;
- the pair's own spread: the scatter of its samples, or the sum of its coordinates' errors;

and, where both ends probed the pair lately, until both confirm it. One end believes two late echoes
of three, which happens to some pair every few seconds among a hundred hosts; both ends do next to
never.

Hosts' coordinates stay what they were as long as the table does.

What becomes known, unknown, or goes from below the minimum of confidence to above it changes the
table at once.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from eyewall_contracts.delays import DelayMatrices, Mask, Matrix, RttMatrices
from eyewall_contracts.latency import EXPIRY_SECONDS
from eyewall_contracts.stores.delay_reader import DelayReading
from numpy.typing import NDArray

from eyewall_sidecar.storm import DelayTable

RELATIVE_BAND: Final = 0.1
ABSOLUTE_BAND: Final = 0.0005
"""Seconds, one way."""
OBJECTS_SECONDS: Final = EXPIRY_SECONDS
"""How long an end that did not probe the pair again may contradict the other: as long as a silent
host counts as alive. In a full mesh of a hundred hosts each end probes it every 50 s."""
CONFIDENCE_BAND: Final = 0.05
"""By how much confidence must exceed the minimum before a delay once doubted is trusted again."""


class HeldDelays:
    """Remembers which delays were handed out."""

    def __init__(self, minimum_confidence: float) -> None:
        """Doubt what is known with less confidence than this, 0 to 1."""
        self._minimum = minimum_confidence
        self._last = DelayTable(minimum_confidence=minimum_confidence)

    def table(self, reading: DelayReading, now: float) -> DelayTable:
        """Return the delays at Redis's time `now`, equal to the last ones if nothing changed."""
        last, delays = self._last, reading.delays(now)
        rows = last.places(reading.hosts)
        held, trusted = (_moved(it, rows) for it in (last.seconds, last.trusted))
        known = ~np.isnan(delays.seconds)
        seconds = np.where(_is_held(held, delays, reading.rtts, now), held, delays.seconds)
        doubted = ~np.isnan(held) & np.isnan(trusted)
        wanted = np.where(doubted, min(1.0, self._minimum + CONFIDENCE_BAND), self._minimum)
        trusted = np.where(known & (delays.confidence >= wanted), seconds, np.nan)
        fresh = DelayTable(
            hosts=reading.hosts,
            seconds=seconds,
            trusted=trusted,
            confidence=np.where(known, delays.confidence, 0.0),
            ages=np.where(known, delays.age, 0.0),
            minimum_confidence=self._minimum,
            age=float(delays.age[known].max(initial=0.0)),
            coordinates=cartesian_coordinates(reading, now),
        )
        if fresh == last:
            # The very same matrices, so that comparing tables costs next to nothing.
            fresh = replace(fresh, seconds=last.seconds, trusted=last.trusted)
            if fresh.coordinates.keys() == last.coordinates.keys():
                fresh = replace(fresh, coordinates=last.coordinates)
        self._last = fresh
        return fresh


def cartesian_coordinates(reading: DelayReading, now: float) -> dict[str, tuple[float, ...]]:
    """Return host → its place at Redis's time `now`, of those that have said it lately.

    One way, as delays are. A height adds to a host's delays to all others, as no place in a
    Cartesian space does: empty if a host has one, or if they have different dimensions.
    """
    placed = {
        host: it
        for host, it in zip(reading.hosts, reading.coordinates, strict=True)
        if it is not None and now - it.at <= EXPIRY_SECONDS
    }
    if any(it.height > 0 for it in placed.values()):
        return {}
    if len({len(it.position) for it in placed.values()}) > 1:
        return {}
    return {host: tuple(axis / 2 for axis in it.position) for host, it in placed.items()}


def _moved(matrix: Matrix, rows: NDArray[np.intp]) -> Matrix:
    """Return the values for hosts that had these rows; NaN for a host that had none, -1."""
    if not matrix.size:
        return np.full((len(rows), len(rows)), np.nan)
    moved = matrix[np.ix_(rows, rows)]
    moved[rows < 0, :] = moved[:, rows < 0] = np.nan
    return moved


def _is_held(held: Matrix, delays: DelayMatrices, rtts: RttMatrices, now: float) -> Mask:
    """Find where a delay differs from the one handed out by its jitter alone."""
    band = np.maximum(RELATIVE_BAND * held, ABSOLUTE_BAND)
    within = np.abs(delays.seconds - held) <= np.maximum(band, delays.spread)
    recent = now - rtts.at <= OBJECTS_SECONDS
    objects = recent & (np.abs(rtts.seconds / 2 - held) <= np.maximum(band, rtts.spread / 2))
    return ~np.isnan(delays.seconds) & (within | objects | objects.T)
