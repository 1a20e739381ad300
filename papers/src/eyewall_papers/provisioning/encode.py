"""From platforms to the contract's messages, and from requests to what is wanted."""

from collections.abc import Iterable
from math import isfinite

from eyewall_contracts.proto import provisioning_pb2 as pb

from eyewall_papers.provisioning import Machine
from eyewall_papers.provisioning.answer import MORE, Cheaper, shopping_list
from eyewall_papers.provisioning.answer_file import CONSTRAINTS
from eyewall_papers.provisioning.catalogue import read_shipped, shipped
from eyewall_papers.provisioning.service import Platform, WantedPlatform
from eyewall_papers.provisioning.utilisation import Use


def wanted(request: pb.ProvisionRequest) -> WantedPlatform:
    """Decode what somebody asks for."""
    return WantedPlatform(
        topology=request.topology,
        catalogue=request.catalogue,
        throughput=request.throughput or 1.0,
        tuple_bytes=request.tuple_bytes if request.HasField("tuple_bytes") else None,
        method=request.method,
        time_limit=request.time_limit,
        seed=request.seed if request.HasField("seed") else None,
    )


def platform(it: Platform) -> pb.ProvisionAnswer:
    """Encode what was found; what is unknown or without limit is left out."""
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
    """Encode what can be bought from without a catalogue of one's own."""
    found = {name: read_shipped(name) for name in shipped()}
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


def _use(it: Use) -> pb.ResourceUse:
    return pb.ResourceUse(
        constraint=CONSTRAINTS[it.constraint],
        name=it.name,
        load=it.load,
        limit=_finite(it.limit),
    )


def _cheaper(it: Cheaper) -> pb.CheaperPlatform:
    return pb.CheaperPlatform(
        price=it.price, throughput=it.throughput, shopping_list=_items(it.machines)
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
