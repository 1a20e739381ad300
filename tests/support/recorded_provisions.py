"""What the dashboard's API answers of catalogues and of what to buy for the recorded cluster."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.provision import (
    CatalogueView,
    CheaperPlatformView,
    ProvisionedMachineView,
    ProvisionView,
    ResourceUseView,
    ShoppingItemView,
)
from recorded_views import WORD_COUNT


def catalogues() -> tuple[CatalogueView, ...]:
    """The two that come with the sidecar."""
    return (
        CatalogueView(name="dell-2008", currency="$", unit="GHz", types=25),
        CatalogueView(name="made-up-cloud", currency="€", unit="cores", types=10),
    )


def _item(type_: str, count: int, price: float) -> ShoppingItemView:
    return ShoppingItemView(type=type_, count=count, price=price, sum=count * price)


def _use(constraint: str, name: str, load: float, limit: float | None) -> ResourceUseView:
    return ResourceUseView(constraint=constraint, name=name, load=load, limit=limit)


def bought() -> ProvisionView:
    """Twice what word_count carries, on three machines of two types: 2 · 120 + 60 = 300."""
    return ProvisionView(
        topology=WORD_COUNT,
        name="word_count",
        catalogue="made-up-cloud",
        currency="€",
        throughput=2.0,
        status="feasible",
        decided_by="integer program",
        seconds=9.8,
        price=300.0,
        bound=288.0,
        gap=0.04,
        shopping_list=(_item("c4", 2, 120.0), _item("c2", 1, 60.0)),
        machines=(
            ProvisionedMachineView(
                id="c4-1", type="c4", operators=("sentences[1-1]", "split[2-2]", "__acker[6-6]")
            ),
            ProvisionedMachineView(id="c4-2", type="c4", operators=("split[3-3]",)),
            ProvisionedMachineView(id="c2-1", type="c2", operators=("count[4-4]", "count[5-5]")),
        ),
        uses=(
            _use("cpu", "c4-1", 3.2, 4.0),
            _use("cpu", "c4-2", 2.0, 4.0),
            _use("cpu", "c2-1", 1.9, 2.0),
            _use("memory", "c2-1", 2.0 * 2**30, 8.0 * 2**30),
            _use("card", "c4-1", 2.4e6, 125e6),
            _use("card", "c4-2", 1.2e6, 125e6),
            _use("card", "c2-1", 0.4e6, None),
            _use("link", "c4-1 – c4-2", 1.2e6, 62.5e6),
        ),
        breaks_at=2.4,
        breaks=(_use("cpu", "c2-1", 2.28, 2.0),),
        sustained=2.1052,
        cheaper=CheaperPlatformView(
            price=240.0, throughput=1.4, shopping_list=(_item("c4", 2, 120.0),)
        ),
        not_needed=(),
        reasons=("the time limit ended the search",),
        assumptions=(
            "rates of 2 of 2 streams measured 6 s ago, each within 2 % (95 %)",
            "CPU is what each component declares; it was not measured",
        ),
    )


def kept_on() -> ProvisionView:
    """Two supervisors suffice, one of which other topologies keep on in any case."""
    return bought().model_copy(
        update={
            "catalogue": "",
            "currency": "",
            "throughput": 1.0,
            "status": "optimal",
            "price": 1.0,
            "bound": 1.0,
            "gap": 0.0,
            "shopping_list": (_item("fog-1", 1, 1.0), _item("cloud-1", 1, 0.0)),
            "machines": (
                ProvisionedMachineView(
                    id="fog-1", type="fog-1", operators=("sentences[1-1]", "split[2-2]")
                ),
                ProvisionedMachineView(
                    id="cloud-1", type="cloud-1", operators=("count[4-4]", "count[5-5]")
                ),
            ),
            "uses": (_use("cpu", "fog-1", 1.6, 4.0), _use("cpu", "cloud-1", 1.9, 8.0)),
            "breaks_at": 1.2,
            "breaks": (),
            "cheaper": None,
            "not_needed": ("edge-1", "edge-2", "fog-2"),
        }
    )


def not_to_be_had() -> ProvisionView:
    """No machine of the catalogue runs split at that rate."""
    return bought().model_copy(
        update={
            "status": "infeasible",
            "price": None,
            "bound": None,
            "gap": None,
            "shopping_list": (),
            "machines": (),
            "uses": (),
            "breaks": (),
            "sustained": None,
            "cheaper": None,
            "reasons": (
                "operator split[2-2] takes 40 cores; the largest machine type, c16, has 16",
            ),
        }
    )
