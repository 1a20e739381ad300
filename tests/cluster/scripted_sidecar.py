"""A sidecar that answers wrongly on purpose: the faults that the real one can't be made to show.

Run inside the control namespace in the real sidecar's place:
`python scripted_sidecar.py LISTEN_ADDRESS`. What it does wrong is the name of the topology that was
submitted last: to all topologies, those that run included.
"""

from __future__ import annotations

import sys
import time
from concurrent import futures
from typing import TYPE_CHECKING

import grpc
from eyewall_contracts.proto import scheduler_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LATE_SECONDS = 6.0


def doubly_used_slot(workers: list[pb.Worker]) -> None:
    moved = workers[0].executors.pop()
    workers.append(
        pb.Worker(supervisor_id=workers[0].supervisor_id, port=workers[0].port, executors=[moved])
    )


CORRUPTIONS: dict[str, Callable[[list[pb.Worker]], None]] = {"doubly-used-slot": doubly_used_slot}


def newest(topologies: Sequence[pb.TopologyState]) -> str:
    """The name of the topology that was submitted last; Storm's ids are NAME-NUMBER-TIME."""
    parts = [it.topology_id.rsplit("-", 2) for it in topologies]
    return max(parts, key=lambda it: int(it[1]))[0] if parts else ""


class Scripted:
    """Offers every topology a valid plan that was then corrupted in one place."""

    def __init__(self) -> None:
        self._definitions: dict[str, pb.TopologyDefinition] = {}

    def answer(self, request: pb.ScheduleRequest) -> bytes:
        behaviour = newest(request.state.topologies)
        if behaviour == "late":
            time.sleep(LATE_SECONDS)
        if behaviour == "garbage":
            return b"\xff\xff\xff not a reply"
        return self._reply(request, behaviour).SerializeToString()

    def _reply(self, request: pb.ScheduleRequest, behaviour: str) -> pb.ScheduleReply:
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
            decisions=[
                self._decision(request.state, t, behaviour) for t in request.state.topologies
            ],
        )

    def _decision(
        self, state: pb.ClusterState, topology: pb.TopologyState, behaviour: str
    ) -> pb.Decision:
        workers = [pb.Worker.FromString(w.SerializeToString()) for w in topology.workers]
        if not workers:
            workers = self._everything_on_one_slot(state, topology.topology_id)
        if behaviour in CORRUPTIONS:
            CORRUPTIONS[behaviour](workers)
        return pb.Decision(
            topology_id=topology.topology_id,
            base=topology.assignment_digest,
            place=pb.Place(workers=workers),
            status=f"scripted: {behaviour}",
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


def serve(address: str) -> grpc.Server:
    """Start answering on `address` and return the running server."""
    scripted = Scripted()
    server = grpc.server(futures.ThreadPoolExecutor(4), interceptors=[Announcing()])
    # Bytes as they are: a generated service could not answer what is no reply.
    handler = grpc.unary_unary_rpc_method_handler(
        lambda request, _context: scripted.answer(request),
        request_deserializer=pb.ScheduleRequest.FromString,
        response_serializer=None,
    )
    service = pb.DESCRIPTOR.services_by_name["Scheduler"].full_name
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {"Schedule": handler}),)
    )
    if server.add_insecure_port(address) == 0:
        sys.exit(f"cannot listen on {address}")
    server.start()
    return server


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripted_sidecar.py LISTEN_ADDRESS")
    server = serve(sys.argv[1])
    server.wait_for_termination()
