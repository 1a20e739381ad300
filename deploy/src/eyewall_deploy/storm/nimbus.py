"""Nimbus over Thrift, as streamparse bundles it: what runs where, and what it is."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from eyewall_deploy.endpoint import Endpoint

_SECONDS = 5.0


class StormCommand(StrEnum):
    """A command about a topology, as `storm COMMAND` gives it, without a time to wait."""

    ACTIVATE = "activate"
    DEACTIVATE = "deactivate"
    REBALANCE = "rebalance"
    KILL = "kill"


class NimbusUnreachableError(Exception):
    """No Nimbus answers; the message says where."""


@dataclass(frozen=True, slots=True, order=True)
class RunningExecutor:
    """An executor by its component and the range of its tasks."""

    component: str
    first_task: int
    last_task: int


@dataclass(frozen=True, slots=True, order=True)
class WorkerSlot:
    """Where an executor runs."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class RunningTopology:
    """A topology as Nimbus reports it.

    Parameters
    ----------
    scheduling
        The scheduler's status text, empty before the first round.
    """

    id: str
    name: str
    status: str
    scheduling: str
    slots: Mapping[RunningExecutor, WorkerSlot]

    def hosts(self) -> dict[RunningExecutor, str]:
        """Return the host of each executor, in order."""
        return {executor: self.slots[executor].host for executor in sorted(self.slots)}


@dataclass(frozen=True, slots=True)
class TopologyStream:
    """A stream from one component to another, and Thrift's word for its grouping."""

    source: str
    target: str
    grouping: str


@dataclass(frozen=True, slots=True)
class SupervisorSummary:
    """A registered supervisor; `uptime` in seconds."""

    host: str
    slots_used: int
    uptime: int


@dataclass(frozen=True, slots=True)
class NimbusSummary:
    """The cluster as Nimbus reports it."""

    version: str
    has_leader: bool
    supervisors: tuple[SupervisorSummary, ...]
    topologies: tuple[RunningTopology, ...]


@contextmanager
def connect(endpoint: Endpoint) -> Iterator[Any]:
    """Yield a Thrift client of Nimbus; NimbusUnreachableError if anything goes wrong with it."""
    from thriftpy2.protocol import TBinaryProtocolFactory  # half a second, with streamparse
    from thriftpy2.rpc import client_context
    from thriftpy2.thrift import TException
    from thriftpy2.transport import TFramedTransportFactory

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # streamparse's imports warn of their own code
            from streamparse.thrift import Nimbus

            with client_context(
                Nimbus,
                endpoint.host,
                endpoint.port,
                connect_timeout=int(_SECONDS * 1000),
                socket_timeout=int(_SECONDS * 1000),
                proto_factory=TBinaryProtocolFactory(),  # type: ignore[no-untyped-call]
                trans_factory=TFramedTransportFactory(),
            ) as client:
                yield client
    except (OSError, TException) as error:
        raise NimbusUnreachableError(f"no answer from Nimbus at {endpoint}: {error}") from error


def read_summary(endpoint: Endpoint, *, with_topologies: bool = True) -> NimbusSummary:
    """Ask for supervisors and topologies; NimbusUnreachableError if nothing answers."""
    with connect(endpoint) as nimbus:
        summary = nimbus.getClusterInfo()
        running = sorted(summary.topologies, key=lambda it: it.name) if with_topologies else []
        topologies = tuple(convert_topology(nimbus.getTopologyInfo(it.id)) for it in running)
    supervisors = [
        SupervisorSummary(it.host, it.num_used_workers, it.uptime_secs)
        for it in summary.supervisors
    ]
    return NimbusSummary(
        version=next((it.version for it in summary.nimbuses), "unknown"),
        has_leader=any(it.isLeader for it in summary.nimbuses),
        supervisors=tuple(sorted(supervisors, key=lambda it: it.host)),
        topologies=topologies,
    )


def end_topology(endpoint: Endpoint, name: str) -> Failure | None:
    """Kill the topology that runs under this name."""
    try:
        with connect(endpoint) as nimbus:
            names = topology_names(nimbus)
            if name not in names:
                return Failure(f"no topology {name} runs; there is {', '.join(names) or 'none'}")
            kill(nimbus, name)
    except NimbusUnreachableError as error:
        return Failure(str(error))
    return None


def topology_names(client: Any) -> tuple[str, ...]:
    """Return the names of all topologies, sorted."""
    return tuple(sorted(summary.name for summary in client.getClusterInfo().topologies))


