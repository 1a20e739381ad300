"""While ZooKeeper is away what runs goes on, and with it back Nimbus leads again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from running_cluster import PATIENCE, Cluster, Running, wait_for

from benchmarks.loop.tuple_flow import flows_steadily

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGER_THAN_WORKERS_OWN_TRIES = 10.0
"""Seconds; the stop and the start come on top, five on a quiet machine: Nimbus's own tries, too."""
TAKEN_FOR_DEAD = 25.0
"""Seconds: nimbus.task.timeout.secs less one heartbeat. Where Nimbus hears nothing for that long it
starts workers again, whether they run or not."""
ATTEMPTS = 3


def workers_that_gave_up(cluster: Cluster, topology: str) -> list[str]:
    # only this topology's: workers of one killed by an earlier test may still be on their way out
    logs = cluster.run_dir.glob(f"logs/supervisor-*/workers/{topology}-*/*/worker.log")
    return sorted(str(log) for log in logs if "Halting process" in log.read_text())


def seconds_until_nimbus_leads_again(cluster: Cluster, topology: str) -> float:
    """Take ZooKeeper away, and give it back."""
    start = time.monotonic()
    cluster.run("stop", "zookeeper")
    time.sleep(LONGER_THAN_WORKERS_OWN_TRIES)
    cluster.run("start", "zookeeper")

    def placed() -> Mapping[str, Any] | None:
        found = cluster.topology(topology)
        return found if found and found["executors"] else None

    wait_for(placed, PATIENCE, "Nimbus to lead again, with the topology where it was")
    return time.monotonic() - start


def test_a_zookeeper_that_is_away_for_a_while_costs_no_worker(
    cluster: Cluster, tag_and_count: Running
) -> None:
    def flows() -> bool:
        return flows_steadily(tag_and_count.events(), time.time())

    for _ in range(ATTEMPTS):
        wait_for(flows, PATIENCE, "tuples at the consumer")
        nimbus = cluster.pid("nimbus")
        gave_up = workers_that_gave_up(cluster, tag_and_count.name)
        away = seconds_until_nimbus_leads_again(cluster, tag_and_count.name)
        if away < TAKEN_FOR_DEAD:
            break
    else:
        pytest.fail(f"too slow a machine: Nimbus did not lead for {away:.0f} s")

    assert cluster.pid("nimbus") == nimbus
    wait_for(flows, PATIENCE, "tuples at the consumer, again or still")
    assert workers_that_gave_up(cluster, tag_and_count.name) == gave_up
