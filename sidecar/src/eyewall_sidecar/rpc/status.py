"""The `Status` of operations.proto, from rounds; what did not change is encoded once."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from itertools import permutations
from typing import NamedTuple

from eyewall_contracts.operations import CONTRACT_VERSION
from eyewall_contracts.proto import operations_pb2 as pb

from eyewall_sidecar.objectives.slowest_path import slowest_path
from eyewall_sidecar.rpc import encode
from eyewall_sidecar.rpc.encode_operations import metrics, path, text
from eyewall_sidecar.service.movement_rules import find_freeze
from eyewall_sidecar.service.overview import (
    HostPair,
    RoundSnapshot,
    TopologyOverview,
    overview_inputs,
    topology_overview,
)
from eyewall_sidecar.service.round import SchedulingService
from eyewall_sidecar.stores import HeldSwitches
from eyewall_sidecar.storm import DelayTable, WaitFit, operator_id

FEW_HOSTS = 40
"""Up to so many hosts every pair of them is reported; among more, those that a stream crosses."""
MOST_LINKS = 4000
"""Of those, the ones with the highest rates: more can be neither drawn nor read."""


class _Link(NamedTuple):
    """One direction between two hosts: seconds, and tuples/s; None if they are not known.

    A delay that is `trusted` may move what runs.
    """

    source: str
    target: str
    seconds: float | None
    rate: float | None
    trusted: bool


class _Topology(NamedTuple):
    """A topology's overview and message, and what they depend on."""

    inputs: tuple[object, ...]
    overview: TopologyOverview
    encoded: pb.TopologyStatus


class StatusReporter:
    """Reports on a service; any thread may ask."""

    def __init__(self, service: SchedulingService) -> None:
        """Report on `service`."""
        self._service = service
        self._lock = threading.Lock()
        self._snapshot: RoundSnapshot | None = None
        self._hosts: Mapping[str, str] = {}
        self._topologies: dict[str, _Topology] = {}
        self._links: tuple[_Link, ...] = ()
        self._content: object = None
        """All of the last status that is not an age: while it is equal, the revision stays."""
        self._revision = 1

    def report(self, known_revision: int) -> pb.Status:
        """Return the status, or only its ages if the caller knows the revision."""
        with self._lock:
            switches = self._service.switches()
            rules = encode_rules(self._service)
            encoded_switches = encode_switches(switches)
            snapshot = self._service.snapshot
            if snapshot is not None and snapshot is not self._snapshot:
                self._update(snapshot)
            content = (_content(snapshot), self._encoded(), self._links, rules, encoded_switches)
            if content != self._content:
                self._revision += 1
            self._content = content
            status = pb.Status(
                contract_version=CONTRACT_VERSION, revision=self._revision, run=self._service.run
            )
            if self._revision == known_revision:
                status.unchanged = True
                for name in self._topologies if snapshot is not None else ():
                    status.topologies.add(topology_id=name)
            else:
                status.rules.CopyFrom(rules)
                status.switches.CopyFrom(encoded_switches)
                self._fill(status, snapshot, switches)
            if switches.age is not None:
                status.switches.age = switches.age
            if snapshot is not None:
                self._put_ages(status, snapshot)
            return status

    def _encoded(self) -> tuple[pb.TopologyStatus, ...]:
        return tuple(it.encoded for it in self._topologies.values())

    def _update(self, snapshot: RoundSnapshot) -> None:
        """Encode the topologies that changed since the last round."""
        state, before = snapshot.observation.state, self._snapshot
        hosts = {it.id: it.host for it in state.supervisors}
        if hosts != self._hosts:
            self._hosts, self._topologies = hosts, {}
        topologies = {}
        for it in state.topologies:
            inputs, known = overview_inputs(snapshot, it), self._topologies.get(it.topology.id)
            if known is None or known.inputs != inputs:
                overview = topology_overview(snapshot, it, self._service.settings.defaults)
                encoded = encode_topology(overview, hosts)
                if known is not None and known.encoded == encoded:
                    encoded = known.encoded  # the very same compares faster
                known = _Topology(inputs, overview, encoded)
            topologies[it.topology.id] = known
        delays = snapshot.observation.delays
        if (
            before is None
            or before.observation.delays != delays
            or list(topologies.values()) != list(self._topologies.values())
        ):
            overviews = [it.overview for it in topologies.values()]
            self._links = tuple(_links(overviews, sorted(set(hosts.values())), delays))
        self._topologies, self._snapshot = topologies, snapshot

    def _fill(
        self, status: pb.Status, snapshot: RoundSnapshot | None, switches: HeldSwitches
    ) -> None:
        """Put in all but ages."""
        status.delays.source = self._service.delay_source
        status.delays.all_pairs = len(set(self._hosts.values())) <= FEW_HOSTS
        if snapshot is None:
            return
        estimates, delays = snapshot.observation.estimates, snapshot.observation.delays
        status.nimbus_id = snapshot.nimbus
        status.measuring = estimates.topologies is not None
        status.measurements_remark = text(estimates.remark)
        status.waits.CopyFrom(_encode_waits(snapshot.observation.waits))
        status.supervisors.extend(map(encode.supervisor, snapshot.observation.state.supervisors))
        status.topologies.extend(self._encoded())
        limits = self._service.settings.moves
        for topology in status.topologies:
            topology.frozen = bool(find_freeze(limits, switches, topology.topology_id))
        since = max(0.0, self._service.now() - snapshot.time)
        status.delays.remark = text(delays.remark)
        status.delays.minimum_confidence = delays.minimum_confidence
        for link in self._links:
            pair = link.source, link.target
            status.delays.links.add(
                source=link.source,
                target=link.target,
                delay=link.seconds,
                confidence=delays.confidence_between(*pair),
                age=delays.age_between(*pair) + since,
                rate=link.rate,
            )

    def _put_ages(self, status: pb.Status, snapshot: RoundSnapshot) -> None:
        now, delays = self._service.now(), snapshot.observation.delays
        since = max(0.0, now - snapshot.time)
        status.round_age = since
        status.round_seconds = snapshot.seconds
        if delays.hosts:
            status.delays.age = delays.age + since
        cool_down = self._service.settings.moves.cool_down_seconds
        for topology in status.topologies:
            name = topology.topology_id
            if (record := snapshot.records.get(name)) is not None:
                topology.cooling = max(0.0, record.since + cool_down - now)
            if (age := snapshot.observation.estimates.rates_age.get(name)) is not None:
                topology.rates_age = age + since
        if (age := self._service.waits_age()) is not None:
            status.waits.age = age


