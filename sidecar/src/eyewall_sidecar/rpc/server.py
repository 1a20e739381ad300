"""The gRPC server: the scheduler's contract, the standard health service and reflection."""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import grpc
from eyewall_contracts.proto import operations_pb2_grpc
from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_contracts.proto import scheduler_pb2_grpc as pb_grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.plugins import described
from eyewall_sidecar.rpc import encode
from eyewall_sidecar.rpc.decode import MalformedError
from eyewall_sidecar.rpc.extensions import add_services
from eyewall_sidecar.rpc.nimbus_sessions import MissingParts, NimbusSessions
from eyewall_sidecar.rpc.operations import OPERATIONS, Operations
from eyewall_sidecar.service.decision import Decision, Decline, Keep
from eyewall_sidecar.service.planner import Planner
from eyewall_sidecar.service.round import SchedulingService
from eyewall_sidecar.storm import ClusterState

CONTRACT_VERSION = 1
MESSAGE_BYTES = 64 * 1024 * 1024
"""Enough for 60,000 executors; gRPC's own limit is 4 MB."""
THREADS = 8
ROUND_THREADS = 2
"""One round is decided at a time; the other thread is for a round that comes meanwhile."""

SERVICE: str = pb.DESCRIPTOR.services_by_name["Scheduler"].full_name
LOG = logging.getLogger("eyewall.rpc")


class AddressError(OSError):
    """An address that cannot be listened on; says which and why."""


class Scheduler(pb_grpc.SchedulerServicer):
    """Answers Nimbus, one round at a time."""

    def __init__(self, service: SchedulingService) -> None:
        """Decide with `service`, whose clock is `time.monotonic`."""
        self._service = service
        self._sessions = NimbusSessions()
        self._one_round = threading.Lock()
        self._left_out: tuple[str, ...] = ()

    def Schedule(  # noqa: N802 - the name is the contract's
        self, request: pb.ScheduleRequest, context: grpc.ServicerContext
    ) -> pb.ScheduleReply:
        """Return the decisions that are ready before the request's deadline."""
        deadline = time.monotonic() + request.deadline_ms / 1000
        reply = pb.ScheduleReply(contract_version=CONTRACT_VERSION)
        if request.contract_version > CONTRACT_VERSION:
            return _untouched_as_newer(request, reply)
        with self._one_round:
            try:
                _require_complete(request)
                state = self._sessions.state(request)
            except MalformedError as error:
                LOG.warning("request of %s refused: %s", request.nimbus_id, error)
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
            if isinstance(state, MissingParts):
                reply.needs_state = state.state
                reply.needs_definitions.extend(state.definitions)
                return reply
            self._note_left_out(state)
            decisions = self._service.decide(state, deadline, request.nimbus_id)
        reply.decisions.extend(map(_encode_decision, decisions))
        return reply

    def _note_left_out(self, state: ClusterState) -> None:
        """Log each supervisor that is not used, once."""
        for reason in state.left_out:
            if reason not in self._left_out:
                LOG.warning("left out: %s", reason)
        self._left_out = state.left_out


def _encode_decision(decided: Decision) -> pb.Decision:
    """Encode a decision; one that cannot be encoded must not stop the others."""
    try:
        return encode.decision(decided)
    # The edge between topologies.
    except Exception as error:
        LOG.exception("%s: the decision cannot be encoded", decided.topology_id)
        failed = message(Code.FAILED, error=described(error))
        is_kept = isinstance(decided.verdict, Keep)
        verdict = Keep(failed) if is_kept else Decline(failed)
        return encode.decision(replace(decided, verdict=verdict, status=failed))


class _OwnThreads:
    """A method that never waits for a thread that another request holds."""

    def __init__(self, answer: Callable[..., Any], threads: ThreadPoolExecutor) -> None:
        """Answer in these threads; gRPC looks for them by this name."""
        self._answer = answer
        self.experimental_thread_pool = threads

    def __call__(self, request: Message, context: grpc.ServicerContext) -> Any:
        return self._answer(request, context)


class RpcServer:
    """The listening server."""

    def __init__(self, planner: Planner, address: str) -> None:
        """Bind the address; nothing is answered before `start`."""
        _require_free(address)
        self._health = health.HealthServicer()
        self._grpc = grpc.server(
            ThreadPoolExecutor(THREADS, thread_name_prefix="rpc"),
            options=[
                ("grpc.max_receive_message_length", MESSAGE_BYTES),
                ("grpc.max_send_message_length", MESSAGE_BYTES),
                ("grpc.so_reuseport", 0),  # or a second sidecar would share the port unnoticed
            ],
        )
        # Nimbus goes on without the sidecar if requests of people keep it waiting.
        self._rounds = ThreadPoolExecutor(ROUND_THREADS, thread_name_prefix="rounds")
        scheduler = Scheduler(planner.context.service)
        rounds = SimpleNamespace(Schedule=_OwnThreads(scheduler.Schedule, self._rounds))
        pb_grpc.add_SchedulerServicer_to_server(rounds, self._grpc)  # type: ignore[no-untyped-call]
        operations_pb2_grpc.add_OperationsServicer_to_server(Operations(planner), self._grpc)  # type: ignore[no-untyped-call]
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        added, faults = add_services(planner.context, self._grpc)
        for fault in faults:
            LOG.warning("service left out: %s", fault)
        names = (SERVICE, OPERATIONS, *added, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._grpc)
        self.set_serving(serving=False)
        try:
            self.port: int = self._grpc.add_insecure_port(address)
        except RuntimeError as error:
            raise AddressError(f"cannot listen on {address}: {error}") from None

    def start(self) -> None:
        """Answer; the health service says so only after `set_serving`."""
        self._grpc.start()

    def set_serving(self, *, serving: bool) -> None:
        """Say whether rounds are answered in time."""
        status = health_pb2.HealthCheckResponse
        for name in ("", SERVICE):
            self._health.set(name, status.SERVING if serving else status.NOT_SERVING)

    def stop(self, grace: float) -> None:
        """Take no more requests; those under way have `grace` seconds."""
        self._health.enter_graceful_shutdown()
        self._grpc.stop(grace).wait()
        self._rounds.shutdown(wait=False)


def _require_free(address: str) -> None:
    """Try the address first: gRPC reports a taken one in its own log, and not why."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_server((host.strip("[]"), int(port))).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise AddressError(f"cannot listen on {address}: {reason}") from None


def _require_complete(request: pb.ScheduleRequest) -> None:
    if request.contract_version == 0:
        raise MalformedError(f"contract_version is 0; it must be {CONTRACT_VERSION}")
    if not request.nimbus_id:
        raise MalformedError("nimbus_id is empty; it must be given")
    if not request.state_digest:
        raise MalformedError("state_digest is empty; it must be given")


def _untouched_as_newer(request: pb.ScheduleRequest, reply: pb.ScheduleReply) -> pb.ScheduleReply:
    """Keep what runs and decline the rest: a newer contract may mean what is not understood."""
    reason = (
        f"the sidecar speaks contract {CONTRACT_VERSION}, Nimbus speaks "
        f"{request.contract_version}: update the sidecar"
    )
    reply.needs_state = not request.HasField("state")
    for topology in request.state.topologies:
        decision = reply.decisions.add(
            topology_id=topology.topology_id, base=topology.assignment_digest, status=reason
        )
        if topology.workers and not topology.needs_scheduling:
            decision.keep.SetInParent()
        else:
            decision.decline.reason = reason
    return reply
