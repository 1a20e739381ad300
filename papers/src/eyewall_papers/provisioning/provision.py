"""The answer to a provisioning problem: machines, what each runs and downloads, their price."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from eyewall_sidecar.model import Evaluation, LinkMatrix, Placement, PlacementProblem, Solution
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.evaluation import evaluate

from eyewall_papers.provisioning.problem import Machine, ProvisioningProblem

Downloads = Mapping[tuple[str, str], str]
"""(machine id, object id) → server id: download(u) of paper 003, section 2.3."""


@dataclass(frozen=True, slots=True)
class Provision:
    """A platform and its use.

    Parameters
    ----------
    machines
        What is bought (or stays switched on); ids are unique.
    placement
        Operator id → machine id, the allocation function a.
    downloads
        From where each machine has the objects that its operators use.
    """

    machines: tuple[Machine, ...]
    placement: Placement
    downloads: Downloads

    @property
    def price(self) -> float:
        """The price of all machines, the objective of section 5.1."""
        return sum(machine.type.price for machine in self.machines)


def placement_problem(
    problem: ProvisioningProblem, machines: tuple[Machine, ...]
) -> PlacementProblem:
    """Return the placement problem on a platform, at the throughput.

    The platform's delays are not known before it exists: they are 0 here, so the response
    time of an evaluation is that of the execution alone. Links have no limits here: both
    directions share theirs, which a placement knows nothing of. `violations` checks them, and
    which types may run an operator.
    """
    ids = tuple(machine.id for machine in machines)
    return PlacementProblem(
        operators=tuple(replace(it, candidates=None) for it in problem.demands),
        streams=problem.flows,
        nodes=tuple(machine.node for machine in machines),
        links=LinkMatrix.from_delays(ids, np.zeros((len(ids), len(ids)))),
    )


def evaluate_provision(problem: ProvisioningProblem, provision: Provision) -> Evaluation:
    """Return the evaluation whose value is the price, the objective of paper 003, section 5.1."""
    platform = placement_problem(problem, provision.machines)
    metrics = evaluate(platform, provision.placement, Objective({Term.R: 1.0}), {})
    return replace(metrics, value=provision.price)


class ProvisionSolution(NamedTuple):
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
