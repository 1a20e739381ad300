"""How long a spout waits for its acks, by the complete latency that Storm reports.

Storm's figure is the acker's: it begins with the first message about a tuple tree, not with the
spout's emit, and ends before the acker's answer (`org.apache.storm.daemon.Acker`, `startTime`). It
leaves out the delay from the spout to the acker and back: with source and consumer 400 ms apart,
and the acker at the consumer, it is 0.03 s and the spout waits 0.83 s (measured).
"""

from collections import Counter
from collections.abc import Mapping

from eyewall_contracts.sample import WorkerSample

from eyewall_sidecar.storm import ACKER, DelayTable


def measured_complete_latency(
    workers: Mapping[tuple[str, int], WorkerSample], delays: DelayTable
) -> float | None:
    """Return the mean seconds from a spout's emit to its ack.

    None if no tuple tree was completed, or a delay between a spout and an acker is unknown. Without
    an acker in the reports it is Storm's figure.

    Parameters
    ----------
    workers
        Host and port → the worker there with its counts.
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
    # Storm spreads trees over all ackers alike: fields grouping by a random id.
    trees = [
        (spout, acker, of_spout * of_acker)
        for spout, of_spout in acked.items()
        for acker, of_acker in ackers.items()
        if of_spout and of_acker
    ]
    there_and_back = 0.0
    for spout, acker, weight in trees:
        seconds = _round_trip(spout, acker, delays)
        if seconds is None:
            return None
        there_and_back += weight * seconds
    total = acked.total()
    if not total:
        return None
    return (waited + there_and_back / max(1, ackers.total())) / total


def _round_trip(a: str, b: str, delays: DelayTable) -> float | None:
    if a == b:
        return 0.0
    there, back = delays.seconds_between(a, b), delays.seconds_between(b, a)
    return None if there is None or back is None else there + back