def _content(snapshot: RoundSnapshot | None) -> object:
    """Return all of a round that its topologies and links do not have, but ages."""
    if snapshot is None:
        return None
    delays, estimates = snapshot.observation.delays, snapshot.observation.estimates
    return (
        snapshot.nimbus,
        snapshot.observation.state.supervisors,
        (delays.remark, delays.minimum_confidence),
        (estimates.remark, estimates.topologies is not None),
        snapshot.observation.waits,
    )


def _encode_waits(it: WaitFit) -> pb.WaitFit:
    """Encode κ and γ, but for their age."""
    return pb.WaitFit(
        burstiness=it.burstiness,
        burstiness_error=it.burstiness_error,
        sharing=it.sharing,
        sharing_error=it.sharing_error,
        observations=it.observations,
        fitted=it.is_fitted,
    )


def _links(
    overviews: Iterable[TopologyOverview], hosts: list[str], delays: DelayTable
) -> Iterator[_Link]:
    rates: defaultdict[HostPair, float] = defaultdict(float)
    rest: float | None = 0.0
    for overview in overviews:
        if overview.traffic is None:
            rest = None  # some tuples may flow that nothing is known of
        for traffic in overview.traffic or ():
            for pair, rate in traffic.between.items():
                rates[pair] += rate
    if len(hosts) <= FEW_HOSTS:
        pairs = list(permutations(hosts, 2))
    else:
        pairs = sorted(nlargest(MOST_LINKS, rates, key=lambda it: (rates[it], it)))
    for a, b in pairs:
        yield _Link(
            source=a,
            target=b,
            seconds=delays.seconds_between(a, b),
            rate=rates.get((a, b), rest),
            trusted=delays.trusts(a, b),
        )


def encode_rules(service: SchedulingService) -> pb.Rules:
    """Encode what governs moves."""
    limits = service.settings.moves
    return pb.Rules(
        minimum_gain=limits.minimum_gain,
        cool_down_seconds=limits.cool_down_seconds,
        workers_per_round=limits.workers_per_round,
        workers_per_hour=limits.workers_per_hour,
        workers_started_last_hour=service.workers_started_in_hour(),
        frozen=limits.frozen,
    )


def encode_switches(held: HeldSwitches) -> pb.Switches:
    """Encode the operators' switches, but for their age."""
    switches = held.switches
    return pb.Switches(
        available=held.wanted,
        frozen=switches.frozen if switches else False,
        frozen_topologies=map(text, sorted(switches.frozen_topologies)) if switches else (),
        remark=text(held.remark),
        drained_hosts=map(text, sorted(switches.drained_hosts)) if switches else (),
    )


def encode_topology(it: TopologyOverview, hosts: Mapping[str, str]) -> pb.TopologyStatus:
    """Encode one topology but for ages; `hosts` is supervisor id → host."""
    topology, settings, decision = it.state.topology, it.settings, it.decision
    status = pb.TopologyStatus(
        topology_id=topology.id,
        name=topology.name,
        definition=encode.definition(topology),
        state=encode.topology_state(it.state),
        mode=str(it.mode),
        policy=settings.policy if settings else "",
        objective=str(settings.objective) if settings else "",
        status=text(decision.status) if decision else "",
        verdict=type(decision.verdict).__name__.lower() if decision else "",
        unknown=text(it.unknown),
        assumptions=map(text, it.problem.assumptions) if it.problem else (),
    )
    slots, host_of = it.state.running(), {}
    for executor, component in topology.executors().items():
        name, slot = operator_id(component, executor), slots.get(executor)
        host_of[name] = hosts.get(slot.supervisor, "") if slot else ""
        status.executors.add(
            executor=name,
            component=component.id,
            first_task=executor.first_task,
            last_task=executor.last_task,
            host=host_of[name],
            port=slot.port if slot else 0,
            supervisor_id=slot.supervisor if slot else "",
            cpu_cores=it.problem.problem.operator(name).cpu if it.problem else None,
            pins=map(text, settings.pins.get(component.id, ())) if settings else (),
        )
    for traffic in it.traffic or ():
        status.streams.add(
            source=traffic.stream.source.id,
            target=traffic.stream.target.id,
            stream=traffic.stream.stream,
            rate=traffic.stream.received_rate,
            measured=traffic.stream.measured,
            error=traffic.stream.received_error,
            system=traffic.stream.system,
            rate_between_hosts=sum(traffic.between.values()),
        )
    if it.evaluation is not None and it.problem is not None:
        status.metrics.extend(metrics(it.value, it.evaluation))
        steps = slowest_path(it.problem.problem, it.problem.problem.current or {})
        status.slowest_path.extend(path(steps, host_of))
    return status
