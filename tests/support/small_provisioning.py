"""Provisioning problems small enough to be worked out by hand."""

from math import inf

from eyewall_papers.provisioning import (
    BasicObject,
    DataServer,
    Machine,
    MachineType,
    Provision,
    ProvisioningProblem,
)
from eyewall_sidecar.model import Operator, Stream

SMALL = MachineType("small", cpu=4, card=10, price=10)
LARGE = MachineType("large", cpu=8, card=20, price=16)


def pair(
    *,
    works: tuple[float, float] = (3, 3),
    flow: float = 2,
    rate: float = 5,
    types: tuple[MachineType, ...] = (SMALL, LARGE),
    servers: tuple[DataServer, ...] = (DataServer("s", ("k",)),),
    link: float = inf,
    links: dict[tuple[str, str], float] | None = None,
    throughput: float = 1,
) -> ProvisioningProblem:
    """Operators a and b; a uses object k and sends to b: `works` in cores, the rest in bytes/s."""
    return ProvisioningProblem(
        operators=(Operator("a", cpu=works[0]), Operator("b", cpu=works[1])),
        streams=(Stream("a", "b", rate=1, tuple_bytes=flow),),
        types=types,
        needs={"a": ("k",)},
        objects=(BasicObject("k", size=rate),),
        servers=servers,
        link=link,
        links=links or {},
        throughput=throughput,
    )


def apart(of_a: MachineType = SMALL, of_b: MachineType = SMALL) -> Provision:
    """Return the provision with a on machine u and b on machine v, k from server s."""
    return Provision(
        (Machine("u", of_a), Machine("v", of_b)), {"a": "u", "b": "v"}, {("u", "k"): "s"}
    )


def together(on: MachineType = LARGE) -> Provision:
    """Return the provision with both on machine u, k from server s."""
    return Provision((Machine("u", on),), {"a": "u", "b": "u"}, {("u", "k"): "s"})
