"""What to buy: the cheapest machines on which a topology sustains a rate (paper 003)."""

from eyewall_papers.provisioning.problem import (
    BasicObject,
    DataServer,
    Machine,
    MachineType,
    ProvisioningProblem,
)
from eyewall_papers.provisioning.provision import Downloads, Provision
from eyewall_papers.provisioning.violations import violations

__all__ = [
    "BasicObject",
    "DataServer",
    "Downloads",
    "Machine",
    "MachineType",
    "Provision",
    "ProvisioningProblem",
    "violations",
]
