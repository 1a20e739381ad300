"""Rounds in which each host reports its workers of a topology, with tuples and their latency."""

from collections.abc import Mapping
from itertools import count

from eyewall_contracts.sample import TaskOutput, TaskQueue, TaskSample
from eyewall_sidecar.service.decision import Decision
from eyewall_sidecar.storm import Executor, Topology
from measured_topologies import rates_of, report
from msgspec.structs import replace
from obedient_nimbus import Nimbus, is_placed

SEQUENCE = count()


def report_round(
    nimbus: Nimbus,
    of: Topology,
    latency: float | None,
    busy: float = 0.1,
    start: str = "first",
    cores: Mapping[str, float] | None = None,
    emitted: int = 100,
    waiting: int = 0,
    refusal: str = "",
) -> Decision:
    """Each host reports its workers, whose ids follow from what they run; then Nimbus asks.

    A host has 8 cores, unless `cores` says otherwise; `busy` are those in use by each worker. The
    spout has `emitted` so many tuples in 5 s; so many are `waiting` for `tag`.
    """
    nimbus.measured.wanted = True
    now = nimbus.clock.now
    rates = rates_of(of, {2: 10, 3: 10}, {1: 10, 2: 10}, cores=busy, until=now)
    nimbus.measured.rates[of.id] = rates
    for host in (it.host for it in nimbus.hosts):
        here = (cores or {}).get(host, 8.0)
        sample = report(host, next(SEQUENCE), time=now, cores=here, busy=busy)
        spout = TaskSample(
            1,
            "source",
            outputs=(
                TaskOutput("default", emitted, emitted, emitted, 0, complete_latency=latency),
            ),
        )
        spout_tasks = (spout, TaskSample(9, "__acker"))
        tag = TaskSample(2, "tag", queue=TaskQueue(waiting, 1000))
        base = report(host, time=now, used={of.id: busy}).workers[0]
        workers = tuple(
            replace(
                base,
                port=it.slot.port,
                id=f"{sorted(it.executors)}, {start}",
                tasks=(
                    *(spout_tasks if Executor(1, 1) in it.executors else ()),
                    *((tag,) if waiting and Executor(2, 2) in it.executors else ()),
                ),
            )
            for it in nimbus.running[of.id]
            if it.slot.supervisor == f"sup-{host}"
        )
        nimbus.measured.hosts[host] = replace(sample, workers=workers)
    return nimbus.round(of, refusal=refusal)[of.id]


def moved(nimbus: Nimbus, of: Topology) -> None:
    """At rest with 50 ms, tag moves to b, where R should be 20 ms instead of 50."""
    assert any(is_placed(report_round(nimbus, of, 0.05)) for _ in range(10))
    assert nimbus.host_of(of, 2) == "b"
