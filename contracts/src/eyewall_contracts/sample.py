"""One report of a host: what flowed, what it cost and how loaded the host is.

Written by the agent, read by the sidecar and the dashboard (latest, in ZooKeeper) and by the rates
job (history, in Redis). Counts are what was added since the report before, never totals since a
worker's start: whoever adds up reports needs no state, and a report that got lost is a gap of
known length (`Sample.sequence`) rather than a wrong count.

Encoded as JSON with a version. Things that come by the hundred are rows: lists of the values in
the order of the class's fields. Units are seconds, bytes, cores and tuples.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eyewall_contracts import checked

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION: Final = 1
MOST_BYTES: Final = 512 * 1024
"""Of one encoded report: half of what a znode holds unless its ZooKeeper was told otherwise."""


class SampleError(ValueError):
    """Bytes that are no report, or a report that cannot be encoded; says where and why."""


class NewerVersionError(SampleError):
    """A report of a later version than this reader knows; to be gone without, not to be guessed."""


class Input(NamedTuple):
    """Tuples that one task took from one stream of one component.

    Storm counts samples of its tuples: every count is a multiple of `Worker.step`.
    """

    source: str
    """Component; Storm's own (`__acker`, `__system`) included."""
    stream: str
    executed: int
    acked: int
    failed: int
    execute_latency: float | None
    """Seconds inside `execute`, a running mean of Storm's; None: not told."""
    process_latency: float | None
    """Seconds from the receipt to the ack."""


class Output(NamedTuple):
    """Tuples that one task gave out on one of its streams."""

    stream: str
    emitted: int
    transferred: int
    """Copies sent: one for each task that got it."""
    acked: int
    """Of a spout: whole tuple trees; 0 of a bolt."""
    failed: int
    complete_latency: float | None
    """Seconds from a spout's emit to the end of its tuple tree; None of a bolt."""


class Queue(NamedTuple):
    """What waits in front of a task; all tasks of one executor tell of the same queue."""

    population: int
    capacity: int
    overflow: int


@dataclass(frozen=True, slots=True)
class Task:
    """What one task did. Its id is the key to join on: a component's dots come as underscores."""

    task: int
    component: str
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    queue: Queue | None = None
    capacity: float | None = None
    """Storm's own share of time spent in `execute`, over ten minutes."""


class Threads(NamedTuple):
    """CPU-seconds of the threads that ran these tasks, and of the processes that they started.

    One thread is one executor. Where threads cannot be told apart (see docs/metrics.md) several
    stand here together, with all the tasks that they ran.
    """

    tasks: tuple[int, ...]
    threads: int
    cpu: float
    children_cpu: float
    """Multilang processes, theirs included."""


@dataclass(frozen=True, slots=True)
class Worker:
    """What one worker process did."""

    topology: str
    """Storm's id of it."""
    port: int
    id: str
    """Storm's id of the worker: another one after a restart."""
    started: float
    """Seconds since the epoch."""
    until: float
    """Seconds since the epoch: when the counts below were told."""
    seconds: float
    """What the counts cover, up to `until`; 0: the worker told nothing new."""
    step: int
    """What Storm adds for one sampled tuple: 1 / topology.stats.sample.rate; 0: not known yet."""
    cpu: float | None
    """CPU-seconds of the JVM over the report's own `seconds`; None: seen for the first time."""
    children_cpu: float | None
    memory: int
    """Resident bytes, children included."""
    tasks: tuple[Task, ...] = ()
    threads: tuple[Threads, ...] = ()


@dataclass(frozen=True, slots=True)
class Machine:
    """The host's load, and what it has to offer."""

    cpus: int
    """Those the host's processes may run on."""
    quota: float | None
    """Cores that its control group grants; None: no limit."""
    busy: float
    """CPU-seconds used over the report's `seconds`: of the control group if it has a quota, else of
    the whole machine."""
    stolen: float
    """CPU-seconds that other guests of the same hypervisor took from it."""
    throttled: float
    """Seconds for which the control group was stopped by its quota."""
    load: float
    """The machine's one-minute load average."""
    memory: int
    memory_free: int

    @property
    def cores(self) -> float:
        """What the host can use at most."""
        return self.cpus if self.quota is None else min(self.quota, self.cpus)


