"""What Nimbus says about a running topology, over the Thrift bundled with streamparse."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ALL_TIME = ":all-time"


@dataclass(frozen=True, slots=True, order=True)
class Executor:
    """An executor by its component and the range of its tasks."""

    component: str
    first_task: int
    last_task: int

    @property
    def is_system(self) -> bool:
        """Whether it is Storm's own: an acker or a metrics consumer."""
        return self.component.startswith("__")


@dataclass(frozen=True, slots=True)
class Slot:
    """Where an executor runs."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class RunningTopology:
    """A topology as Nimbus shows it.

    Parameters
    ----------
    scheduling
        The scheduler's status text, empty before the first round.
    complete_latency
        Storm's own figure, in seconds, over a sample of all tuples since the topology started:
        from when the acker hears of a tuple until it hears of the last ack (the acker's clock, so
        the source's way to the acker is not in it and the last ack's is). None before the first
        sample.
    """

    id: str
    name: str
    status: str
    scheduling: str
    slots: Mapping[Executor, Slot]
    complete_latency: float | None

    def hosts(self) -> dict[Executor, str]:
        """Host of each executor, in order."""
        return {executor: self.slots[executor].host for executor in sorted(self.slots)}


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream from one component to another; the grouping in Thrift's word for it."""

    source: str
    target: str
    grouping: str


@contextmanager
def nimbus_client(host: str, port: int, timeout_seconds: float = 30.0) -> Iterator[Any]:
    """A connection to Nimbus's Thrift service."""
    from streamparse.thrift import Nimbus  # half a second: only where it is needed
    from thriftpy2.protocol import TBinaryProtocolFactory
    from thriftpy2.rpc import client_context
    from thriftpy2.transport import TFramedTransportFactory

    with client_context(
        Nimbus,
        host,
        port,
        connect_timeout=int(timeout_seconds * 1000),
        socket_timeout=int(timeout_seconds * 1000),
        proto_factory=TBinaryProtocolFactory(),  # type: ignore[no-untyped-call]
        trans_factory=TFramedTransportFactory(),
    ) as client:
        yield client


def running_topology(client: Any, name: str) -> RunningTopology | None:
    """The topology that runs under `name`; None if there is none."""
    for summary in client.getClusterInfo().topologies:
        if summary.name == name:
            return described(client.getTopologyInfo(summary.id))
    return None


def topology_names(client: Any) -> tuple[str, ...]:
    """Names of all topologies, sorted."""
    return tuple(sorted(summary.name for summary in client.getClusterInfo().topologies))


def described(info: Any) -> RunningTopology:
    """A `TopologyInfo` in this package's words."""
    slots = {
        Executor(e.component_id, e.executor_info.task_start, e.executor_info.task_end): Slot(
            e.host, e.port
        )
        for e in info.executors
    }
    return RunningTopology(
        id=info.id,
        name=info.name,
        status=info.status,
        scheduling=info.sched_status or "",
        slots=slots,
        complete_latency=_complete_latency(info.executors),
    )


def streams_of(client: Any, topology_id: str) -> tuple[Stream, ...]:
    """The topology's streams, as its user defined them."""
    bolts = client.getUserTopology(topology_id).bolts
    return tuple(
        Stream(stream.componentId, target, _grouping(grouping))
        for target, bolt in sorted(bolts.items())
        for stream, grouping in bolt.common.inputs.items()
    )


def configuration_of(client: Any, topology_id: str) -> dict[str, Any]:
    """The topology's configuration, defaults and the cluster's own settings included."""
    conf: dict[str, Any] = json.loads(client.getTopologyConf(topology_id))
    return conf


def slots_in_use(client: Any) -> int:
    """How many slots of the cluster are taken, by whatever topology."""
    return sum(supervisor.num_used_workers for supervisor in client.getClusterInfo().supervisors)


def kill(client: Any, name: str) -> None:
    """Kill the topology at once, without a time for tuples to drain; no harm if it is gone."""
    from streamparse.thrift import KillOptions, storm_thrift

    with suppress(storm_thrift.NotAliveException):
        client.killTopologyWithOpts(name, KillOptions(wait_secs=0))


def moved(before: Mapping[Executor, str], after: Mapping[Executor, str]) -> list[Executor]:
    """Executors whose host changed."""
    return sorted(e for e in after if e in before and before[e] != after[e])


def _grouping(grouping: Any) -> str:
    """Which member of the Thrift union is set; fields without any field is global."""
    kind = next(name for name, value in vars(grouping).items() if value is not None)
    return "global" if kind == "fields" and not grouping.fields else kind


def _complete_latency(executors: Any) -> float | None:
    """Average over the spouts' executors, each weighted with its acks."""
    total = acks = 0.0
    for executor in executors:
        spout = executor.stats.specific.spout if executor.stats else None
        if spout is None:
            continue
        for stream, milliseconds in spout.complete_ms_avg.get(ALL_TIME, {}).items():
            count = spout.acked.get(ALL_TIME, {}).get(stream, 0)
            total += milliseconds * count
            acks += count
    return total / acks / 1000.0 if acks else None
