"""The main job on a real cluster: first placement, and a move when a delay changes."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from loop_times import Change
from running_cluster import PATIENCE, PINS, Cluster, Running, assignment, hosts_of, wait_for

from benchmarks.loop.tuple_flow import never_acked, never_arrived

if TYPE_CHECKING:
    from eyewall_deploy.measure.tuple_events import TupleEvents


def test_every_executor_is_placed_by_eyewall_and_pins_are_kept(
    cluster: Cluster, tag_and_count: Running
) -> None:
    topology = cluster.placed(tag_and_count.name, tag_and_count.executors)
    assert topology["scheduling"].startswith("eyewall: odp, ")
    assert hosts_of(topology, "source") == set(PINS["source"])
    assert hosts_of(topology, "consumer") == set(PINS["consumer"])
    assert hosts_of(topology, "__acker")


def test_the_optimum_stays_at_the_site_of_its_ends(
    cluster: Cluster, tag_and_count: Running
) -> None:
    # edge-1 and edge-2 hold 4 slots × 4 executors each: 32, and the topology has 13. One link of
    # 2 ms is the least between two hosts; any other site is 15 ms away or more.
    topology = cluster.placed(tag_and_count.name, tag_and_count.executors)
    used = {e["host"] for e in topology["executors"] if not e["component"].startswith("__")}
    assert used == {"edge-1", "edge-2"}


def test_no_tuple_is_faster_than_network_and_work_allow_and_all_are_acked(
    cluster: Cluster, tag_and_count: Running
) -> None:
    # One link of 2 ms, and five operators of 2 ms each on hosts of speed 1.
    cluster.placed(tag_and_count.name, tag_and_count.executors)
    wait_for(lambda: len(tag_and_count.events().acked) >= 50, PATIENCE, "50 tuples acked")
    assert min(s.latency for s in tag_and_count.events().arrivals) >= 0.012


def test_a_longer_delay_moves_the_topology_and_no_tuple_is_lost(
    cluster: Cluster, tag_and_count: Running
) -> None:
    before = cluster.placed(tag_and_count.name, tag_and_count.executors)
    wait_for(lambda: len(tag_and_count.events().acked) >= 50, PATIENCE, "tuples flow")

    cluster.run("delay", "edge-1", "edge-2", "10ms")
    wait_for(lambda: _is_seen(cluster, 0.010), PATIENCE, "10 ms between edge-1 and edge-2 seen")
    assert assignment(cluster.placed(tag_and_count.name, tag_and_count.executors)) == (
        assignment(before)
    )
    # A tuple crosses to edge-2 and is acked on edge-1. The fog site saves it 2 × (400 - 30) ms, for
    # an hour 2,660 s. Its price: with a timeout of 5 s, 7.5 s for each second that workers take to
    # start (20 s with six busy loops on the machine), and less than 40 s more for making up for it.
    cluster.run("delay", "edge-1", "edge-2", "400ms")
    change = Change("edge-1 ↔ edge-2 raised from 10 to 400 ms")
    seen = wait_for(
        lambda: _is_seen(cluster, 0.400), PATIENCE, "400 ms between edge-1 and edge-2 seen"
    )
    change.followed_by(f"estimated at {1000 * seen:.1f} ms")

    # Over the fog site it is 15 ms + 15 ms and at most 2 ms more.
    def moved() -> object:
        now = cluster.topology(tag_and_count.name)
        return (
            now
            and len(now["executors"]) == tag_and_count.executors
            and assignment(now) != assignment(before)
            and now
        )

    wait_for(
        moved,
        PATIENCE,
        "another assignment",
        otherwise=lambda: cluster.last_decisions(tag_and_count.name),
    )
    change.followed_by("another assignment")
    change.record()
    after = cluster.placed(tag_and_count.name, tag_and_count.executors)
    assert "moved" in after["scheduling"]
    assert hosts_of(after, "source") == set(PINS["source"])
    assert hosts_of(after, "consumer") == set(PINS["consumer"])

    moved_at = time.time()
    wait_for(
        lambda: sum(at > moved_at for at in tag_and_count.events().acked.values()) >= 50,
        PATIENCE,
        "tuples emitted after the move acked",
    )
    flows_again = time.time()
    # Message timeout 5 s, checked every 5 s, and a replay may need another round of it.
    wait_for(
        lambda: not _unacked(tag_and_count.events(), until=flows_again),
        PATIENCE,
        "every message emitted until tuples flowed again acked",
    )
    events = tag_and_count.events()
    assert not {m for m in never_arrived(events) if events.emitted[m] <= flows_again}
    # Edge to fog and back is 2 × 15 ms, and the work 5 × 2 ms: the delays are there, and used.
    late = [s.latency for s in events.arrivals if s.emitted_at > moved_at]
    assert min(late) >= 0.040
    # Tests that follow plan on this cluster; the fog site remains the better way.
    cluster.run("delay", "edge-1", "edge-2", "80ms")
    wait_for(lambda: _is_seen(cluster, 0.080), PATIENCE, "80 ms between edge-1 and edge-2 seen")


def _is_seen(cluster: Cluster, truth: float) -> float | None:
    """The estimate of the delay between edge-1 and edge-2 in seconds, once it is near the truth."""
    pairs = json.loads(cluster.run("delays", "--json"))["pairs"]
    it = next(it for it in pairs if {it["a"], it["b"]} == {"edge-1", "edge-2"})
    found: float | None = it["found"]
    near = found is not None and abs(found - truth) <= 0.1 * truth
    return found if near else None


def _unacked(events: TupleEvents, until: float) -> set[str]:
    return {m for m in never_acked(events) if events.emitted[m] <= until}
