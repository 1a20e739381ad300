"""The next cheaper platform, and the rate that it sustains."""

from collections.abc import Callable

from eyewall_papers.provisioning.answer import Cheaper
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.utilisation import sustained

Method = Callable[[ProvisioningProblem], Provision | None]
"""Finds a valid provision for a problem, or none."""

ACCURACY = 1e-3
"""Rates are searched for to this fraction of the problem's."""


def next_cheaper(
    problem: ProvisioningProblem, provision: Provision, method: Method
) -> Cheaper | None:
    """Bisect for the largest rate for which `method` finds a platform that costs less.

    What a method finds for a rate often sustains more: the search goes on from there. None if no
    cheaper platform was found for a thousandth of the rate. With an exact method the answer's rate
    is the largest there is, to `ACCURACY`.
    """
    low, high = 0.0, problem.throughput
    best: Cheaper | None = None
    while high - low > ACCURACY * problem.throughput:
        rate = (low + high) / 2
        found = method(problem.at(rate))
        if found is not None and found.price < provision.price:
            best = Cheaper(found.machines, sustained(problem, found))
            low = max(rate, min(best.throughput, high))
        else:
            high = rate
    return best
