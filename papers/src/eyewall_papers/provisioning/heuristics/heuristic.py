"""What makes a whole heuristic of paper 003: a placement, a server selection, the downgrade."""

from collections.abc import Callable
from dataclasses import dataclass

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Instance
from eyewall_papers.provisioning.heuristics.downgrade import downgrade
from eyewall_papers.provisioning.heuristics.failure import Failure
from eyewall_papers.provisioning.heuristics.server_selection import Sources
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.purchases import Purchases

Placing = Callable[[Instance, Generator], Purchases | Failure]
Selecting = Callable[[Purchases, Generator], Sources | Failure]


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

    def __call__(self, problem: ProvisioningProblem, rng: Generator) -> Provision | Failure:
        """Return a provision that breaks no constraint, or which step failed."""
        placed = self.place(Instance.of(problem), rng)
        return placed if isinstance(placed, Failure) else self.complete(placed, rng)

    def complete(self, placed: Purchases, rng: Generator) -> Provision | Failure:
        """Select servers for what is placed, and downgrade it."""
        sources = self.select(placed, rng)
        if isinstance(sources, Failure):
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
