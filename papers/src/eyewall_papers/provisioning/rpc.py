"""The gRPC service Provisioning (provisioning.proto), inside the sidecar's server."""

import grpc
from eyewall_contracts.proto import provisioning_pb2 as pb
from eyewall_contracts.proto import provisioning_pb2_grpc as pb_grpc
from eyewall_sidecar.rpc.error_status import answering
from eyewall_sidecar.service.service_context import ServiceContext

from eyewall_papers.provisioning import encode
from eyewall_papers.provisioning.service import Buying

SERVICE: str = pb.DESCRIPTOR.services_by_name["Provisioning"].full_name


class Provisioning(pb_grpc.ProvisioningServicer):
    """Answers what to buy; each answer waits for its solve."""

    def __init__(self, buying: Buying) -> None:
        """Answer with what `buying` finds."""
        self._buying = buying

    def ListCatalogues(  # noqa: N802 - the name is the contract's
        self, _request: pb.ListCataloguesRequest, _context: grpc.ServicerContext
    ) -> pb.Catalogues:
        """Return the catalogues that are shipped."""
        return encode.catalogues()

    def Provision(  # noqa: N802 - the name is the contract's
        self, request: pb.ProvisionRequest, context: grpc.ServicerContext
    ) -> pb.ProvisionAnswer:
        """Return the cheapest platform."""
        with answering(context):
            return encode.platform(self._buying.find(encode.wanted(request), context.is_active))


def add_provisioning(context: ServiceContext, server: grpc.Server) -> str:
    """Add the service to a sidecar's server; return its full name."""
    servicer = Provisioning(Buying(context))
    pb_grpc.add_ProvisioningServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
    return SERVICE
