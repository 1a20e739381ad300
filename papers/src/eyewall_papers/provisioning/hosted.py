"""From blobs that share a machine to a provision whose machines have names."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eyewall_papers.provisioning.blobs import Blobs
from eyewall_papers.provisioning.groups import Bits, places_in
from eyewall_papers.provisioning.machines import Machine, machine_name
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Downloads, Provision
from eyewall_papers.provisioning.serving import Wanted


class Hosted(NamedTuple):
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


def wanted(problem: ProvisioningProblem, blobs: Blobs, hosted: Sequence[Hosted]) -> Wanted:
    """Return what each machine has to download."""
    found = {}
    for machine, it in zip(_machines(problem, hosted), hosted, strict=True):
        used = blobs.uses[it.places()].any(axis=0)
        names = frozenset(problem.objects[k].id for k in np.flatnonzero(used).tolist())
        found[machine.id] = (machine.type.name, names)
    return found


def provision_of(
    problem: ProvisioningProblem, blobs: Blobs, hosted: Sequence[Hosted], downloads: Downloads
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


def _machines(problem: ProvisioningProblem, hosted: Sequence[Hosted]) -> tuple[Machine, ...]:
    """Number the machines of each type."""
    bought: Counter[int] = Counter()
    machines = []
    for it in hosted:
        bought[it.type] += 1
        machine_type = problem.types[it.type]
        name = machine_name(problem.types, machine_type, bought[it.type])
        machines.append(Machine(name, machine_type))
    return tuple(machines)
