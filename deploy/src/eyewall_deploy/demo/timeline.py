"""Latency from the first tuple to the last, as a plot of the demo needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.measure.latency import Window, over_time

if TYPE_CHECKING:
    from eyewall_deploy.measure.events import Events

STEP = 0.5
WIDTH = 1.0


@dataclass(frozen=True, slots=True)
class Moment:
    """Tuples emitted in the second that ends `at`, seconds since the epoch.

    Parameters
    ----------
    p50, p99
        Seconds from the source to the consumer; None where none of them ever arrived.
    """

    at: float
    p50: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """One scheduler's turn."""

    scheduler: str
    moments: tuple[Moment, ...]


def timeline(scheduler: str, events: Events) -> Timeline:
    """Latency over time of all that was emitted; no moments where nothing was."""
    if not events.emitted:
        return Timeline(scheduler, ())
    whole = Window(min(events.emitted.values()), max(events.emitted.values()))
    return Timeline(
        scheduler,
        tuple(
            Moment(at, summary.p50, summary.p99) if summary else Moment(at, None, None)
            for at, summary in over_time(events, whole, STEP, WIDTH)
        ),
    )
