"""The rates job of the running cluster."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from running_cluster import Cluster, Running, wait_for

if TYPE_CHECKING:
    from eyewall_monitor.rate_document import StreamRate

SECONDS_TO_BE_KNOWN = 180
SENTENCES_PER_SECOND = 10
ENOUGH_SAMPLES = 4
SECONDS_FRESH = 30


def streams(cluster: Cluster, topology: str) -> dict[tuple[str, str], StreamRate]:
    """By source and target, as they are written in ZooKeeper now."""
    document = cluster.rates(topology)
    found = document.streams if document else ()
    return {(it.source, it.component): it for it in found if it.stream == "default"}


def test_what_a_source_sends_is_known_to_the_estimates_own_error(
    cluster: Cluster, tag_and_count: Running
) -> None:
    topology = cluster.placed(tag_and_count.name, tag_and_count.executors)

    def lately() -> StreamRate | None:
        known = streams(cluster, topology["id"]).get(("source", "tokenise"))
        if known is None or known.rate.samples < ENOUGH_SAMPLES:
            return None
        return known if known.rate.age(time.time()) <= SECONDS_FRESH else None

    stream = wait_for(lately, SECONDS_TO_BE_KNOWN, "a fresh rate of source → tokenise")
    assert abs(stream.rate.value - SENTENCES_PER_SECOND) <= stream.rate.error + 1
