"""The gRPC service Provisioning (provisioning.proto), inside the sidecar's server."""

from collections.abc import Iterable
from math import isfinite

import grpc
from eyewall_contracts.proto import provisioning_pb2 as pb
from eyewall_contracts.proto import provisioning_pb2_grpc as pb_grpc
from eyewall_sidecar.rpc.error_status import answering
from eyewall_sidecar.service.planner import ServiceContext

from eyewall_papers.provisioning import Machine
from eyewall_papers.provisioning.answer import MORE, CheaperPlatform, shopping_list
from eyewall_papers.provisioning.answer_file import CONSTRAINTS
from eyewall_papers.provisioning.catalogue import list_shipped, read_shipped
from eyewall_papers.provisioning.service import Platform, PlatformRequest, PlatformSearch
from eyewall_papers.provisioning.utilisation import Utilisation


def wanted(request: pb.ProvisionRequest) -> PlatformRequest:
    """Decode a request."""
    return PlatformRequest(
        topology=request.topology,
        catalogue=request.catalogue,
        throughput=request.throughput or 1.0,
        tuple_bytes=request.tuple_bytes if request.HasField("tuple_bytes") else None,
        method=request.method,
        time_limit=request.time_limit,
        seed=request.seed if request.HasField("seed") else None,
    )


def platform(it: Platform) -> pb.ProvisionAnswer:
    """Encode the answer, without unknown or unlimited values."""
    solution, provision = it.answer.solution, it.answer.provision
    message = pb.ProvisionAnswer(
        topology_id=it.topology.topology.id,
        topology=it.topology.topology.name,
        catalogue=it.catalogue,
        currency=it.currency,
        throughput=it.throughput,
        status=str(solution.status),
        decided_by=solution.decided_by,
        seconds=solution.seconds,
        bound=solution.bound,
        gap=solution.gap,
        uses=[_use(use) for use in it.answer.uses],
        breaks_at=MORE * it.throughput,
        breaks=[_use(use) for use in it.answer.breaks],
        sustained=_finite(it.answer.sustained),
        not_needed=it.not_needed,
        reasons=solution.reasons,
        assumptions=it.assumptions,
    )
    if provision is not None:
        message.price = provision.price
        message.shopping_list.extend(_items(provision.machines))
        for machine in provision.machines:
            runs = [name for name, there in provision.placement.items() if there == machine.id]
            message.machines.add(id=machine.id, type=machine.type.name, operators=runs)
    if it.answer.cheaper is not None:
        message.cheaper.CopyFrom(_cheaper(it.answer.cheaper))
    return message


def catalogues() -> pb.Catalogues:
    """Encode the shipped catalogues."""
    found = {name: read_shipped(name) for name in list_shipped()}
    return pb.Catalogues(
        catalogues=[
            pb.Catalogue(name=name, currency=it.currency, unit=it.unit, types=len(it.types))
            for name, it in found.items()
        ]
    )


def _items(machines: tuple[Machine, ...]) -> Iterable[pb.ShoppingItem]:
    return [
        pb.ShoppingItem(type=it.type.name, count=it.count, price=it.type.price)
        for it in shopping_list(machines)
    ]


def _use(it: Utilisation) -> pb.ResourceUse:
    return pb.ResourceUse(
        constraint=CONSTRAINTS[it.constraint],
        name=it.name,
        load=it.load,
        limit=_finite(it.limit),
    )


def _cheaper(it: CheaperPlatform) -> pb.CheaperPlatform:
    return pb.CheaperPlatform(
        price=it.price, throughput=it.throughput, shopping_list=_items(it.machines)
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


SERVICE: str = pb.DESCRIPTOR.services_by_name["Provisioning"].full_name


class ProvisioningEndpoint(pb_grpc.ProvisioningServicer):
    """Answers what to buy; each answer waits for its solve."""

    def __init__(self, buying: PlatformSearch) -> None:
        """Answer with what `buying` finds."""
        self._buying = buying

    def ListCatalogues(  # noqa: N802 - the name is the contract's
        self, _request: pb.ListCataloguesRequest, _context: grpc.ServicerContext
    ) -> pb.Catalogues:
        """Return the catalogues that are shipped."""
        return catalogues()

    def Provision(  # noqa: N802 - the name is the contract's
        self, request: pb.ProvisionRequest, context: grpc.ServicerContext
    ) -> pb.ProvisionAnswer:
        """Return the cheapest platform."""
        with answering(context):
            return platform(self._buying.find(wanted(request), context.is_active))


def add_provisioning(context: ServiceContext, server: grpc.Server) -> str:
    """Add the service to a sidecar's server; return its full name."""
    servicer = ProvisioningEndpoint(PlatformSearch(context))
    pb_grpc.add_ProvisioningServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
    return SERVICE
