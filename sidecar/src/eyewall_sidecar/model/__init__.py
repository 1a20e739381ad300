"""The papers' nouns: what is placed, where it can go, and what a policy answers. No I/O."""

from eyewall_sidecar.model.application import Operator, Stream
from eyewall_sidecar.model.errors import ProblemError
from eyewall_sidecar.model.links import LinkMatrix
from eyewall_sidecar.model.load_model import LoadModel
from eyewall_sidecar.model.problem import Placement, PlacementProblem
from eyewall_sidecar.model.resources import Link, Node
from eyewall_sidecar.model.solution import Alternatives, Evaluation, Range, Solution, Status
from eyewall_sidecar.model.violations import violations

__all__ = [
    "Alternatives",
    "Evaluation",
    "Link",
    "LinkMatrix",
    "LoadModel",
    "Node",
    "Operator",
    "Placement",
    "PlacementProblem",
    "ProblemError",
    "Range",
    "Solution",
    "Status",
    "Stream",
    "violations",
]
