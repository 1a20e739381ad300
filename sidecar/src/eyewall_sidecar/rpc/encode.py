"""From decisions to the contract's messages."""

from eyewall_proto import scheduler_pb2 as pb

from eyewall_sidecar.service import Decision, Decline, Keep, Place
from eyewall_sidecar.storm import Assignment


def decision(decided: Decision) -> pb.Decision:
    """Encode one topology's decision."""
    message = pb.Decision(topology_id=decided.topology_id, base=decided.base, status=decided.status)
    match decided.verdict:
        case Place(assignment):
            message.place.workers.extend(_workers(assignment))
        case Keep():
            message.keep.SetInParent()
        case Decline(reason):
            message.decline.reason = reason
    return message


def _workers(assignment: Assignment) -> list[pb.Worker]:
    return [
        pb.Worker(
            supervisor_id=worker.slot.supervisor,
            port=worker.slot.port,
            executors=[
                pb.Executor(first_task=it.first_task, last_task=it.last_task)
                for it in sorted(worker.executors)
            ],
        )
        for worker in assignment
    ]
