"""One report of a host: what flowed, what it cost and how loaded the host is.

Written by the agent, read by the sidecar and the dashboard (the latest, in ZooKeeper) and by the
rates job (the history, in Redis). Counts cover the time since the report before, never since a
worker's start: a reader that adds up reports needs no state, and a report that was lost is a gap of
known length (`Sample.sequence`), not a wrong count.

Units are seconds, bytes, cores and tuples. All but the report itself are rows (see `codec`).
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.field_types import (
    LONGEST_NAME,
    Amount,
    Count,
    HostName,
    Name,
    Rows,
    Time,
    Whole,
)

OVERLAP_CONTRACT: Final = 1
"""What the overlap agent in workers (storm-scheduler/overlap) and the sidecar agree on: orders to
move, and how workers hand over. `OverlapAgent.CONTRACT` is the agent's."""


class TaskInput(Struct, frozen=True, array_like=True, gc=False):
    """Tuples that one task received from one stream of one component.

    Storm samples its tuples: every count is a multiple of `WorkerSample.step`.
    """

    source: Name
    """Component; Storm's own (`__acker`, `__system`) included."""
    stream: Name
    executed: Count = 0
    acked: Count = 0
    failed: Count = 0
    execute_latency: Amount | None = None
    """Seconds inside `execute`, a running mean of Storm's; None: not reported."""
    process_latency: Amount | None = None
    """Seconds from receipt to ack."""


class TaskOutput(Struct, frozen=True, array_like=True, gc=False):
    """Tuples that one task emitted on one of its streams."""

    stream: Name
    emitted: Count = 0
    transferred: Count = 0
    """Copies sent: one for each task that received it."""
    acked: Count = 0
    """Of a spout: whole tuple trees; 0 of a bolt."""
    failed: Count = 0
    complete_latency: Amount | None = None
    """Storm's complete latency in seconds: from the first to the last message about a tuple tree at
    its acker, without the delay between spout and acker. None of a bolt."""


class TaskQueue(Struct, frozen=True, array_like=True, gc=False):
    """What waits in front of a task; all tasks of one executor report the same queue."""

    population: Count
    capacity: Count
    overflow: Count = 0


class TaskSample(Struct, frozen=True, array_like=True):
    """What one task did. Its id is the key to join on: a component's dots arrive as underscores."""

    task: Whole
    component: Name
    inputs: Annotated[tuple[TaskInput, ...], Rows] = ()
    outputs: Annotated[tuple[TaskOutput, ...], Rows] = ()
    queue: TaskQueue | None = None
    capacity: Amount | None = None
    """Storm's own share of time spent in `execute`, over ten minutes."""


class ThreadGroup(Struct, frozen=True, array_like=True, gc=False):
    """CPU-seconds of the threads that ran these tasks, and of the processes that they started.

    One thread is one executor. Where threads cannot be distinguished (docs/design/metrics.md)
    several form one group, with all the tasks that they ran.
    """

    tasks: Annotated[tuple[Whole, ...], Rows]
    threads: Count
    cpu: Amount
    children_cpu: Amount = 0.0
    """Of multilang processes and their children."""


class WorkerSample(Struct, frozen=True, array_like=True):
    """What one worker process did."""

    topology: Name
    """Storm's id of it."""
    port: Count
    id: Name
    """Storm's id of the worker: another one after a restart."""
    started: Time
    """Seconds since the epoch."""
    until: Time
    """Seconds since the epoch: the end of what the counts cover."""
    seconds: Amount = 0.0
    """What the counts cover, up to `until`; 0: the worker reported nothing new."""
    step: Count = 0
    """What Storm adds for one sampled tuple, 1 / topology.stats.sample.rate; 0: not known yet."""
    cpu: Amount | None = None
    """CPU-seconds of the JVM over the report's own `seconds`; None: seen for the first time."""
    children_cpu: Amount | None = None
    memory: Count = 0
    """Resident bytes, children included."""
    tasks: Annotated[tuple[TaskSample, ...], Rows] = ()
    threads: Annotated[tuple[ThreadGroup, ...], Rows] = ()
    overlaps: bool = False
    """Whether it serves on while its successor starts, where Eyewall moves it: it has the agent."""
    agent_contract: Count = 0
    """That agent's `OVERLAP_CONTRACT`; 0: it is older than this number."""
    agent_version: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    start_cpu: Amount | None = None
    """CPU-seconds until it counted its first tuples, processes that it started included; None: it
    has counted none yet, or nobody saw it start."""
    unknown_storm: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    """Storm's release, if the worker's overlap agent does not know its code and does nothing."""


class MachineSample(Struct, frozen=True, array_like=True):
    """The host's load, and what it offers. It is known as a whole or not at all."""

    cpus: Count
    """Those that the host's processes may use."""
    quota: Amount | None
    """Cores that its control group grants; None: no limit."""
    busy: Amount
    """CPU-seconds used over the report's `seconds`: of the control group if it has a quota, else of
    the whole machine."""
    stolen: Amount
    """CPU-seconds that other guests of the same hypervisor took."""
    throttled: Amount
    """Seconds for which the quota stopped the control group."""
    load: Amount
    """The machine's one-minute load average."""
    memory: Count
    memory_free: Count

    @property
    def cores(self) -> float:
        """What the host can use at most."""
        return self.cpus if self.quota is None else min(self.quota, self.cpus)


class Sample(Struct, frozen=True):
    """One report of one host."""

    host: HostName
    run: Name
    """One life of the agent."""
    sequence: Count
    """0, 1, 2, … within a run: a number that is missing is a report that was lost."""
    time: Time
    """Seconds since the epoch, at the report's end."""
    seconds: Amount = 0.0
    """What it covers, by a clock that does not jump; 0: nothing."""
    machine: MachineSample | None = None
    counters: Annotated[dict[Name, Count], Rows] = {}
    """What the agent received, rejected and dropped since its start, by reason."""
    left_out: Count = 0
    """Tasks that did not fit into a report."""
    workers: Annotated[tuple[WorkerSample, ...], Rows] = ()

    def age(self, now: float) -> float:
        """Seconds since the report, never negative: a clock may be behind."""
        return max(0.0, now - self.time)


CODEC: Final = RecordCodec("report", Sample)
encode_sample: Final = CODEC.encode
decode_sample: Final = CODEC.decode
