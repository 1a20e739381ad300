"""From decisions to the contract's messages."""

from eyewall_proto import scheduler_pb2 as pb

from eyewall_sidecar.service import Decision, Decline, Keep, Place
from eyewall_sidecar.storm import Assignment

LONGEST_TEXT = 1000
"""Characters of a text that is shown to people: one line, whatever an exception has to say."""


def decision(decided: Decision) -> pb.Decision:
    """Encode one topology's decision."""
    message = pb.Decision(
        topology_id=decided.topology_id, base=decided.base, status=_line(decided.status)
    )
    match decided.verdict:
        case Place(assignment):
            message.place.workers.extend(_workers(assignment))
        case Keep():
            message.keep.SetInParent()
        case Decline(reason):
            message.decline.reason = _line(reason)
    return message


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"


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
