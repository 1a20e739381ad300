"""The client of the sidecar's services; every failure is a RequestError."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import grpc
from eyewall_contracts.channel import open_channel
from eyewall_contracts.operations import LONGEST_SOLVE, NEAREST, SOLVE_OVERHEAD
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import provisioning_pb2 as provisioning
from eyewall_contracts.proto.operations_pb2_grpc import OperationsStub
from eyewall_contracts.proto.provisioning_pb2_grpc import ProvisioningStub

from eyewall_monitor.dashboard.errors import Reason, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ANSWER_SECONDS: Final = 5.0
PAPERS: Final = "eyewall-papers"
"""The distribution that serves provisioning within the sidecar."""

_REASONS: Final = {
    grpc.StatusCode.NOT_FOUND: Reason.UNKNOWN_NAME,
    grpc.StatusCode.INVALID_ARGUMENT: Reason.BAD_VALUE,
    grpc.StatusCode.FAILED_PRECONDITION: Reason.NOT_NOW,
    grpc.StatusCode.UNAVAILABLE: Reason.AWAY,
    grpc.StatusCode.DEADLINE_EXCEEDED: Reason.AWAY,
    grpc.StatusCode.UNIMPLEMENTED: Reason.AWAY,
    grpc.StatusCode.CANCELLED: Reason.AWAY,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Reason.AWAY,
}
_MESSAGES: Final = {
    grpc.StatusCode.UNIMPLEMENTED: (
        "what answers there is no sidecar, or an older one that does not know this request"
    ),
    grpc.StatusCode.DEADLINE_EXCEEDED: "it did not answer in time",
    grpc.StatusCode.UNAVAILABLE: "no connection",
}


class SidecarClient:
    """A connection that is made when it is first needed, and again after it broke.

    Any thread may use it.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._name = f"the sidecar at {address}"
        self._channel = open_channel(address)
        self._stub: Any = OperationsStub(self._channel)  # type: ignore[no-untyped-call]
        self._provisioning: Any = ProvisioningStub(self._channel)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """End the connection, and every pending request with it."""
        self._channel.close()

    def status(self, known_revision: int) -> pb.Status:
        """Return the status; `unchanged` if the caller knows this revision."""
        request = pb.StatusRequest(known_revision=known_revision)
        return cast("pb.Status", self._call(self._stub.GetStatus, request))

    def policies(self) -> pb.Policies:
        """Return the policies that plans can be made with."""
        return cast("pb.Policies", self._call(self._stub.ListPolicies, pb.ListPoliciesRequest()))

    def plans(self) -> pb.Plans:
        """Return the plans that the sidecar keeps, newest first."""
        return cast("pb.Plans", self._call(self._stub.ListPlans, pb.ListPlansRequest()))

    def plan(self, id_: str) -> pb.Plan:
        """Return one plan."""
        return cast("pb.Plan", self._call(self._stub.GetPlan, pb.PlanId(id=id_)))

    def make_plan(self, request: pb.PlanRequest) -> pb.Plan:
        """Plan without moving anything; takes a little longer than the time limit."""
        seconds = _solve_timeout(request.time_limit)
        return cast("pb.Plan", self._call(self._stub.MakePlan, request, seconds))

    def apply_plan(self, id_: str) -> pb.Plan:
        """Hand a plan to Nimbus."""
        return cast("pb.Plan", self._call(self._stub.ApplyPlan, pb.PlanId(id=id_)))

    def explain(self, topology: str, executor: str, host: str) -> pb.Explanation:
        """Return why an executor runs where it runs."""
        request = pb.ExplainRequest(topology=topology, executor=executor, host=host)
        return cast("pb.Explanation", self._call(self._stub.Explain, request))

    def forecast(
        self, topology: str, rate: float, off: Sequence[str] = (), policy: str = ""
    ) -> pb.Forecast:
        """Return what to expect of a topology at a multiple of its present rate.

        Takes longer where executors have to be placed: those of hosts that are off, or by a
        policy, which places all.
        """
        request = pb.ForecastRequest(topology=topology, rate=rate, policy=policy)
        request.hosts.extend(pb.HostShare(host=it, share=0.0) for it in off)
        seconds = _solve_timeout(0.0) if off or policy else ANSWER_SECONDS
        return cast("pb.Forecast", self._call(self._stub.MakeForecast, request, seconds))

    def catalogues(self) -> provisioning.Catalogues:
        """Return the catalogues that come with the sidecar."""
        request = provisioning.ListCataloguesRequest()
        answer = self._call(self._provisioning.ListCatalogues, request, distribution=PAPERS)
        return cast("provisioning.Catalogues", answer)

    def provision(self, request: provisioning.ProvisionRequest) -> provisioning.ProvisionAnswer:
        """Look for the cheapest platform; takes a little longer than the time limit."""
        seconds = _solve_timeout(request.time_limit)
        answer = self._call(self._provisioning.Provision, request, seconds, PAPERS)
        return cast("provisioning.ProvisionAnswer", answer)

    def _call(
        self,
        method: Callable[..., Any],
        request: Any,
        timeout: float = ANSWER_SECONDS,
        distribution: str = "",
    ) -> Any:
        """Call a method of the sidecar, or of a `distribution` that may be installed with it."""
        try:
            return method(request, timeout=timeout)
        except grpc.RpcError as error:
            raise self._error(error, distribution) from None
        except ValueError as error:  # the channel is closed
            raise RequestError(Reason.AWAY, str(error), source=self._name) from None

    def _error(self, error: Any, distribution: str) -> RequestError:
        code = error.code()
        reason = _REASONS.get(code, Reason.FAILED)
        message = _MESSAGES.get(code) or error.details() or code.name.lower().replace("_", " ")
        if code is grpc.StatusCode.UNIMPLEMENTED and distribution:
            reason, message = Reason.NOT_INSTALLED, f"{distribution} is not installed with it"
        nearest = dict(error.trailing_metadata() or ()).get(NEAREST, "").split(",")
        names = [it.strip() for it in nearest if it.strip()]
        of_request = reason in (Reason.UNKNOWN_NAME, Reason.BAD_VALUE, Reason.NOT_NOW)
        return RequestError(reason, message, names, "" if of_request else self._name)


def _solve_timeout(time_limit: float) -> float:
    # The sidecar refuses longer limits itself; gRPC cannot represent arbitrary timeouts.
    return min(time_limit or LONGEST_SOLVE, LONGEST_SOLVE) + SOLVE_OVERHEAD
