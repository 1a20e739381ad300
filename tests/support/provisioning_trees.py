"""Provisioning problems of a few operators, written down in one line each."""

from collections.abc import Mapping, Sequence
from math import inf

from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from eyewall_sidecar.model import Operator, Stream

SMALL = MachineType("small", cpu=2, card=10, price=10)
LARGE = MachineType("large", cpu=8, card=40, price=25)


def tree_of(
    work: Mapping[str, float],
    flows: Mapping[tuple[str, str], float],
    needs: Mapping[str, Sequence[str]],
    *,
    rates: Mapping[str, float] | None = None,
    servers: Sequence[DataServer] | None = None,
    types: Sequence[MachineType] = (SMALL, LARGE),
    link: float = inf,
) -> ProvisioningProblem:
    """Return operators with this work, and bytes/s between them.

    Parameters
    ----------
    needs
        Operator → objects.
    rates
        Object → bytes/s; 1 where nothing is given.
    servers
        One that holds everything and has no limits, if none are given.
    """
    objects = list(dict.fromkeys(name for names in needs.values() for name in names))
    rates = rates or {}
    return ProvisioningProblem(
        operators=tuple(Operator(name, cpu=cpu) for name, cpu in work.items()),
        streams=tuple(Stream(i, j, tuple_bytes=carried) for (i, j), carried in flows.items()),
        types=tuple(types),
        needs={name: tuple(names) for name, names in needs.items()},
        objects=tuple(BasicObject(name, rates.get(name, 1.0)) for name in objects),
        servers=(DataServer("s", tuple(objects)),) if servers is None else tuple(servers),
        link=link,
    )
