"""How full everything is that a provision uses, by constraint: what a buyer looks at first."""

from dataclasses import dataclass
from math import inf

from eyewall_sidecar.provisioning.loads import loads
from eyewall_sidecar.provisioning.problem import ProvisioningProblem
from eyewall_sidecar.provisioning.provision import Provision


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that is used.

    Parameters
    ----------
    constraint
        Its number in paper 003, section 2.3: 1 to 5.
    name
        Machine, server or link.
    load
        What is taken: cores (or what the catalogue counts) of a CPU, else bytes/s.
    limit
        What is there, possibly infinite.
    """

    constraint: int
    name: str
    load: float
    limit: float

    @property
    def share(self) -> float | None:
        """The part that is taken; None where there is no limit."""
        if self.limit == inf:
            return None
        return self.load / self.limit if self.limit else inf * self.load if self.load else 0.0


def utilisation(problem: ProvisioningProblem, provision: Provision) -> tuple[Use, ...]:
    """List every CPU and card, and the links and servers that carry something."""
    taken = loads(problem, provision)
    types = {it.id: it.type for it in provision.machines}
    servers = {it.id: it for it in problem.servers}
    return (
        *(Use(1, it, taken.cpu.get(it, 0.0), types[it].cpu) for it in types),
        *(Use(2, it, taken.card.get(it, 0.0), types[it].card) for it in types),
        *(Use(3, it, load, servers[it].card) for it, load in taken.server.items()),
        *(
            Use(4, f"{server} → {it}", load, servers[server].link_to(types[it].name))
            for (server, it), load in taken.server_link.items()
        ),
        *(
            Use(
                5,
                f"{one} – {other}",
                load,
                problem.link_between(types[one].name, types[other].name),
            )
            for (one, other), load in taken.link.items()
        ),
    )
