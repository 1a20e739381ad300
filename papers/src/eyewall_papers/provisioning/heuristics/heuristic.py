"""A heuristic of paper 003: placement (6.1), selection of servers (6.2), cheaper machines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eyewall_sidecar.model.violations import exceeds
from numpy.random import Generator

from eyewall_papers.provisioning.groups import ProvisioningArrays
from eyewall_papers.provisioning.heuristics.server_selection import Sources
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.purchases import HeuristicFailure, Purchases


def downgrade(purchases: Purchases, sources: Sources) -> None:
    """Exchange each machine, in the order they were bought, for the cheapest that holds its load.

    CPU, memory, card, and the links to other machines and from servers, which may depend on
    the type.
    """
    downloaded: dict[int, dict[int, float]] = {number: {} for number in purchases.owned}
    for (number, key), server in sources.items():
        rate = purchases.instance.rates[key]
        downloaded[number][server] = downloaded[number].get(server, 0.0) + rate
    for number, has in list(purchases.owned.items()):
        for machine_type in range(has.type):
            if (
                purchases.in_stock(machine_type)
                and purchases.fits(machine_type, has.group, (number,))
                and _links_carry(purchases, machine_type, downloaded[number])
            ):
                purchases.retype(number, machine_type)
                break


def _links_carry(purchases: Purchases, machine_type: int, downloaded: Mapping[int, float]) -> bool:
    instance = purchases.instance
    name = instance.types[machine_type].name
    return not any(
        exceeds(rate, instance.problem.servers[server].link_to(name))
        for server, rate in downloaded.items()
    )


Placing = Callable[[ProvisioningArrays, Generator], Purchases | HeuristicFailure]
Selecting = Callable[[Purchases, Generator], Sources | HeuristicFailure]


@dataclass(frozen=True, slots=True)
class Heuristic:
    """One of the seven, called with a problem.

    Parameters
    ----------
    place
        Section 6.1: buys machines and puts the operators on them.
    select
        Section 6.2: says from which server each machine downloads.
    """

    place: Placing
    select: Selecting

    def __call__(
        self, problem: ProvisioningProblem, rng: Generator
    ) -> Provision | HeuristicFailure:
        """Return a provision that breaks no constraint, or which step failed."""
        placed = self.place(ProvisioningArrays.of(problem), rng)
        return placed if isinstance(placed, HeuristicFailure) else self.complete(placed, rng)

    def complete(self, placed: Purchases, rng: Generator) -> Provision | HeuristicFailure:
        """Select servers for the placement, and downgrade its machines."""
        sources = self.select(placed, rng)
        if isinstance(sources, HeuristicFailure):
            return sources
        downgrade(placed, sources)
        names = placed.names()
        objects, servers = placed.instance.problem.objects, placed.instance.problem.servers
        return placed.provision(
            {
                (names[machine], objects[key].id): servers[server].id
                for (machine, key), server in sources.items()
            }
        )