def running_topology(client: Any, name: str) -> RunningTopology | None:
    """Return the topology that runs under `name`; None if there is none."""
    for summary in client.getClusterInfo().topologies:
        if summary.name == name:
            return convert_topology(client.getTopologyInfo(summary.id))
    return None


def topology_streams(client: Any, topology_id: str) -> tuple[TopologyStream, ...]:
    """Return the topology's streams, as its user defined them."""
    bolts = client.getUserTopology(topology_id).bolts
    return tuple(
        TopologyStream(stream.componentId, target, _grouping(grouping))
        for target, bolt in sorted(bolts.items())
        for stream, grouping in bolt.common.inputs.items()
    )


def topology_configuration(client: Any, topology_id: str) -> dict[str, Any]:
    """Return the topology's configuration, with defaults and the cluster's own settings."""
    configuration: dict[str, Any] = json.loads(client.getTopologyConf(topology_id))
    return configuration


def count_used_slots(client: Any) -> int:
    """Return how many slots of the cluster are in use, by any topology."""
    return sum(supervisor.num_used_workers for supervisor in client.getClusterInfo().supervisors)


def kill(client: Any, name: str) -> None:
    """Kill the topology without a time for tuples to drain; does nothing if it is gone."""
    from streamparse.thrift import KillOptions, storm_thrift

    with suppress(storm_thrift.NotAliveException):
        client.killTopologyWithOpts(name, KillOptions(wait_secs=0))


def command(client: Any, name: str, given: StormCommand) -> Failure | None:
    """Give Storm a command about a topology."""
    from streamparse.thrift import RebalanceOptions, storm_thrift

    try:
        match given:
            case StormCommand.ACTIVATE:
                client.activate(name)
            case StormCommand.DEACTIVATE:
                client.deactivate(name)
            case StormCommand.REBALANCE:
                client.rebalance(name, RebalanceOptions(wait_secs=0))
            case StormCommand.KILL:
                kill(client, name)
    except storm_thrift.NotAliveException:
        return Failure(f"storm {given} {name}: no such topology runs")
    return None


def find_moves(
    before: Mapping[RunningExecutor, str], after: Mapping[RunningExecutor, str]
) -> list[RunningExecutor]:
    """Return the executors whose host changed."""
    return sorted(e for e in after if e in before and before[e] != after[e])


def describe_hosts(hosts: Mapping[RunningExecutor, str]) -> list[str]:
    """Return hosts with their executors, Storm's own included: `edge-1: source, tag ×2`."""
    by_host: dict[str, list[RunningExecutor]] = {}
    for executor, host in hosts.items():
        by_host.setdefault(host, []).append(executor)
    return [f"{host}: {_describe(executors)}" for host, executors in sorted(by_host.items())]


def describe_workers(slots: Mapping[RunningExecutor, WorkerSlot]) -> list[str]:
    """Return a line for each worker, with its executors: `edge-1: source, tag ×2`."""
    by_slot = _by_slot(slots)
    return sorted(f"{slot.host}: {_describe(executors)}" for slot, executors in by_slot.items())


def _describe(executors: Iterable[RunningExecutor]) -> str:
    counts = Counter(it.component for it in sorted(executors))
    return ", ".join(f"{c} ×{n}" if n > 1 else c for c, n in counts.items())


def find_restarts(
    before: Mapping[RunningExecutor, WorkerSlot], after: Mapping[RunningExecutor, WorkerSlot]
) -> list[WorkerSlot]:
    """Return the slots whose worker starts since its executors changed."""
    old, new = _by_slot(before), _by_slot(after)
    return sorted(slot for slot, executors in new.items() if old.get(slot) != executors)


def convert_topology(info: Any) -> RunningTopology:
    """Return Thrift's `TopologyInfo` as a RunningTopology."""
    slots = {
        RunningExecutor(
            it.component_id, it.executor_info.task_start, it.executor_info.task_end
        ): WorkerSlot(it.host, it.port)
        for it in info.executors
    }
    return RunningTopology(
        id=info.id,
        name=info.name,
        status=info.status,
        scheduling=info.sched_status or "",
        slots=slots,
    )


def _by_slot(slots: Mapping[RunningExecutor, WorkerSlot]) -> dict[WorkerSlot, set[RunningExecutor]]:
    by_slot: dict[WorkerSlot, set[RunningExecutor]] = {}
    for executor, slot in slots.items():
        by_slot.setdefault(slot, set()).add(executor)
    return by_slot


def _grouping(grouping: Any) -> str:
    """Return which member of the Thrift union is set; fields without any field is global."""
    kind = next(name for name, value in vars(grouping).items() if value is not None)
    return "global" if kind == "fields" and not grouping.fields else kind
