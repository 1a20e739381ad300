"""Operators that every valid provision keeps together, and the problem over them as arrays.

Two groups of operators on different machines send what flows between them over the link between
the machines and over both cards, and each machine downloads what its group uses. Where no link,
or no card of a type that may run the group, can carry that, both groups are on one machine:
constraints (2) and (5) of paper 003, section 2.3. Joined groups exchange more, so joining is
repeated until nothing changes. Large objects make large flows and leave few groups.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.model.violations import TOLERANCE
from numpy.typing import NDArray

from eyewall_papers.provisioning.groups import Bits, places_in
from eyewall_papers.provisioning.problem import Machine, ProvisioningProblem, machine_name
from eyewall_papers.provisioning.provision import Downloads, Provision
from eyewall_papers.provisioning.server_choice import WantedDownloads

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Blobs:
    """The problem over groups that stay together; limits include the tolerance of `exceeds`.

    Parameters
    ----------
    members
        [blob]: ids of its operators, in the problem's order.
    work, memory
        [blob]: ρ · Σ w_i, in what types' `cpu` counts, and bytes.
    flows
        [blob, blob]: bytes/s between two, both directions; symmetric, 0 on the diagonal.
    uses
        [blob, object]: whether it needs the object.
    rates
        [object]: bytes/s.
    allowed
        [blob, type]: whether all its operators may run there.
    cpu, card, memory_of, price
        [type]: what it has, and costs.
    link
        The widest link between two machines, bytes/s.
    """

    members: tuple[tuple[str, ...], ...]
    work: Floats
    memory: Floats
    flows: Matrix
    uses: Flags
    rates: Floats
    allowed: Flags
    cpu: Floats
    card: Floats
    memory_of: Floats
    price: Floats
    link: float

    def __len__(self) -> int:
        return len(self.members)


def blobs(problem: ProvisioningProblem) -> Blobs:
    """Join all operators that cannot be apart; order by work, the least first."""
    one_each = _operators(problem)
    groups = _groups(one_each)
    joined = _join(one_each, groups)
    order = sorted(range(len(groups)), key=lambda it: (joined.work[it], -it))
    return _join(one_each, [groups[it] for it in order])


def add_tolerance(limits: Iterable[float]) -> Floats:
    """Return the greatest loads that `exceeds` lets pass."""
    array = np.array(list(limits), dtype=np.float64)
    return array + TOLERANCE * np.maximum(1.0, array)


def _operators(problem: ProvisioningProblem) -> Blobs:
    demands, types = problem.demands, problem.types
    number = {it.id: place for place, it in enumerate(demands)}
    flows = _flows(problem, number)
    links = [problem.link_between(one.name, other.name) for one in types for other in types]
    return Blobs(
        members=tuple((it.id,) for it in demands),
        work=np.array([it.cpu for it in demands]),
        memory=np.array([it.memory for it in demands]),
        flows=flows,
        uses=np.array(
            [
                [it.id in problem.needed(operator.id) for it in problem.objects]
                for operator in demands
            ],
            dtype=np.bool_,
        ).reshape(len(demands), len(problem.objects)),
        rates=np.array([it.rate for it in problem.objects], dtype=np.float64),
        allowed=np.array(
            [[it.candidates is None or t.name in it.candidates for t in types] for it in demands]
        ),
        cpu=add_tolerance(it.cpu for it in types),
        card=add_tolerance(it.card for it in types),
        memory_of=add_tolerance(it.memory for it in types),
        price=np.array([it.price for it in types], dtype=np.float64),
        link=float(add_tolerance([max(links)])[0]),
    )


def _flows(problem: ProvisioningProblem, number: dict[str, int]) -> Matrix:
    flows = np.zeros((len(number), len(number)))
    for stream in problem.streams:
        i, j = number[stream.source], number[stream.target]
        if i != j:
            carried = problem.carried(stream)
            flows[i, j] += carried
            flows[j, i] += carried
    return flows


def _groups(apart: Blobs) -> list[list[int]]:
    """Join until every two groups could be on different machines."""
    groups = [[place] for place in range(len(apart))]
    while True:
        kept = _find_inseparable(_join(apart, groups))
        if not kept.any():
            return groups
        linked: list[list[int]] = []
        left = np.ones(len(groups), dtype=np.bool_)
        for first in range(len(groups)):
            if left[first]:
                linked.append(_reach(kept, first))
                left[linked[-1]] = False
        groups = [sorted(place for it in found for place in groups[it]) for found in linked]


def _reach(kept: Flags, first: int) -> list[int]:
    """Return the groups connected to the first, itself included."""
    reached = np.zeros(len(kept), dtype=np.bool_)
    border = reached.copy()
    border[first] = True
    while border.any():
        reached |= border
        border = kept[border].any(axis=0) & ~reached
    return [int(it) for it in np.flatnonzero(reached)]


def _find_inseparable(now: Blobs) -> Flags:
    """Return [blob, blob]: whether no link or card carries what flows between them."""
    own = now.uses.astype(np.float64) @ now.rates
    widest = np.where(now.allowed, now.card, 0.0).max(axis=1)
    carried = np.minimum(np.maximum(widest - own, 0.0), now.link)
    most = np.minimum(carried[:, None], carried[None, :])
    kept: Flags = now.flows > most
    return kept


def _join(apart: Blobs, groups: list[list[int]]) -> Blobs:
    order = np.concatenate(groups)
    starts = np.concatenate([[0], np.cumsum([len(it) for it in groups])[:-1]])
    flows = apart.flows[np.ix_(order, order)]
    for axis in (0, 1):
        flows = np.add.reduceat(flows, starts, axis=axis)
    np.fill_diagonal(flows, 0.0)
    return Blobs(
        members=tuple(tuple(apart.members[it][0] for it in group) for group in groups),
        work=np.add.reduceat(apart.work[order], starts),
        memory=np.add.reduceat(apart.memory[order], starts),
        flows=flows,
        uses=np.array([apart.uses[group].any(axis=0) for group in groups]),
        rates=apart.rates,
        allowed=np.array([apart.allowed[group].all(axis=0) for group in groups]),
        cpu=apart.cpu,
        card=apart.card,
        memory_of=apart.memory_of,
        price=apart.price,
        link=apart.link,
    )


class HostedBlobs(NamedTuple):
    """Blobs that share a machine.

    Parameters
    ----------
    blobs
        Which.
    type
        Place of the machine's type in the problem.
    """

    blobs: Bits
    type: int

    def places(self) -> list[int]:
        """Places of the blobs."""
        return list(places_in(self.blobs))


def wanted(
    problem: ProvisioningProblem, blobs: Blobs, hosted: Sequence[HostedBlobs]
) -> WantedDownloads:
    """Return what each machine has to download."""
    found = {}
    for machine, it in zip(_machines(problem, hosted), hosted, strict=True):
        used = blobs.uses[it.places()].any(axis=0)
        names = frozenset(problem.objects[k].id for k in np.flatnonzero(used).tolist())
        found[machine.id] = (machine.type.name, names)
    return found


def provision_of(
    problem: ProvisioningProblem, blobs: Blobs, hosted: Sequence[HostedBlobs], downloads: Downloads
) -> Provision:
    """Return the provision of these machines."""
    machines = _machines(problem, hosted)
    on = {
        operator: machine.id
        for machine, it in zip(machines, hosted, strict=True)
        for place in it.places()
        for operator in blobs.members[place]
    }
    return Provision(machines, {it.id: on[it.id] for it in problem.operators}, downloads)


def _machines(problem: ProvisioningProblem, hosted: Sequence[HostedBlobs]) -> tuple[Machine, ...]:
    """Number the machines of each type."""
    bought: Counter[int] = Counter()
    machines = []
    for it in hosted:
        bought[it.type] += 1
        machine_type = problem.types[it.type]
        name = machine_name(problem.types, machine_type, bought[it.type])
        machines.append(Machine(name, machine_type))
    return tuple(machines)
