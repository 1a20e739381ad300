"""The rate that a provision sustains, and what ends it first: (1) to (5) of paper 003 in ρ.

Every left side is a + ρ · b: downloads (a) do not depend on the throughput, work and flows (b) are
in proportion to it (section 2.3). So each constraint allows ρ ≤ (limit − a) / b.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from eyewall_sidecar.model.violations import exceeds
from eyewall_sidecar.provisioning.loads import Loads, loads
from eyewall_sidecar.provisioning.problem import ProvisioningProblem
from eyewall_sidecar.provisioning.provision import Provision


@dataclass(frozen=True, slots=True)
class Limit:
    """One constraint of a provision.

    Parameters
    ----------
    name
        What is limited, for a person.
    load
        What is taken of it at the problem's throughput.
    fixed
        What of the load does not grow with the throughput.
    capacity
        What is there, in the unit of the load.
    """

    name: str
    load: float
    fixed: float
    capacity: float

    def load_at(self, factor: float) -> float:
        """Return the load if the throughput were so many times what it is."""
        return self.fixed + factor * (self.load - self.fixed)

    def sentence_at(self, factor: float) -> str:
        """Say the load and the capacity if the throughput were so many times what it is."""
        return f"{self.name}: {self.load_at(factor):g} taken, {self.capacity:g} there"

    @property
    def factor(self) -> float:
        """How many times the throughput it allows; 0 if the fixed part is too much already."""
        growing = self.load - self.fixed
        if exceeds(self.fixed, self.capacity):
            return 0.0
        return (self.capacity - self.fixed) / growing if growing > 0 else inf


def limits(problem: ProvisioningProblem, provision: Provision) -> tuple[Limit, ...]:
    """Return every constraint of the provision that has a load, in the order (1) to (5)."""
    return tuple(_limits(problem, provision, loads(problem, provision)))


def sustained(problem: ProvisioningProblem, provision: Provision) -> float:
    """Return the largest throughput ρ, in results/s, that the provision sustains.

    Infinite if nothing that it runs takes anything in proportion; 0 if its downloads alone are
    more than a card, a link or a server carries, or a machine has too little memory.
    """
    factors = [it.factor for it in limits(problem, provision)]
    return problem.throughput * min(factors, default=inf)


def broken_at(
    problem: ProvisioningProblem, provision: Provision, factor: float
) -> tuple[Limit, ...]:
    """Return what would break if the same provision had to run `factor` times the throughput."""
    return tuple(
        it for it in limits(problem, provision) if exceeds(it.load_at(factor), it.capacity)
    )


def _limits(problem: ProvisioningProblem, provision: Provision, taken: Loads) -> Iterator[Limit]:
    types = {it.id: it.type for it in provision.machines}
    servers = {it.id: it for it in problem.servers}
    downloaded = dict.fromkeys(types, 0.0)
    for machine, name in provision.downloads:
        downloaded[machine] += problem.object(name).rate
    memory = dict.fromkeys(types, 0.0)
    for operator in problem.operators:
        memory[provision.placement[operator.id]] += operator.memory
    for machine, load in taken.cpu.items():
        yield Limit(f"machine {machine}: cpu", load, 0.0, types[machine].cpu)
    for machine, load in memory.items():
        yield Limit(f"machine {machine}: memory", load, load, types[machine].memory)
    for machine, load in taken.card.items():
        fixed = downloaded[machine]
        yield Limit(f"machine {machine}: card", load, fixed, types[machine].card)
    for server in problem.servers:
        if load := taken.server.get(server.id, 0.0):
            yield Limit(f"server {server.id}: card", load, load, server.card)
    for (name, machine), load in taken.server_link.items():
        width = servers[name].link_to(types[machine].name)
        yield Limit(f"link {name} → {machine}", load, load, width)
    for (one, other), load in taken.link.items():
        width = problem.link_between(types[one].name, types[other].name)
        yield Limit(f"link between {one} and {other}", load, 0.0, width)
