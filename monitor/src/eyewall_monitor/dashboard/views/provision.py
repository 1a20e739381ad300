"""The page What to buy: catalogues, what to look for, and the platform that was found."""

from __future__ import annotations

from pydantic import ConfigDict

from eyewall_monitor.dashboard.views.view import View


class CatalogueView(View):
    """Machine types that can be had."""

    name: str
    currency: str
    unit: str
    """What it counts CPU in; topologies' is in cores."""
    types: int


class ProvisionRequest(View):
    """Which platform to look for; what is left out is the sidecar's own."""

    model_config = ConfigDict(strict=True)

    catalogue: str = ""
    """A shipped one's name, or the TOML text of another; empty: the supervisors that are there."""
    throughput: float = 1.0
    """In multiples of what the topology carries now."""
    tuple_bytes: float | None = None
    method: str = ""
    time_limit: float | None = None
    seed: int | None = None


class ShoppingItemView(View):
    """Machines of one type."""

    type: str
    count: int
    price: float
    sum: float


class ProvisionedMachineView(View):
    """One machine, and what it would run."""

    id: str
    type: str
    operators: tuple[str, ...]


class ResourceUseView(View):
    """How full a CPU, a memory, a card or a link would be; cores, bytes or bytes/s."""

    constraint: str
    """cpu, memory, card, server, server link or link."""
    name: str
    load: float
    limit: float | None
    """None: unlimited."""


class CheaperPlatformView(View):
    """The next cheaper platform, and what it sustains."""

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
    """Supervisors that could be switched off as far as this topology goes."""
    reasons: tuple[str, ...]
    assumptions: tuple[str, ...]
