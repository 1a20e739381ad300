"""What hosts' reports say of one topology at one moment, all its workers together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import hypot, sqrt
from types import MappingProxyType

from eyewall_contracts.sample import Sample, TaskSample, WorkerSample

from eyewall_sidecar.service.complete_latency import NO_LATENCY, MeasuredLatency, measure_latency
from eyewall_sidecar.service.worker_starts import counted_tuples
from eyewall_sidecar.storm import ACKER, Assignment, DelayTable

SAMPLING = sqrt(1 / 6)
"""Standard deviation of a count, in steps of Storm's counters."""
QUIET_SECONDS = 60.0
"""After which a worker that counts, and counts no tuples, is one that seldom gets any."""
ONE_TASK_EACH: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Measurement:
    """One topology over some seconds, all its workers together.

    Parameters
    ----------
    throughput, throughput_noise
        Tuples/s that all executors took, or emitted as spouts; what its sampling makes of it.
    cpu
        Cores.
    latencies
        By Storm, and as spouts wait for acks.
    waiting
        Tuples in front of executors.
    emitted
        Tuples/s that spouts emit.
    is_acked
        Whether ackers had anything to do.
    """

    throughput: float
    throughput_noise: float
    cpu: float
    latencies: MeasuredLatency = NO_LATENCY
    waiting: float = 0.0
    emitted: float = 0.0
    is_acked: bool = True


@dataclass(frozen=True, slots=True)
class CountedReport:
    """A host's report in which one worker has new counts.

    Workers of one host count in turns, so that not every report has new counts of all.
    """

    report: Sample
    worker: WorkerSample


def have_begun(workers: Iterable[WorkerSample], seconds: float) -> bool:
    """Whether workers have had their first tuples, so many seconds after the last of them started.

    Where some have, one that still has none may wait for hours: it works on errors, say.
    """
    counted = [counted_tuples(it) for it in _with_tasks(workers)]
    return all(counted) or (any(counted) and seconds >= QUIET_SECONDS)


def _with_tasks(workers: Iterable[WorkerSample]) -> list[WorkerSample]:
    """Return the workers that have tasks of the topology's own to do."""
    return [it for it in workers if any(map(_is_own, it.tasks))]


def _is_own(task: TaskSample) -> bool:
    return not task.component.startswith("__")


def first_tasks_of(assignment: Assignment) -> dict[int, int]:
    """Return task → the first task of its executor, for executors of several."""
    executors = (it for worker in assignment for it in worker.executors)
    return {
        task: it.first_task
        for it in executors
        if it.last_task > it.first_task
        for task in range(it.first_task, it.last_task + 1)
    }


def measure(
    counted: Mapping[tuple[str, int], CountedReport],
    delays: DelayTable,
    first_tasks: Mapping[int, int],
) -> Measurement:
    """Return what the last counts of all workers say, (host, port) → each; see `Measurement`.

    `first_tasks` tells which tasks share an executor, and so its queue, which each of them reports.
    """
    throughput = noise = cpu = emitted = 0.0
    is_acked = False
    queues: dict[tuple[str, int, int], float] = {}
    for (host, port), it in counted.items():
        worker = it.worker
        cpu += ((worker.cpu or 0.0) + (worker.children_cpu or 0.0)) / it.report.seconds
        own = [it for it in worker.tasks if _is_own(it)]
        is_acked |= any(it.component == ACKER and _has_executed(it) for it in worker.tasks)
        for task in own:
            taken = [one for one in task.inputs if not one.stream.startswith("__")]
            count = sum(one.executed for one in taken)
            if not task.inputs:
                # A spout says each tuple to an acker, too (__ack_init).
                given = [one for one in task.outputs if not one.stream.startswith("__")]
                count = sum(one.emitted for one in given)
                emitted += count / worker.seconds
            throughput += count / worker.seconds
            noise = hypot(noise, SAMPLING * worker.step / worker.seconds)
            if task.queue is not None:
                place = (host, port, first_tasks.get(task.task, task.task))
                queues[place] = max(0, task.queue.population) + task.queue.overflow
    workers = {at: it.worker for at, it in counted.items()}
    latencies = measure_latency(workers, delays)
    waiting = sum(queues.values())
    is_acked |= latencies.reported is not None
    return Measurement(throughput, noise, cpu, latencies, waiting, emitted, is_acked)


def _has_executed(task: TaskSample) -> bool:
    return any(it.executed for it in task.inputs)
