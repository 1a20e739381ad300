"""While ZooKeeper is away what runs goes on, and with it back Nimbus leads again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy.measure.latency import flows_steadily
from running_cluster import Cluster, Running, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGER_THAN_STORMS_OWN_TRIES = 15.0
SECONDS_TO_FLOW = 120


def workers_that_gave_up(cluster: Cluster) -> list[str]:
    logs = cluster.run_dir.glob("logs/supervisor-*/workers/*/*/worker.log")
    return sorted(str(log) for log in logs if "Halting process" in log.read_text())


def test_a_zookeeper_that_is_away_for_a_while_costs_no_worker(
    cluster: Cluster, tag_and_count: Running
) -> None:
    def flows() -> bool:
        return flows_steadily(tag_and_count.events(), time.time())

    wait_for(flows, SECONDS_TO_FLOW, "tuples at the consumer")
    nimbus, gave_up = cluster.pid("nimbus"), workers_that_gave_up(cluster)

    cluster.run("stop", "zookeeper")
    time.sleep(LONGER_THAN_STORMS_OWN_TRIES)
    cluster.run("start", "zookeeper")

    def placed() -> Mapping[str, Any] | None:
        topology = cluster.topology(tag_and_count.name)
        return topology if topology and topology["executors"] else None

    wait_for(placed, 60, "Nimbus to lead again, with the topology where it was")
    assert cluster.pid("nimbus") == nimbus
    assert workers_that_gave_up(cluster) == gave_up
    wait_for(flows, SECONDS_TO_FLOW, "tuples at the consumer, again or still")
