"""A sidecar with a test's answers: a real gRPC server in the test's own process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import grpc
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import operations_pb2_grpc as pb_grpc
from eyewall_contracts.proto import provisioning_pb2 as provisioning
from eyewall_contracts.proto import provisioning_pb2_grpc as provisioning_grpc
from free_ports import free_port
from real_stores import HERE
from sidecar_answers import a_forecast, a_plan, a_platform, a_status, filled


def _summary(plan: pb.Plan) -> pb.PlanSummary:
    same = {it.name for it in pb.PlanSummary.DESCRIPTOR.fields} - {"executors_moved"}
    fields = {it.name: value for it, value in plan.ListFields() if it.name in same}
    return pb.PlanSummary(executors_moved=len(plan.moves), **fields)


@dataclass(frozen=True)
class Refusal:
    """What a question is answered with instead."""

    code: grpc.StatusCode
    said: str
    nearest: str = ""


@dataclass
class ScriptedOperations(pb_grpc.OperationsServicer, provisioning_grpc.ProvisioningServicer):
    """What the sidecar knows, to be changed as a test goes on."""

    status: pb.Status = field(default_factory=a_status)
    plans: dict[str, pb.Plan] = field(default_factory=dict)
    refusals: dict[str, Refusal] = field(default_factory=dict)
    """By the name of the question."""
    papers: bool = True
    """Whether eyewall-papers is installed with it."""
    unsettled: bool = False
    """Whether forecasts are by the rates of a start."""
    asked: list[Any] = field(default_factory=list)
    """Requests that plan, apply, provision or ask for reasons."""
    forecasts_asked: list[pb.ForecastRequest] = field(default_factory=list)
    """Apart from the others, as the dashboard asks for forecasts by itself, too."""

    def GetStatus(self, request: pb.StatusRequest, context: Any) -> pb.Status:  # noqa: N802
        self._refuse("GetStatus", context)
        if request.known_revision == self.status.revision:
            short = pb.Status(
                contract_version=1,
                revision=self.status.revision,
                unchanged=True,
                run=self.status.run,
                round_age=0.25,
            )
            short.switches.age = 0.25
            short.delays.age = 0.5
            return short
        return self.status

    def ListPolicies(self, request: Any, context: Any) -> pb.Policies:  # noqa: N802
        self._refuse("ListPolicies", context)
        policy = pb.Policy(name="odp", title="Optimal", optimises=["R", "A"], mixes=True)
        return pb.Policies(policies=[policy])

    def MakePlan(self, request: pb.PlanRequest, context: Any) -> pb.Plan:  # noqa: N802
        self.asked.append(request)
        self._refuse("MakePlan", context)
        plan = a_plan(f"plan-{len(self.plans) + 1}", policy=request.policy or "odp")
        self.plans[plan.id] = plan
        return plan

    def GetPlan(self, request: pb.PlanId, context: Any) -> pb.Plan:  # noqa: N802
        self._refuse("GetPlan", context)
        return self._plan(request.id, context)

    def ListPlans(self, request: Any, context: Any) -> pb.Plans:  # noqa: N802
        self._refuse("ListPlans", context)
        return pb.Plans(plans=[_summary(it) for it in reversed(self.plans.values())])

    def ApplyPlan(self, request: pb.PlanId, context: Any) -> pb.Plan:  # noqa: N802
        self.asked.append(request)
        self._refuse("ApplyPlan", context)
        plan = self._plan(request.id, context)
        plan.state = pb.Plan.QUEUED
        return plan

    def Explain(self, request: pb.ExplainRequest, context: Any) -> pb.Explanation:  # noqa: N802
        self.asked.append(request)
        self._refuse("Explain", context)
        return filled(
            pb.Explanation(),
            topology_id="word_count-1-1700000000",
            topology="word_count",
            executor=request.executor,
            host="cloud-1",
            objective="R=1",
            neighbours=[
                {"executor": "sentence[1-1]", "host": "edge-1", "upstream": True, "rate": 100}
            ],
            alternatives=[
                {"host": "cloud-1", "current": True},
                {"host": "edge-1", "constraint": "cpu", "reason": "0.5 cores, 0.2 are left"},
            ],
            answer="edge-1 has no cores left",
        )

    def MakeForecast(self, request: pb.ForecastRequest, context: Any) -> pb.Forecast:  # noqa: N802
        self.forecasts_asked.append(request)
        self._refuse("MakeForecast", context)
        off = [it.host for it in request.hosts if it.share == 0.0]
        found = a_forecast(request.rate if request.HasField("rate") else 1.0, off)
        found.unsettled = self.unsettled
        return found

    def ListCatalogues(self, request: Any, context: Any) -> provisioning.Catalogues:  # noqa: N802
        self._refuse("ListCatalogues", context)
        return filled(
            provisioning.Catalogues(),
            catalogues=[{"name": "made-up-cloud", "currency": "€", "unit": "cores", "types": 10}],
        )

    def Provision(  # noqa: N802
        self, request: provisioning.ProvisionRequest, context: Any
    ) -> provisioning.ProvisionAnswer:
        self.asked.append(request)
        self._refuse("Provision", context)
        return a_platform(throughput=request.throughput, catalogue=request.catalogue)

    def _plan(self, id_: str, context: Any) -> pb.Plan:
        if id_ not in self.plans:
            context.set_trailing_metadata((("eyewall-nearest", "plan-1"),))
            context.abort(grpc.StatusCode.NOT_FOUND, f"no plan {id_}")
        return self.plans[id_]

    def _refuse(self, name: str, context: Any) -> None:
        refusal = self.refusals.get(name)
        if refusal is not None:
            if refusal.nearest:
                context.set_trailing_metadata((("eyewall-nearest", refusal.nearest),))
            context.abort(refusal.code, refusal.said)


class SidecarServer:
    """Serves them; may be stopped and started again on the same port."""

    def __init__(self, operations: ScriptedOperations) -> None:
        self.operations = operations
        self.port = free_port()
        self._server: Any = None

    @property
    def address(self) -> str:
        return f"{HERE}:{self.port}"

    def start(self) -> None:
        self._server = grpc.server(ThreadPoolExecutor(8), options=[("grpc.so_reuseport", 0)])
        pb_grpc.add_OperationsServicer_to_server(self.operations, self._server)  # type: ignore[no-untyped-call]
        if self.operations.papers:
            provisioning_grpc.add_ProvisioningServicer_to_server(self.operations, self._server)  # type: ignore[no-untyped-call]
        self._server.add_insecure_port(self.address)
        self._server.start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop(None).wait()
            self._server = None
