"""How long tuples take to the end of their way, by what Storm reports of their acks.

Storm's complete latency is no spout's: the acker takes it, from the first message about a tuple to
the last (`org.apache.storm.daemon.Acker`, `AckObject.startTime`). The first comes from the spout,
the last from the executor at which the tuple's way ends. So the delay from spout to acker is
missing in it, and that from the way's end to the acker is too much: next to an acker at the
consumer, 400 ms between source and consumer are not seen at all.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from eyewall_contracts.sample import TaskSample, WorkerSample

from eyewall_sidecar.storm import ACKER, ComponentKind, DelayTable, Topology

_NONE_COUNTED = 1e-9
"""Tuples: where none was counted, tasks count alike."""


def end_tasks(topology: Topology) -> frozenset[int]:
    """Return the tasks of bolts that no other bolt takes anything from: ends of tuples' ways."""
    bolts = [it for it in topology.components if it.kind is ComponentKind.BOLT]
    sources = {one.source for it in bolts for one in it.inputs}
    return frozenset(
        task
        for it in bolts
        if it.id not in sources
        for executor in it.executors
        for task in range(executor.first_task, executor.last_task + 1)
    )


def measured_response_time(
    workers: Mapping[tuple[str, int], WorkerSample], ends: Collection[int], delays: DelayTable
) -> float | None:
    """Return the mean seconds from a spout's emit to the end of the tuple's way.

    Complete latency, with the delay from spout to acker and without that from the end to the acker.
    Storm spreads trees over all ackers alike.

    Parameters
    ----------
    workers
        Host and port → the worker there with its counts.
    ends
        As `end_tasks` returns them.

    None if no tuple tree was completed, if one of those delays is unknown, or if they and the
    complete latency cannot all be true. Without an acker in the reports it is the complete latency.
    """
    spouts, sinks, ackers = (defaultdict[str, float](float) for _ in range(3))
    waited = 0.0
    for (host, _), worker in workers.items():
        for task in worker.tasks:
            if task.component == ACKER:
                ackers[host] += 1
            if task.task in ends:
                sinks[host] += _taken(task) or _NONE_COUNTED
            for one in task.outputs:
                if one.complete_latency is not None and one.acked:
                    spouts[host] += one.acked
                    waited += one.acked * one.complete_latency
    if not spouts:
        return None
    complete_latency = waited / sum(spouts.values())
    if not ackers:
        return complete_latency
    there, from_end = (_mean_delay(it, ackers, delays) for it in (spouts, sinks))
    if there is None or from_end is None:
        return None
    response_time = complete_latency + there - from_end
    return response_time if response_time > 0 else None


def _taken(task: TaskSample) -> float:
    return sum(it.executed for it in task.inputs if not it.stream.startswith("__"))


def _mean_delay(
    sources: Mapping[str, float], targets: Mapping[str, float], delays: DelayTable
) -> float | None:
    """Return the mean delay between hosts, weighted by both; None if one of them is unknown."""
    total = weight = 0.0
    for source, of_source in sources.items():
        for target, of_target in targets.items():
            seconds = 0.0 if source == target else delays.seconds_between(source, target)
            if seconds is None:
                return None
            total += of_source * of_target * seconds
            weight += of_source * of_target
    return total / weight if weight else None
