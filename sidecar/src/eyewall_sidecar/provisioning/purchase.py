"""From groups of blobs and machine types to a provision with machines that have names."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from eyewall_sidecar.provisioning.blobs import Blobs
from eyewall_sidecar.provisioning.machines import Machine
from eyewall_sidecar.provisioning.problem import ProvisioningProblem
from eyewall_sidecar.provisioning.provision import Downloads, Provision
from eyewall_sidecar.provisioning.serving import Wanted


class Group(NamedTuple):
    """Blobs that share a machine.

    Parameters
    ----------
    blobs
        Bit b: blob b is among them.
    type
        Place of the machine's type in the problem.
    """

    blobs: int
    type: int

    def places(self) -> tuple[int, ...]:
        """Places of the blobs."""
        return tuple(b for b in range(self.blobs.bit_length()) if self.blobs >> b & 1)


def machines_of(problem: ProvisioningProblem, groups: Sequence[Group]) -> tuple[Machine, ...]:
    """Name the machines after their types: `small-1`, `small-2`, …"""
    bought: Counter[int] = Counter()
    machines = []
    for group in groups:
        bought[group.type] += 1
        machine_type = problem.types[group.type]
        machines.append(Machine(f"{machine_type.name}-{bought[group.type]}", machine_type))
    return tuple(machines)


def wanted(problem: ProvisioningProblem, blobs: Blobs, groups: Sequence[Group]) -> Wanted:
    """Return what each machine has to download."""
    found = {}
    for machine, group in zip(machines_of(problem, groups), groups, strict=True):
        used = blobs.uses[list(group.places())].any(axis=0)
        names = frozenset(it.id for it, use in zip(problem.objects, used, strict=True) if use)
        found[machine.id] = (machine.type.name, names)
    return found


def provision_of(
    problem: ProvisioningProblem, blobs: Blobs, groups: Sequence[Group], downloads: Downloads
) -> Provision:
    """Return the provision of these groups."""
    machines = machines_of(problem, groups)
    placement = {
        operator: machine.id
        for machine, group in zip(machines, groups, strict=True)
        for place in group.places()
        for operator in blobs.members[place]
    }
    return Provision(machines, placement, downloads)
