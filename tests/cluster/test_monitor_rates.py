"""The rates job, `eyewall-monitor rates`, of the running cluster."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from running_cluster import Cluster, Running, wait_for

if TYPE_CHECKING:
    from eyewall_contracts.rates import Estimate, StreamRate
    from eyewall_deploy.measure.tuple_events import TupleEvents

pytestmark = pytest.mark.usefixtures("nothing_moves")

SECONDS_TO_BE_KNOWN = 240
ENOUGH_SAMPLES = 4
SECONDS_FRESH = 30
WINDOW = 60.0
"""Seconds of which an estimate knows something."""
UNDER_WAY = 10
"""Sentences: one second's."""


def streams(cluster: Cluster, topology: str) -> dict[tuple[str, str], StreamRate]:
    """By source and target, as they are written in ZooKeeper now."""
    document = cluster.rates(topology)
    found = document.streams if document else ()
    return {(it.source, it.component): it for it in found if it.stream == "default"}


def sent_a_second(events: TupleEvents, until: float) -> float | None:
    """By the source in the window that ended then; None if something was made up for in it.

    While workers start, sentences wait, and those that time out are sent once more: then more
    flows than the source's rate.
    """
    start = until - WINDOW
    answered = {it for it, at in events.acked.items() if at <= start}
    before = {it for it, at in events.emitted.items() if at <= start}
    late = any(at > start for _, at in events.failed) or len(before - answered) > UNDER_WAY
    if late or not before:
        return None
    return sum(start < at <= until for at in events.emitted.values()) / WINDOW


def test_what_a_source_sends_is_known_to_the_estimates_own_error(
    cluster: Cluster, tag_and_count: Running
) -> None:
    topology = cluster.placed(tag_and_count.name, tag_and_count.executors)

    def lately() -> tuple[Estimate, float] | None:
        known = streams(cluster, topology["id"]).get(("source", "tokenise"))
        if known is None or known.rate.samples < ENOUGH_SAMPLES:
            return None
        sent = sent_a_second(tag_and_count.events(), known.rate.until)
        fresh = known.rate.age(time.time()) <= SECONDS_FRESH
        return (known.rate, sent) if fresh and sent is not None else None

    said = "a fresh rate of source → tokenise, after a minute in which nothing was made up for"
    rate, sent = wait_for(lately, SECONDS_TO_BE_KNOWN, said)
    assert abs(rate.value - sent) <= rate.error + 1
