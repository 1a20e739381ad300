"""From an explanation to the contract's message."""

from eyewall_contracts.proto import operations_pb2 as pb

from eyewall_sidecar.rpc.encode_status import finite, metrics
from eyewall_sidecar.service.explaining import Alternative, Explanation
from eyewall_sidecar.storm import Topology


def explanation(it: Explanation, topology: Topology, answer: str) -> pb.Explanation:
    """Encode what there is to say of one executor of a topology."""
    problem = it.problem
    return pb.Explanation(
        topology_id=topology.id,
        topology=topology.name,
        executor=it.executor,
        host=it.host,
        objective=str(it.objective),
        metrics=metrics(it.worth.value, it.worth.evaluation),
        neighbours=[
            pb.Neighbour(
                executor=other.executor,
                host=other.host,
                upstream=other.upstream,
                rate=other.rate,
                delay=other.delay,
                system=other.system,
            )
            for other in it.neighbours
        ],
        alternatives=[_alternative(other) for other in it.alternatives],
        left_out=it.left_out,
        on_slowest_path=it.on_slowest_path,
        answer=answer,
        assumptions=[said for said in (*problem.assumptions, problem.delays_assumed) if said],
        unknown=it.unknown,
    )


def _alternative(it: Alternative) -> pb.Alternative:
    values: dict[str, float | None] = {}
    if it.metrics:
        values = {"objective": it.value} | {str(term): value for term, value in it.metrics.items()}
    return pb.Alternative(
        host=it.host,
        current=it.current,
        constraint=it.obstacle.constraint,
        reason=it.obstacle.reason,
        metrics=[pb.Metric(name=name, after=finite(value)) for name, value in values.items()],
        rate_between_hosts_added=it.between_hosts_added,
        response_time_added=it.response_time_added,
    )
