"""The use case: state, delays and rates in, decisions out."""

from eyewall_papers.provisioning.service import Buying

from eyewall_sidecar.service.decision import Decision, Decline, Keep, Place, Verdict
from eyewall_sidecar.service.measuring import Measuring
from eyewall_sidecar.service.moving import Rules
from eyewall_sidecar.service.plan import Plan, PlanState
from eyewall_sidecar.service.planning import Planning, Wanted
from eyewall_sidecar.service.recording import Recorder
from eyewall_sidecar.service.scheduling import SchedulingService
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.service.solving import (
    Failed,
    Job,
    Outcome,
    PlatformQuestion,
    Question,
    Solvers,
)

__all__ = [
    "Buying",
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
    "PlatformQuestion",
    "Question",
    "Recorder",
    "Rules",
    "SchedulingService",
    "Seen",
    "Solvers",
    "Verdict",
    "Wanted",
]
