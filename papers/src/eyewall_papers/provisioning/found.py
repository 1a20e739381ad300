"""What a method of provisioning answers."""

from typing import NamedTuple

from eyewall_sidecar.model import Solution

from eyewall_papers.provisioning.provision import Provision


class Found(NamedTuple):
    """The answer to a provisioning problem.

    Parameters
    ----------
    solution
        The value of its evaluation, and its bound, are prices.
    provision
        None if nothing was found.
    """

    solution: Solution
    provision: Provision | None = None
