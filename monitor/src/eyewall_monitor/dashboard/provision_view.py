"""What to buy, and the catalogues that it can be bought from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.dashboard.views.provision import (
    CatalogueView,
    CheaperPlatformView,
    ProvisionedMachineView,
    ProvisionView,
    ResourceUseView,
    ShoppingItemView,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.proto import provisioning_pb2 as pb


def provision_view(answer: pb.ProvisionAnswer) -> ProvisionView:
    """Show what to buy."""
    return ProvisionView(
        topology=answer.topology_id,
        name=answer.topology,
        catalogue=answer.catalogue,
        currency=answer.currency,
        throughput=answer.throughput,
        status=answer.status,
        decided_by=answer.decided_by,
        seconds=answer.seconds,
        price=answer.price if answer.HasField("price") else None,
        bound=answer.bound if answer.HasField("bound") else None,
        gap=answer.gap if answer.HasField("gap") else None,
        shopping_list=_items(answer.shopping_list),
        machines=tuple(
            ProvisionedMachineView(id=it.id, type=it.type, operators=tuple(it.operators))
            for it in answer.machines
        ),
        uses=_uses(answer.uses),
        breaks_at=answer.breaks_at,
        breaks=_uses(answer.breaks),
        sustained=answer.sustained if answer.HasField("sustained") else None,
        cheaper=_cheaper(answer.cheaper) if answer.HasField("cheaper") else None,
        not_needed=tuple(answer.not_needed),
        reasons=tuple(answer.reasons),
        assumptions=tuple(answer.assumptions),
    )


def catalogue_view(catalogue: pb.Catalogue) -> CatalogueView:
    """Show a catalogue as one of a list."""
    return CatalogueView(
        name=catalogue.name,
        currency=catalogue.currency,
        unit=catalogue.unit,
        types=catalogue.types,
    )


def _items(items: Iterable[pb.ShoppingItem]) -> tuple[ShoppingItemView, ...]:
    return tuple(
        ShoppingItemView(type=it.type, count=it.count, price=it.price, sum=it.count * it.price)
        for it in items
    )


def _uses(uses: Iterable[pb.ResourceUse]) -> tuple[ResourceUseView, ...]:
    return tuple(
        ResourceUseView(
            constraint=it.constraint,
            name=it.name,
            load=it.load,
            limit=it.limit if it.HasField("limit") else None,
        )
        for it in uses
    )


def _cheaper(cheaper: pb.CheaperPlatform) -> CheaperPlatformView:
    return CheaperPlatformView(
        price=cheaper.price,
        throughput=cheaper.throughput,
        shopping_list=_items(cheaper.shopping_list),
    )
