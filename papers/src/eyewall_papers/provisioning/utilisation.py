"""Utilisation of machines, cards, links and servers by a provision, and its first overloads.

The left sides of (1) to (5) of paper 003, section 2.3, are a + ρ · b: downloads and memory are a,
work and flows b. Bytes/s, and cores (or what `MachineType.cpu` counts).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Self

from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision


@dataclass(frozen=True, slots=True)
class Loads:
    """The use of one resource.

    Parameters
    ----------
    cpu
        (1), machine id → Σ ρ · w_i.
    card
        (2), machine id → downloads, and what it exchanges with other machines.
    server
        (3), server id → all downloads from it.
    server_link
        (4), (server id, machine id) → downloads over that link.
    link
        (5), two machine ids in alphabetical order → both directions together.
    """

    cpu: Mapping[str, float]
    card: Mapping[str, float]
    server: Mapping[str, float]
    server_link: Mapping[tuple[str, str], float]
    link: Mapping[tuple[str, str], float]


def loads(problem: ProvisioningProblem, provision: Provision) -> Loads:
    """Sum up the loads of a whole provision."""
    cpu: defaultdict[str, float] = defaultdict(float)
    card: defaultdict[str, float] = defaultdict(float)
    server: defaultdict[str, float] = defaultdict(float)
    server_link: defaultdict[tuple[str, str], float] = defaultdict(float)
    link: defaultdict[tuple[str, str], float] = defaultdict(float)
    for operator in problem.demands:
        cpu[provision.placement[operator.id]] += operator.cpu
    for stream in problem.streams:
        ends = provision.placement[stream.source], provision.placement[stream.target]
        one, other = sorted(ends)
        if one != other:
            carried = problem.carried(stream)
            card[one] += carried
            card[other] += carried
            link[one, other] += carried
    for (machine, name), holder in provision.downloads.items():
        rate = problem.object(name).rate
        card[machine] += rate
        server[holder] += rate
        server_link[holder, machine] += rate
    return Loads(cpu, card, server, server_link, link)


CPU, CARD, SERVER, SERVER_LINK, LINK = 1, 2, 3, 4, 5
"""Constraints, by their numbers in the paper."""
MEMORY = 6
"""Of a machine; not in the paper."""


@dataclass(frozen=True, slots=True)
class Utilisation:
    """One thing that is used.

    Parameters
    ----------
    constraint
        Which constraint limits it.
    name
        Machine, server or link.
    load
        What is taken: cores (or what the catalogue counts) of a CPU, bytes of memory, else bytes/s.
    limit
        What is there, possibly infinite.
    fixed
        What of the load does not grow with the throughput.
    """

    constraint: int
    name: str
    load: float
    limit: float
    fixed: float = 0.0

    @property
    def share(self) -> float | None:
        """The share in use; None without a limit."""
        if self.limit == inf:
            return None
        if self.limit == 0:
            return inf if self.load else 0.0
        return self.load / self.limit

    @property
    def broken(self) -> bool:
        """Whether the load exceeds the limit."""
        return exceeds(self.load, self.limit)

    @property
    def factor(self) -> float:
        """The factor on the throughput that it allows; 0 if the fixed part alone is too much."""
        growing = self.load - self.fixed
        if exceeds(self.fixed, self.limit):
            return 0.0
        return max(0.0, self.limit - self.fixed) / growing if growing > 0 else inf

    def at(self, factor: float) -> Self:
        """Return it at so many times the throughput."""
        return replace(self, load=self.fixed + factor * (self.load - self.fixed))


def utilisation(problem: ProvisioningProblem, provision: Provision) -> tuple[Utilisation, ...]:
    """List every machine's CPU, memory and card, and the links and servers in use.

    What has no limit and carries nothing is left out: where the sizes of tuples are not known, it
    would be reported as 0.
    """
    return tuple(it for it in _uses(problem, provision) if it.load or it.limit < inf)


def _uses(problem: ProvisioningProblem, provision: Provision) -> tuple[Utilisation, ...]:
    taken = loads(problem, provision)
    types = {it.id: it.type for it in provision.machines}
    servers = {it.id: it for it in problem.servers}
    downloaded: defaultdict[str, float] = defaultdict(float)
    for machine, name in provision.downloads:
        downloaded[machine] += problem.object(name).rate
    memory: defaultdict[str, float] = defaultdict(float)
    for operator in problem.operators:
        memory[provision.placement[operator.id]] += operator.memory
    return (
        *(Utilisation(CPU, it, taken.cpu.get(it, 0.0), types[it].cpu) for it in types),
        *(Utilisation(MEMORY, it, memory[it], types[it].memory, memory[it]) for it in types),
        *(
            Utilisation(CARD, it, taken.card.get(it, 0.0), types[it].card, downloaded[it])
            for it in types
        ),
        *(
            Utilisation(SERVER, it, load, servers[it].card, load)
            for it, load in taken.server.items()
        ),
        *(
            Utilisation(SERVER_LINK, f"{server} → {it}", load, width, load)
            for (server, it), load in taken.server_link.items()
            for width in (servers[server].link_to(types[it].name),)
        ),
        *(
            Utilisation(LINK, f"{one} – {other}", load, width)
            for (one, other), load in taken.link.items()
            for width in (problem.link_between(types[one].name, types[other].name),)
        ),
    )


def sustained_throughput(problem: ProvisioningProblem, provision: Provision) -> float:
    """Return the largest throughput ρ, in results/s, that the provision sustains.

    Infinite if nothing that it runs takes anything in proportion; 0 if its downloads alone are
    more than a card, a link or a server carries, or a machine has too little memory.
    """
    factors = (it.factor for it in utilisation(problem, provision))
    return problem.throughput * min(factors, default=inf)


def overloads_at(
    problem: ProvisioningProblem, provision: Provision, factor: float
) -> tuple[Utilisation, ...]:
    """Return the overloads at `factor` times the throughput."""
    uses = (it.at(factor) for it in utilisation(problem, provision))
    return tuple(it for it in uses if it.broken)
