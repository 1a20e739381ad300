"""Answers people: what ran, why, what a plan would do (operations.proto)."""

import threading

import grpc
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import operations_pb2_grpc as pb_grpc

from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.rpc import encode_operations as encode
from eyewall_sidecar.rpc.error_status import answering
from eyewall_sidecar.rpc.status import StatusReporter
from eyewall_sidecar.service.answers import answer
from eyewall_sidecar.service.explanations import explain
from eyewall_sidecar.service.lookup import UnavailableError, find_topology
from eyewall_sidecar.service.overview import topology_overview
from eyewall_sidecar.service.planner import Planner
from eyewall_sidecar.service.what_if import forecast

OPERATIONS: str = pb.DESCRIPTOR.services_by_name["Operations"].full_name


class Operations(pb_grpc.OperationsServicer):
    """Reads what the last round left; no round waits for it."""

    def __init__(self, planner: Planner) -> None:
        """Report on what `planner` plans for."""
        self._service = planner.context.service
        self._planner = planner
        self._status = StatusReporter(self._service)
        # Each may take a second on a large cluster: several at once would slow a round down.
        self._one_at_a_time = threading.Lock()

    def GetStatus(  # noqa: N802 - the name is the contract's
        self, request: pb.StatusRequest, _context: grpc.ServicerContext
    ) -> pb.Status:
        """Return what the last round saw, or that it is what the caller knows."""
        return self._status.report(request.known_revision)

    def MakePlan(  # noqa: N802 - the name is the contract's
        self, request: pb.PlanRequest, context: grpc.ServicerContext
    ) -> pb.Plan:
        """Return what a policy would move; waits for it."""
        with answering(context):
            plan = self._planner.make(encode.plan_options(request), context.is_active)
            return encode.plan(plan, self._service.now())

    def GetPlan(  # noqa: N802 - the name is the contract's
        self, request: pb.PlanId, context: grpc.ServicerContext
    ) -> pb.Plan:
        """Return a plan and what has become of it."""
        with answering(context):
            return encode.plan(self._planner.get(request.id), self._service.now())

    def ListPlans(  # noqa: N802 - the name is the contract's
        self, _request: pb.ListPlansRequest, _context: grpc.ServicerContext
    ) -> pb.Plans:
        """Return all plans that are remembered, newest first."""
        now = self._service.now()
        return pb.Plans(plans=[encode.plan_summary(it, now) for it in self._planner.all()])

    def ApplyPlan(  # noqa: N802 - the name is the contract's
        self, request: pb.PlanId, context: grpc.ServicerContext
    ) -> pb.Plan:
        """Have exactly this plan handed to Nimbus in its next round."""
        with answering(context):
            return encode.plan(self._planner.apply(request.id), self._service.now())

    def ListPolicies(  # noqa: N802 - the name is the contract's
        self, _request: pb.ListPoliciesRequest, _context: grpc.ServicerContext
    ) -> pb.Policies:
        """Return what each policy is."""
        return pb.Policies(
            policies=[
                pb.Policy(
                    name=name,
                    title=encode.text(it.title),
                    source=encode.text(it.source),
                    method=encode.text(it.method),
                    optimises=[str(term) for term in it.optimises],
                    mixes=it.mixes,
                    ecker=it.ecker,
                    take_it=encode.text(it.take_it),
                )
                for name, it in policy_catalogue().items()
            ]
        )

    def Explain(  # noqa: N802 - the name is the contract's
        self, request: pb.ExplainRequest, context: grpc.ServicerContext
    ) -> pb.Explanation:
        """Return why an executor runs where it runs, and what other hosts would mean for it."""
        with self._one_at_a_time, answering(context):
            if not context.is_active():
                raise UnavailableError(message(Code.NOBODY_WAITS))
            snapshot, settings = self._service.last_round(), self._service.settings
            observation = snapshot.observation
            state = find_topology(observation.state, request.topology)
            overview = topology_overview(snapshot, state, settings.defaults)
            reporting = {*observation.delays.hosts, *observation.estimates.loads}
            found = explain(overview, request.executor, request.host, reporting)
            conditions = self._service.conditions(state, snapshot.records)
            return encode.explanation(found, answer(found, settings.moves, conditions))

    def GetProblem(  # noqa: N802 - the name is the contract's
        self, request: pb.ProblemRequest, context: grpc.ServicerContext
    ) -> pb.Problem:
        """Return the placement problem that the sidecar solves for a topology."""
        with self._one_at_a_time, answering(context):
            return encode.problem(self._planner.context.running_problem(request.topology))

    def MakeForecast(  # noqa: N802 - the name is the contract's
        self, request: pb.ForecastRequest, context: grpc.ServicerContext
    ) -> pb.Forecast:
        """Return what to expect of a topology at another rate or on other hosts."""
        with answering(context):
            found = forecast(
                self._planner.context,
                request.topology,
                encode.change(request),
                request.policy,
                context.is_active,
            )
            return encode.forecast(found)
