"""What the monitor agents say of a topology, held against what the topology wrote down itself."""

from __future__ import annotations

import time
from bisect import bisect
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
import redis as redis_client
from eyewall_contracts.metric_history import HistoryKeys, decode_entry
from eyewall_contracts.sample import decode_sample
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient
from running_cluster import PATIENCE, Cluster, Running, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.sample import Sample

pytestmark = pytest.mark.usefixtures("nothing_moves")

STEP = 20
"""1 / topology.stats.sample.rate, at Storm's own 0.05."""
EXECUTORS = {"tokenise": 2, "tag": 2, "filter": 2, "count": 2, "rank": 2, "consumer": 1}
CHAIN = ["source", *EXECUTORS]
REPORT_SECONDS = 5.0
UNDER_WAY = 5
"""Tuples that may be on their way, or reported half a second late: at 10 tuples/s."""

FORGE = """
import socket, time
with socket.create_connection(("127.0.0.1", 2003)) as agent:
    name = "storm.worker.forged-1-1.h.count.default.3.6700-__execute-count-split:default.count"
    agent.sendall(f"{name} 1000000 {int(time.time())}\\n".encode())
    agent.sendall(b"x" * 1000000 + b"\\n" + b"\\xff\\x00\\n")
print("sent", flush=True)
"""


def reports(cluster: Cluster) -> list[Sample]:
    """All of all hosts since the cluster came up."""
    client = redis_client.Redis.from_url(f"redis://{cluster.addresses['redis']}/0")
    hosts: Any = client.zrange(HistoryKeys().hosts, 0, -1)
    streams: list[Any] = [client.xrange(HistoryKeys().stream(host.decode())) for host in hosts]
    client.close()
    return [decode_entry(fields) for stream in streams for _, fields in stream]


def latest(cluster: Cluster, host: str) -> Sample:
    client = KazooClient(cluster.addresses["zookeeper"])
    client.start(timeout=120)
    try:
        return decode_sample(client.get(Znodes().sample(host))[0])
    finally:
        client.stop()
        client.close()


@dataclass(frozen=True)
class Counted:
    """Tuples that one component took from another, and between when and when that is known."""

    tuples: int
    first_until: float
    last_until: float


def counted(found: list[Sample], topology: str, source: str, target: str) -> Counted:
    tuples = 0
    until: dict[int, float] = {}
    for report in found:
        for worker in report.workers:
            for task in worker.tasks if worker.topology == topology else ():
                if task.component == target:
                    until[task.task] = max(worker.until, until.get(task.task, 0.0))
                    tuples += sum(it.executed for it in task.inputs if it.source == source)
    return Counted(tuples, min(until.values()), max(until.values()))


def test_each_streams_tuples_are_counted_to_within_the_step_of_storms_samples(
    cluster: Cluster, tag_and_count: Running
) -> None:
    topology = cluster.placed(tag_and_count.name, tag_and_count.executors)
    wait_for(lambda: len(tag_and_count.events().arrivals) >= 300, PATIENCE, "300 tuples at the end")
    time.sleep(3 * REPORT_SECONDS)
    found = reports(cluster)
    events = tag_and_count.events()
    # A sentence that timed out, as may happen while workers start, is sent once more.
    sent = sorted([*events.emitted.values(), *(at for _, at in events.failed)])
    seen = [arrival.at for arrival in events.arrivals]
    for source, target in pairwise(CHAIN):
        it = counted(found, topology["id"], source, target)
        # Each executor has a sampler of its own, which is off by less than one step.
        margin = STEP * EXECUTORS[target] + UNDER_WAY
        least, most = bisect(seen, it.first_until), bisect(sent, it.last_until)
        assert least - margin <= it.tuples <= most + margin, (source, target)
    # At the end of the chain it is known exactly what came, and when.
    last = counted(found, topology["id"], "rank", "consumer")
    assert abs(last.tuples - bisect(seen, last.last_until)) <= STEP + UNDER_WAY
    # The more counts a worker reported, the better is known what they are multiples of.
    steps = {w.id: w.step for r in found for w in r.workers if w.topology == topology["id"]}
    assert set(steps.values()) == {STEP}


def test_every_executor_has_cpu_of_its_own_and_of_its_python(
    cluster: Cluster, tag_and_count: Running
) -> None:
    topology = cluster.placed(tag_and_count.name, tag_and_count.executors)
    tasks = {e["tasks"][0]: e["component"] for e in topology["executors"]}

    def used() -> Mapping[int, tuple[float, float]] | None:
        threads = [
            of_thread
            for report in reports(cluster)
            for worker in report.workers
            if worker.topology == topology["id"]
            for of_thread in worker.threads
            if of_thread.threads == 1 and len(of_thread.tasks) == 1
        ]
        sums = {
            task: (
                sum(t.cpu for t in threads if t.tasks == (task,)),
                sum(t.children_cpu for t in threads if t.tasks == (task,)),
            )
            for task in {task for of_thread in threads for task in of_thread.tasks}
        }
        python = [task for task, name in tasks.items() if not name.startswith("__")]
        return sums if all(sums.get(t, (0, 0))[1] > 0 for t in python) else None

    sums = wait_for(used, PATIENCE, "CPU of every executor's Python process")
    assert set(sums) == set(tasks)
    ackers = [task for task, name in tasks.items() if name.startswith("__")]
    assert [sums[task][1] for task in ackers] == [0.0]


def test_every_host_reports_what_it_has_to_offer(cluster: Cluster) -> None:
    # three-sites: one core each, and fog-2 at half speed, which is half of the quota.
    for host, cores in (("edge-1", 1.0), ("fog-2", 0.5)):
        machine = latest(cluster, host).machine
        assert machine is not None
        assert machine.quota == cores


def test_what_is_forged_is_counted_and_believed_by_nobody(cluster: Cluster) -> None:
    cluster.start_on("cloud-2", "python3", "-c", FORGE).communicate(timeout=120)

    def rejected() -> bool:
        counters = latest(cluster, "cloud-2").counters
        reasons = ("unknown worker", "too long", "no metric")
        return all(counters.get(f"rejected: {reason}") == 1 for reason in reasons)

    wait_for(rejected, 120, "the rejections in the host's report")
    reported = {w.topology for report in reports(cluster) for w in report.workers}
    assert "forged-1-1" not in reported
