"""What a placement is worth: one metric a file, each a function of problem and placement."""

from eyewall_sidecar.objectives.evaluation import METRICS, evaluate
from eyewall_sidecar.objectives.extremes import best_case, worst_case

__all__ = ["METRICS", "best_case", "evaluate", "worst_case"]
