"""Without a sidecar Storm goes on by itself; with it back, Eyewall decides again."""

from __future__ import annotations

import re

from running_cluster import PATIENCE, Cluster, Running, assignment, wait_for


def test_a_dead_sidecar_leaves_new_topologies_to_the_inner_scheduler_until_it_is_back(
    cluster: Cluster, tag_and_count: Running
) -> None:
    running = cluster.placed(tag_and_count.name, tag_and_count.executors)
    nimbus = cluster.pid("nimbus")

    cluster.run("stop", "sidecar")
    cluster.submit("word_count", {}, under="without")
    placed = wait_for(
        lambda: _scheduled(cluster, "without"), PATIENCE, "a topology placed without us"
    )
    assert placed.startswith("placed by ResourceAwareScheduler: ")
    assert "sidecar" in placed
    assert cluster.pid("nimbus") == nimbus
    now = cluster.placed(tag_and_count.name, tag_and_count.executors)
    assert assignment(now) == assignment(running)

    # Nimbus looks for it every second: what is submitted before it has found it goes elsewhere.
    before = _times_found_again(cluster)
    cluster.run("start", "sidecar")
    wait_for(
        lambda: _times_found_again(cluster) > before, PATIENCE, "the sidecar found again by Nimbus"
    )
    cluster.submit("word_count", {}, under="with")
    placed = wait_for(
        lambda: _scheduled(cluster, "with"), PATIENCE, "a topology placed with us back"
    )
    assert placed.startswith("eyewall: odp")
    assert cluster.pid("nimbus") == nimbus
    for name in ("without", "with"):
        cluster.run("kill", name)


def _times_found_again(cluster: Cluster) -> int:
    # Of one that was late before it was lost only a round says so.
    return len(
        re.findall(r"10\.83\.0\.1:7077 (?:is back|answers in time again)", cluster.log("nimbus"))
    )


def _scheduled(cluster: Cluster, name: str) -> str | None:
    topology = cluster.topology(name)
    return str(topology["scheduling"]) if topology and topology["executors"] else None
