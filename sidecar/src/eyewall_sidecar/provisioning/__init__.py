"""What to buy: the cheapest machines on which a topology sustains a rate (paper 003)."""

from eyewall_sidecar.provisioning.data import BasicObject, DataServer
from eyewall_sidecar.provisioning.machines import Machine, MachineType
from eyewall_sidecar.provisioning.problem import ProvisioningProblem
from eyewall_sidecar.provisioning.provision import Downloads, Provision
from eyewall_sidecar.provisioning.violations import violations

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