@dataclass(frozen=True, slots=True)
class Sample:
    """One report of one host."""

    host: str
    run: str
    """One life of the agent."""
    sequence: int
    """0, 1, 2, … within a run: a number that is missing is a report that got lost."""
    time: float
    """Seconds since the epoch, at the report's end."""
    seconds: float
    """What it covers, by a clock that does not jump."""
    machine: Machine
    workers: tuple[Worker, ...] = ()
    counters: Mapping[str, int] = field(default_factory=dict)
    """What the agent took in, rejected and dropped since its start, by reason."""
    left_out: int = 0
    """Tasks that did not fit into a report."""

    def age(self, now: float) -> float:
        """Seconds since the report; a clock that is behind makes it 0, never negative."""
        return max(0.0, now - self.time)


def encode(sample: Sample) -> bytes:
    """JSON of a report; SampleError if it is larger than MOST_BYTES or cannot be read again."""
    content = {
        "version": VERSION,
        "host": sample.host,
        "run": sample.run,
        "sequence": sample.sequence,
        "time": sample.time,
        "seconds": sample.seconds,
        "machine": astuple(sample.machine),
        "counters": dict(sorted(sample.counters.items())),
        "left_out": sample.left_out,
        "workers": [_worker_out(worker) for worker in sample.workers],
    }
    try:
        data = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")
    except ValueError as error:
        raise SampleError(f"report of {sample.host}: {error}") from None
    if len(data) > MOST_BYTES:
        raise SampleError(f"report of {sample.host}: {len(data)} bytes; at most {MOST_BYTES}")
    return data


def decode(data: bytes) -> Sample:
    """Read a report; SampleError names what is wrong with it."""
    if len(data) > MOST_BYTES:
        raise SampleError(f"report: {len(data)} bytes; at most {MOST_BYTES}")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SampleError(f"report: not JSON: {error}") from None
    if not isinstance(content, dict):
        raise SampleError("report: not a JSON object")
    version = content.get("version")
    if isinstance(version, int) and version > VERSION:
        raise NewerVersionError(f"report: version {version}; this reader knows {VERSION}")
    if version != VERSION or isinstance(version, bool):
        raise SampleError(f"report: version {version!r:.50}; this reader knows {VERSION}")
    taken = checked.Object(content, "report")
    try:
        return Sample(
            host=taken("host", checked.host),
            run=taken("run", checked.name),
            sequence=taken("sequence", checked.count),
            time=taken("time", checked.amount),
            seconds=taken("seconds", checked.amount),
            machine=taken("machine", _MACHINE),
            workers=taken("workers", checked.rows(_WORKER)),
            counters=taken("counters", checked.counters),
            left_out=taken("left_out", checked.count),
        )
    except checked.BadValueError as error:
        raise SampleError(str(error)) from None


def _worker_out(worker: Worker) -> list[Any]:
    *values, tasks, threads = (getattr(worker, name) for name in Worker.__slots__)
    return [*values, [_task_out(task) for task in tasks], threads]


def _task_out(task: Task) -> list[Any]:
    return [getattr(task, name) for name in Task.__slots__]


_NAME, _COUNT, _AMOUNT = checked.name, checked.count, checked.amount
_MAYBE = checked.or_none(_AMOUNT)
_MACHINE: Final = checked.row(
    Machine, (_COUNT, _MAYBE, _AMOUNT, _AMOUNT, _AMOUNT, _AMOUNT, _COUNT, _COUNT)
)
_INPUT: Final = checked.row(Input, (_NAME, _NAME, _COUNT, _COUNT, _COUNT, _MAYBE, _MAYBE))
_OUTPUT: Final = checked.row(Output, (_NAME, _COUNT, _COUNT, _COUNT, _COUNT, _MAYBE))
_QUEUE: Final = checked.or_none(checked.row(Queue, (_COUNT, _COUNT, _COUNT)))
_TASK: Final = checked.row(
    Task,
    (checked.whole, _NAME, checked.rows(_INPUT), checked.rows(_OUTPUT), _QUEUE, _MAYBE),
)
_THREADS: Final = checked.row(Threads, (checked.rows(checked.whole), _COUNT, _AMOUNT, _AMOUNT))
_WORKER: Final = checked.row(
    Worker,
    (
        *(_NAME, _COUNT, _NAME, _AMOUNT, _AMOUNT, _AMOUNT, _COUNT, _MAYBE, _MAYBE, _COUNT),
        checked.rows(_TASK),
        checked.rows(_THREADS),
    ),
)
