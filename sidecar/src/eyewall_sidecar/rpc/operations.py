"""Answers people: what is gone by, why, what a plan would do (operations.proto)."""

import threading

import grpc
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import operations_pb2_grpc as pb_grpc

from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.rpc import encode_explanation, encode_plan, encode_problem, encode_rules
from eyewall_sidecar.rpc.encode_status import Statuses
from eyewall_sidecar.rpc.refusals import worded
from eyewall_sidecar.service import Planning, SchedulingService
from eyewall_sidecar.service.answering import Restraint, answer
from eyewall_sidecar.service.explaining import explain
from eyewall_sidecar.service.names import NotNowError, require_seen, topology_named
from eyewall_sidecar.service.running_problem import running_problem
from eyewall_sidecar.service.watching import Watching

OPERATIONS: str = pb.DESCRIPTOR.services_by_name["Operations"].full_name


class Operations(pb_grpc.OperationsServicer):
    """Reads what the last round left; no round waits for it."""

    def __init__(self, service: SchedulingService, planning: Planning) -> None:
        """Report on `service`, and plan for it."""
        self._service = service
        self._planning = planning
        self._watching = Watching(service)
        cool_down = service.rules.cool_down_seconds
        self._statuses = Statuses(service.run, service.delay_source, cool_down)
        self._one_look = threading.Lock()
        # Each may take a second on a large cluster: several at once would slow a round down.
        self._one_reason = threading.Lock()

    def GetStatus(  # noqa: N802 - the name is the contract's
        self, request: pb.StatusRequest, _context: grpc.ServicerContext
    ) -> pb.Status:
        """Return what is gone by, or that it is what the caller knows."""
        with self._one_look:
            now, held = self._service.now(), self._service.switches()
            rules = encode_rules.rules(self._service.rules, self._service.budget.started(now))
            switches = encode_rules.switches(held)
            view = self._watching.view((rules.SerializeToString(), switches.SerializeToString()))
            if view.revision == request.known_revision:
                status = self._statuses.unchanged(view, now)
                encode_rules.put_age(status.switches, held)
                return status
            status = self._statuses.whole(view, now)
            status.rules.CopyFrom(rules)
            status.switches.CopyFrom(switches)
            encode_rules.put_age(status.switches, held)
            for it in status.topologies:
                it.frozen = bool(self._service.frozen(it.topology_id, held))
            return status

    def MakePlan(  # noqa: N802 - the name is the contract's
        self, request: pb.PlanRequest, context: grpc.ServicerContext
    ) -> pb.Plan:
        """Return what a policy would move; waits for it."""
        with worded(context):
            plan = self._planning.make(encode_plan.wanted(request), context.is_active)
            return encode_plan.plan(plan, self._service.now())

    def GetPlan(  # noqa: N802 - the name is the contract's
        self, request: pb.PlanId, context: grpc.ServicerContext
    ) -> pb.Plan:
        """Return a plan and what has become of it."""
        with worded(context):
            return encode_plan.plan(self._planning.get(request.id), self._service.now())

    def ListPlans(  # noqa: N802 - the name is the contract's
        self, _request: pb.ListPlansRequest, _context: grpc.ServicerContext
    ) -> pb.Plans:
        """Return all plans that are remembered, newest first."""
        now = self._service.now()
        return pb.Plans(plans=[encode_plan.summary(it, now) for it in self._planning.all()])

    def ApplyPlan(  # noqa: N802 - the name is the contract's
        self, request: pb.PlanId, context: grpc.ServicerContext
    ) -> pb.Plan:
        """Have exactly this plan handed to Nimbus in its next round."""
        with worded(context):
            return encode_plan.plan(self._planning.apply(request.id), self._service.now())

    def ListPolicies(  # noqa: N802 - the name is the contract's
        self, _request: pb.ListPoliciesRequest, _context: grpc.ServicerContext
    ) -> pb.Policies:
        """Return what each policy is."""
        return pb.Policies(
            policies=[
                pb.Policy(
                    name=name,
                    title=it.title,
                    source=it.source,
                    method=it.method,
                    optimises=[str(term) for term in it.optimises],
                    mixes=it.mixes,
                    ecker=it.ecker,
                    take_it=it.take_it,
                )
                for name, it in policy_catalogue().items()
            ]
        )

    def Explain(  # noqa: N802 - the name is the contract's
        self, request: pb.ExplainRequest, context: grpc.ServicerContext
    ) -> pb.Explanation:
        """Return why an executor runs where it runs, and what other hosts would mean for it."""
        with self._one_reason, worded(context):
            if not context.is_active():
                raise NotNowError("nobody waits for the answer any more")
            seen = require_seen(self._service.seen)
            state = topology_named(seen, request.topology)
            known = self._watching.known(seen, state)
            heard = {*seen.delays.hosts, *seen.measured.loads}
            found = explain(known, request.executor, request.host, heard)
            rules = self._service.rules
            frozen = self._service.frozen(state.topology.id, self._service.switches())
            cooling = found.memory.since + rules.cool_down_seconds - self._service.now()
            said = answer(found, Restraint(rules, cooling, frozen))
            return encode_explanation.explanation(found, state.topology, said)

    def GetProblem(  # noqa: N802 - the name is the contract's
        self, request: pb.ProblemRequest, context: grpc.ServicerContext
    ) -> pb.Problem:
        """Return the placement problem that is gone by for a topology."""
        with self._one_reason, worded(context):
            return encode_problem.problem(running_problem(self._service, request.topology))
