"""Ways to place operators: one policy a file, one way to call them all."""

from eyewall_sidecar.policies.catalogue import (
    PolicyError,
    load_policy,
    policy_catalogue,
    policy_faults,
)
from eyewall_sidecar.policies.entry import Policy, PolicyEntry

__all__ = [
    "Policy",
    "PolicyEntry",
    "PolicyError",
    "load_policy",
    "policy_catalogue",
    "policy_faults",
]
