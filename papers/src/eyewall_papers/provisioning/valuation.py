"""What a provision is worth: its price, beside the metrics of its placement."""

from dataclasses import replace

from eyewall_sidecar.model import Evaluation
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.evaluation import evaluate

from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision, placement_problem


def valued(problem: ProvisioningProblem, provision: Provision) -> Evaluation:
    """Return the evaluation whose value is the price, the objective of paper 003, section 5.1."""
    platform = placement_problem(problem, provision.machines)
    metrics = evaluate(platform, provision.placement, Objective({Term.R: 1.0}), {})
    return replace(metrics, value=provision.price)
