"""The page Provision: catalogues, requests, and the platform that was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict, Field

from eyewall_monitor.dashboard.views.base import Text, View
from eyewall_monitor.dashboard.views.plan import Seconds, Seed

if TYPE_CHECKING:
    from eyewall_contracts.proto import provisioning_pb2 as pb


class CatalogueView(View):
    """A catalogue of machine types."""

    name: str
    currency: str
    unit: str
    """Of CPU; topologies' is cores."""
    types: int


class ProvisionRequest(View):
    """The platform to look for; empty fields are the sidecar's own."""

    model_config = ConfigDict(strict=True)

    catalogue: Text = ""
    """Name of a shipped one, or the TOML text of another; empty: the present supervisors."""
    throughput: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """In multiples of the topology's present throughput."""
    tuple_bytes: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    method: Text = ""
    time_limit: Seconds | None = None
    seed: Seed | None = None


class ShoppingItemView(View):
    """Machines of one type."""

    type: str
    count: int
    price: float
    """Of one."""
    sum: float


class ProvisionedMachineView(View):
    """One machine, and the operators that it would run."""

    id: str
    type: str
    operators: tuple[str, ...]


class ResourceUseView(View):
    """The load of a CPU, a memory, a card or a link, in cores, bytes or bytes/s."""

    constraint: str
    """cpu, memory, card, server, server link or link."""
    name: str
    load: float
    limit: float | None
    """None: unlimited."""


class CheaperPlatformView(View):
    """The next cheaper platform, and the throughput that it sustains."""

    price: float
    throughput: float
    shopping_list: tuple[ShoppingItemView, ...]


class ProvisionView(View):
    """The cheapest platform that was found for a topology's throughput."""

    topology: str
    name: str
    catalogue: str
    currency: str
    throughput: float
    status: str
    decided_by: str
    seconds: float
    price: float | None
    bound: float | None
    gap: float | None
    shopping_list: tuple[ShoppingItemView, ...]
    machines: tuple[ProvisionedMachineView, ...]
    uses: tuple[ResourceUseView, ...]
    breaks_at: float
    breaks: tuple[ResourceUseView, ...]
    sustained: float | None
    cheaper: CheaperPlatformView | None
    not_needed: tuple[str, ...]
    """Supervisors that could be switched off as far as this topology is concerned."""
    reasons: tuple[str, ...]
    assumptions: tuple[str, ...]


def provision_view(answer: pb.ProvisionAnswer) -> ProvisionView:
    """Return the platform that was found."""
    cheaper = None
    if answer.HasField("cheaper"):
        items = _shopping_list(answer.cheaper)
        cheaper = CheaperPlatformView.of(answer.cheaper, shopping_list=items)
    return ProvisionView.of(
        answer,
        topology=answer.topology_id,
        name=answer.topology,
        shopping_list=_shopping_list(answer),
        cheaper=cheaper,
    )


def _shopping_list(
    platform: pb.ProvisionAnswer | pb.CheaperPlatform,
) -> tuple[ShoppingItemView, ...]:
    items = platform.shopping_list
    return tuple(ShoppingItemView.of(it, sum=it.count * it.price) for it in items)
