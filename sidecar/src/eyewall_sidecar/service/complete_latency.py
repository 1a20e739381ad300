"""How long a spout waits for its acks, by the complete latency that Storm reports.

Storm's figure is the acker's: it begins with the first message about a tuple tree, not with the
spout's emit, and ends before the acker's answer (`org.apache.storm.daemon.Acker`, `startTime`). It
leaves out the delay from the spout to the acker and back: with source and consumer 400 ms apart,
and the acker at the consumer, it is 0.03 s and the spout waits 0.83 s (measured).
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from eyewall_contracts.sample import WorkerSample

from eyewall_sidecar.storm import ACKER, DelayTable


class MeasuredLatency(NamedTuple):
    """Mean seconds over all tuple trees that were completed; None: not known.

    Parameters
    ----------
    reported
        Storm's complete latency.
    complete
        From a spout's emit to its ack: with the delay to the acker and back.
    """

    reported: float | None = None
    complete: float | None = None


NO_LATENCY = MeasuredLatency()


def measure_latency(
    workers: Mapping[tuple[str, int], WorkerSample], delays: DelayTable
) -> MeasuredLatency:
    """Return the latency by the counts of a topology's workers, by host and port.

    A delay between a spout and an acker that is unknown leaves the complete one unknown. Without
    ackers Storm's says nothing.
    """
    acked = Counter[str]()
    ackers = Counter[str]()
    waited = 0.0
    for (host, _), worker in workers.items():
        for task in worker.tasks:
            ackers[host] += task.component == ACKER
            for one in task.outputs:
                if one.complete_latency is not None:
                    acked[host] += one.acked
                    waited += one.acked * one.complete_latency
    trees = acked.total()
    if not trees or not ackers.total():
        return NO_LATENCY
    reported = waited / trees
    there_and_back = _there_and_back(+acked, +ackers, delays)
    return MeasuredLatency(reported, None if there_and_back is None else reported + there_and_back)


def _there_and_back(spouts: Counter[str], ackers: Counter[str], delays: DelayTable) -> float | None:
    """Return the mean delay from spout to acker and back.

    Storm spreads trees over all ackers alike: fields grouping by a random id.
    """
    total = 0.0
    for spout, trees in spouts.items():
        for acker, tasks in ackers.items():
            seconds = _round_trip(spout, acker, delays)
            if seconds is None:
                return None
            total += trees * tasks * seconds
    return total / (spouts.total() * ackers.total())


def _round_trip(a: str, b: str, delays: DelayTable) -> float | None:
    if a == b:
        return 0.0
    there, back = delays.seconds_between(a, b), delays.seconds_between(b, a)
    return None if there is None or back is None else there + back
