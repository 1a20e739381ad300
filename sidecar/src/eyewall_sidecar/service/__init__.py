"""The use case: state, delays and rates in, decisions out."""

from eyewall_sidecar.service.decision import Decision, Decline, Keep, Place, Verdict
from eyewall_sidecar.service.measuring import Measuring
from eyewall_sidecar.service.moving import Rules
from eyewall_sidecar.service.plan import Plan, PlanState
from eyewall_sidecar.service.planning import Planning, Wanted
from eyewall_sidecar.service.recording import Recorder
from eyewall_sidecar.service.scheduling import SchedulingService
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.service.service_context import ServiceContext
from eyewall_sidecar.service.solving import (
    Failed,
    Job,
    Outcome,
    Question,
    Solvers,
    SolverTask,
)

__all__ = [
    "Decision",
    "Decline",
    "Failed",
    "Job",
    "Keep",
    "Measuring",
    "Outcome",
    "Place",
    "Plan",
    "PlanState",
    "Planning",
    "Question",
    "Recorder",
    "Rules",
    "SchedulingService",
    "Seen",
    "ServiceContext",
    "SolverTask",
    "Solvers",
    "Verdict",
    "Wanted",
]
