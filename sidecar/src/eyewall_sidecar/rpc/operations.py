"""Answers people: what is gone by, why, what a plan would do (operations.proto)."""

import threading

import grpc
from eyewall_proto import operations_pb2 as pb
from eyewall_proto import operations_pb2_grpc as pb_grpc

from eyewall_sidecar.policies.catalogue import CATALOGUE
from eyewall_sidecar.rpc import encode_status
from eyewall_sidecar.rpc.encode_status import Statuses
from eyewall_sidecar.service import SchedulingService
from eyewall_sidecar.service.watching import Watching

OPERATIONS: str = pb.DESCRIPTOR.services_by_name["Operations"].full_name


class Operations(pb_grpc.OperationsServicer):
    """Reads what the last round left; no round waits for it."""

    def __init__(self, service: SchedulingService) -> None:
        """Tell of `service`."""
        self._service = service
        self._watching = Watching(service)
        cool_down = service.rules.cool_down_seconds
        self._statuses = Statuses(service.run, service.delay_source, cool_down)
        self._one_look = threading.Lock()

    def GetStatus(  # noqa: N802 - the name is the contract's
        self, request: pb.StatusRequest, _context: grpc.ServicerContext
    ) -> pb.Status:
        """Return what is gone by, or that it is what the caller knows."""
        with self._one_look:
            rules = encode_status.rules(self._service.rules)
            view = self._watching.view(rules.SerializeToString(deterministic=True))
            if view.revision == request.known_revision:
                return self._statuses.unchanged(view, self._service.now())
            status = self._statuses.whole(view, self._service.now())
            status.rules.CopyFrom(rules)
            return status

    def ListPolicies(  # noqa: N802 - the name is the contract's
        self, _request: pb.ListPoliciesRequest, _context: grpc.ServicerContext
    ) -> pb.Policies:
        """Return what each policy is."""
        return pb.Policies(
            policies=[
                pb.Policy(
                    name=name,
                    title=it.title,
                    source=it.source,
                    method=it.method,
                    optimises=[str(term) for term in it.optimises],
                    mixes=it.mixes,
                    ecker=it.ecker,
                    take_it=it.take_it,
                )
                for name, it in CATALOGUE.items()
            ]
        )
