"""A sidecar that answers wrongly on purpose: the faults that the real one can't be made to show.

Run inside the control namespace in the real sidecar's place:
`python scripted_sidecar.py BEHAVIOUR LISTEN_ADDRESS`.
"""

from __future__ import annotations

import sys
import time
from concurrent import futures
from typing import TYPE_CHECKING

import grpc
from eyewall_proto import scheduler_pb2 as pb
from eyewall_proto import scheduler_pb2_grpc as pb_grpc

if TYPE_CHECKING:
    from collections.abc import Callable

LATE_SECONDS = 6.0


def unknown_supervisor(workers: list[pb.Worker]) -> None:
    workers[0].supervisor_id = "no-such-supervisor"


def doubly_used_slot(workers: list[pb.Worker]) -> None:
    moved = workers[0].executors.pop()
    workers.append(
        pb.Worker(supervisor_id=workers[0].supervisor_id, port=workers[0].port, executors=[moved])
    )


def missing_executor(workers: list[pb.Worker]) -> None:
    workers[0].executors.pop()


def invented_executor(workers: list[pb.Worker]) -> None:
    workers[0].executors.add(first_task=4711, last_task=4711)


CORRUPTIONS: dict[str, Callable[[list[pb.Worker]], None]] = {
    "unknown-supervisor": unknown_supervisor,
    "doubly-used-slot": doubly_used_slot,
    "missing-executor": missing_executor,
    "invented-executor": invented_executor,
}
BEHAVIOURS = (*CORRUPTIONS, "late", "garbage")


class Scripted(pb_grpc.SchedulerServicer):
    """Offers every topology a valid plan that was then corrupted in one place."""

    def __init__(self, behaviour: str) -> None:
        self._behaviour = behaviour
        self._definitions: dict[str, pb.TopologyDefinition] = {}

    def Schedule(  # noqa: N802 - the name is the contract's
        self, request: pb.ScheduleRequest, context: grpc.ServicerContext
    ) -> pb.ScheduleReply:
        if self._behaviour == "late":
            time.sleep(LATE_SECONDS)
        self._definitions.update({d.topology_id: d for d in request.definitions})
        missing = [
            t.topology_id
            for t in request.state.topologies
            if t.topology_id not in self._definitions
        ]
        if missing or not request.HasField("state"):
            return pb.ScheduleReply(
                contract_version=1,
                needs_state=not request.HasField("state"),
                needs_definitions=missing,
            )
        return pb.ScheduleReply(
            contract_version=1,
            # Never acknowledged by digest alone, so that every round is answered in full.
            decisions=[self._decision(request.state, t) for t in request.state.topologies],
        )

    def _decision(self, state: pb.ClusterState, topology: pb.TopologyState) -> pb.Decision:
        workers = [pb.Worker.FromString(w.SerializeToString()) for w in topology.workers]
        if not workers:
            workers = self._everything_on_one_slot(state, topology.topology_id)
        if self._behaviour in CORRUPTIONS:
            CORRUPTIONS[self._behaviour](workers)
        return pb.Decision(
            topology_id=topology.topology_id,
            base=topology.assignment_digest,
            place=pb.Place(workers=workers),
            status=f"scripted: {self._behaviour}",
        )

    def _everything_on_one_slot(self, state: pb.ClusterState, topology_id: str) -> list[pb.Worker]:
        supervisor = state.supervisors[0]
        executors = [e for c in self._definitions[topology_id].components for e in c.executors]
        return [
            pb.Worker(supervisor_id=supervisor.id, port=supervisor.ports[0], executors=executors)
        ]


class Announcing(grpc.ServerInterceptor):  # type: ignore[misc]
    """Writes a line when Nimbus first asks: only then has it found its way here."""

    def __init__(self) -> None:
        self._asked = False

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler],
        details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler:
        if not self._asked:
            self._asked = True
            print("asked", flush=True)
        return continuation(details)


def serve(behaviour: str, address: str) -> grpc.Server:
    """Start answering on `address` and return the running server."""
    server = grpc.server(futures.ThreadPoolExecutor(4), interceptors=[Announcing()])
    if behaviour == "garbage":
        handler = grpc.unary_unary_rpc_method_handler(
            lambda _request, _context: b"\xff\xff\xff not a reply",
            request_deserializer=None,
            response_serializer=None,
        )
        service = pb.DESCRIPTOR.services_by_name["Scheduler"].full_name
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(service, {"Schedule": handler}),)
        )
    else:
        pb_grpc.add_SchedulerServicer_to_server(Scripted(behaviour), server)  # type: ignore[no-untyped-call]
    if server.add_insecure_port(address) == 0:
        sys.exit(f"cannot listen on {address}")
    server.start()
    return server


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in BEHAVIOURS:
        sys.exit(f"usage: scripted_sidecar.py {{{'|'.join(BEHAVIOURS)}}} LISTEN_ADDRESS")
    server = serve(sys.argv[1], sys.argv[2])
    server.wait_for_termination()
