"""Answers people: what is gone by, why, what a plan would do (operations.proto)."""

from eyewall_proto import operations_pb2 as pb
from eyewall_proto import operations_pb2_grpc as pb_grpc

from eyewall_sidecar.service import SchedulingService

OPERATIONS: str = pb.DESCRIPTOR.services_by_name["Operations"].full_name


class Operations(pb_grpc.OperationsServicer):
    """Reads what the last round left; no round waits for it."""

    def __init__(self, service: SchedulingService) -> None:
        """Tell of `service`."""
        self._service = service
