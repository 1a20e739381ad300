"""From what there is to see to the contract's `Status`; what did not change is encoded once."""

from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import scheduler_pb2

from eyewall_sidecar.model import Evaluation
from eyewall_sidecar.objective import Term
from eyewall_sidecar.rpc import encode
from eyewall_sidecar.service import Seen
from eyewall_sidecar.service.overview import Overview
from eyewall_sidecar.service.watching import View
from eyewall_sidecar.stores import DelayTable

CONTRACT_VERSION = 1
MOST = 1e15
"""A larger number tells nobody more; infinite is what a placement of availability 0 is worth."""


class Statuses:
    """Encodes a service's views, one after the other; for one thread at a time."""

    def __init__(self, run: str, delay_source: str, cool_down_seconds: float) -> None:
        """Tell of the life `run` of a sidecar that reads delays from there."""
        self._run = run
        self._source = delay_source
        self._cool_down = cool_down_seconds
        self._encoded: dict[str, tuple[Overview, pb.TopologyStatus]] = {}
        self._supervisors: tuple[object, list[scheduler_pb2.Supervisor]] = (None, [])

    def unchanged(self, view: View, now: float) -> pb.Status:
        """Say that nothing has changed, and how old everything is."""
        status = pb.Status(
            contract_version=CONTRACT_VERSION, revision=view.revision, unchanged=True, run=self._run
        )
        if view.seen is not None:
            for it in view.topologies:
                status.topologies.add(topology_id=it.state.topology.id)
        return self._aged(status, view, now)

    def whole(self, view: View, now: float) -> pb.Status:
        """Say all that there is to see, but for rules and switches."""
        status = pb.Status(contract_version=CONTRACT_VERSION, revision=view.revision, run=self._run)
        status.delays.source = self._source
        status.delays.all_pairs = view.all_pairs
        if (seen := view.seen) is None:
            return status
        status.nimbus_id = seen.nimbus
        status.measuring = seen.measured.topologies is not None
        status.measurements_remark = seen.measured.remark
        if self._supervisors[0] is not seen.state.supervisors:
            encoded = [encode.supervisor(it) for it in seen.state.supervisors]
            self._supervisors = (seen.state.supervisors, encoded)
        status.supervisors.extend(self._supervisors[1])
        self._encoded = {it.state.topology.id: self._topology(it) for it in view.topologies}
        status.topologies.extend(message for _, message in self._encoded.values())
        _put_delays(status.delays, view, seen.delays, max(0.0, now - seen.at))
        return self._aged(status, view, now)

    def _topology(self, it: Overview) -> tuple[Overview, pb.TopologyStatus]:
        known = self._encoded.get(it.state.topology.id)
        return known if known is not None and known[0] is it else (it, topology(it))

    def _aged(self, status: pb.Status, view: View, now: float) -> pb.Status:
        """Put in how old everything is."""
        if (seen := view.seen) is None:
            return status
        since = max(0.0, now - seen.at)
        status.round_age = since
        status.round_seconds = seen.seconds
        if seen.delays.hosts:
            status.delays.age = seen.delays.age + since
        for it in status.topologies:
            _put_ages(it, seen, now, since, self._cool_down)
        return status


def _put_ages(
    it: pb.TopologyStatus, seen: Seen, now: float, since: float, cool_down: float
) -> None:
    name = it.topology_id
    if (memory := seen.memory.get(name)) is not None:
        it.cooling = max(0.0, memory.since + cool_down - now)
    if (age := seen.measured.rates_age.get(name)) is not None:
        it.rates_age = age + since


def _put_delays(delays: pb.Delays, view: View, table: DelayTable, since: float) -> None:
    delays.remark = table.remark
    delays.minimum_confidence = table.minimum_confidence
    for it in view.links:
        pair = it.source, it.target
        delays.links.add(
            source=it.source,
            target=it.target,
            delay=it.seconds,
            confidence=table.confidence_between(*pair),
            age=table.age_between(*pair) + since,
            rate=it.rate,
        )


def topology(it: Overview) -> pb.TopologyStatus:
    """Encode one topology, its ages left out."""
    status = pb.TopologyStatus(
        topology_id=it.state.topology.id,
        name=it.state.topology.name,
        definition=encode.definition(it.state.topology),
        state=encode.topology_state(it.state),
        mode=it.mode,
        policy=it.policy,
        objective=it.objective,
        status=it.status,
        verdict=it.verdict,
        unknown=it.unknown,
        assumptions=it.assumptions,
    )
    if it.worth is not None:
        status.metrics.extend(metrics(it.worth.value, it.worth.evaluation))
    for executor in it.executors:
        status.executors.add(
            executor=executor.name,
            component=executor.component,
            first_task=executor.executor.first_task,
            last_task=executor.executor.last_task,
            host=executor.host,
            port=executor.port,
            supervisor_id=executor.supervisor,
            cpu_cores=executor.cores,
            pins=executor.pins,
        )
    for stream in it.streams:
        status.streams.add(
            source=stream.source,
            target=stream.target,
            stream=stream.stream,
            rate=stream.rate,
            measured=stream.measured,
            system=stream.system,
            rate_between_hosts=stream.between_hosts,
        )
    for step in it.slowest_path:
        status.slowest_path.add(
            executor=step.executor, host=step.host, delay=step.delay, work=step.work
        )
    return status


def metrics(value: float | None, evaluation: Evaluation) -> list[pb.Metric]:
    """Encode what runs, by the model; what is not known or infinite is left out."""
    values = {
        "objective": value,
        Term.R: evaluation.response_time,
        Term.A: evaluation.availability,
        Term.T: evaluation.inter_node_traffic,
        Term.N: evaluation.network_usage,
        Term.EE: evaluation.elastic_energy,
    }
    return [pb.Metric(name=str(name), before=finite(it)) for name, it in values.items()]


def finite(value: float | None) -> float | None:
    """Return a number that can be told."""
    return value if value is not None and abs(value) <= MOST else None
