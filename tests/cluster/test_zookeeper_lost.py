"""While ZooKeeper is away what runs goes on, and with it back all is as it was."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy.run_dir import MARK
from running_cluster import Cluster, Running, assignment, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

import psutil

LONGER_THAN_STORMS_OWN_TRIES = 15.0


def workers(cluster: Cluster) -> set[int]:
    found = set()
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if "org.apache.storm.daemon.worker.Worker" in line and _is_of(process, cluster):
            found.add(process.pid)
    return found


def _is_of(process: psutil.Process, cluster: Cluster) -> bool:
    try:
        return process.environ().get(MARK) == str(cluster.run_dir.resolve())
    except psutil.Error:
        return False


def test_a_zookeeper_that_is_away_for_a_while_costs_no_worker_and_no_tuple(
    cluster: Cluster, tag_and_count: Running
) -> None:
    before = cluster.placed(tag_and_count.name, tag_and_count.executors)
    running = workers(cluster)
    assert running

    cluster.run("stop", "zookeeper")
    away = time.time()
    time.sleep(LONGER_THAN_STORMS_OWN_TRIES)
    cluster.run("start", "zookeeper")

    def placed() -> Mapping[str, Any] | None:
        topology = cluster.topology(tag_and_count.name)
        return topology if topology and topology["executors"] else None

    assert assignment(wait_for(placed, 60, "Nimbus to lead again")) == assignment(before)
    assert workers(cluster) == running
    failed = [at for _, at in tag_and_count.events().failed]
    assert not [at for at in failed if away <= at]
