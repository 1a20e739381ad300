"""Asks the sidecar; whatever goes wrong is one error with a sentence for a person."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast

import grpc
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import provisioning_pb2
from eyewall_contracts.proto.operations_pb2_grpc import OperationsStub
from eyewall_contracts.proto.provisioning_pb2_grpc import ProvisioningStub

if TYPE_CHECKING:
    from collections.abc import Callable

CONTRACT_VERSION: Final = 1
ANSWER_SECONDS: Final = 5.0
LONGEST_PLAN: Final = 60.0
"""Seconds that may be planned for."""
PLANNING_BESIDE: Final = 90.0
"""Seconds that making a plan may take beyond solving: the first one waits until its process has
started, which takes half a minute on a busy machine."""
NEAREST: Final = "eyewall-nearest"
PAPERS: Final = "eyewall-papers"
"""The distribution that answers what to buy."""
_MESSAGE_BYTES: Final = 64 * 1024 * 1024


class Reason(Enum):
    """Why there is no answer."""

    UNKNOWN_NAME = "unknown name"
    BAD_VALUE = "bad value"
    NOT_NOW = "not now"
    AWAY = "away"
    NOT_INSTALLED = "not installed"
    FAILED = "failed"


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


class SidecarError(RuntimeError):
    """No answer, and why."""

    def __init__(self, reason: Reason, said: str, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(said)
        self.reason = reason
        self.nearest = nearest


class SidecarClient:
    """A connection that is made when first needed, and again whenever it broke; for any thread."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._channel = grpc.insecure_channel(
            address,
            options=[
                ("grpc.max_receive_message_length", _MESSAGE_BYTES),
                ("grpc.max_send_message_length", _MESSAGE_BYTES),
                ("grpc.initial_reconnect_backoff_ms", 200),
                ("grpc.min_reconnect_backoff_ms", 200),
                ("grpc.max_reconnect_backoff_ms", 2000),
                ("grpc.enable_http_proxy", 0),
            ],
        )
        self._stub: Any = OperationsStub(self._channel)  # type: ignore[no-untyped-call]
        self._provisioning: Any = ProvisioningStub(self._channel)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """End the connection, and every question under way with it."""
        self._channel.close()

    def status(self, known_revision: int) -> pb.Status:
        """What it goes by; `unchanged` if that is what the caller has."""
        request = pb.StatusRequest(known_revision=known_revision)
        return cast("pb.Status", self._ask(self._stub.GetStatus, request, ANSWER_SECONDS))

    def policies(self) -> pb.Policies:
        """Those that can be planned with."""
        return cast(
            "pb.Policies",
            self._ask(self._stub.ListPolicies, pb.ListPoliciesRequest(), ANSWER_SECONDS),
        )

    def plans(self) -> pb.Plans:
        """Those that are remembered, newest first."""
        return cast(
            "pb.Plans", self._ask(self._stub.ListPlans, pb.ListPlansRequest(), ANSWER_SECONDS)
        )

    def make_plan(self, request: pb.PlanRequest) -> pb.Plan:
        """Plan without moving anything; takes as long as may be solved, and a little more."""
        # The sidecar refuses what is longer, and gRPC cannot count as far as a number may go.
        seconds = min(request.time_limit or LONGEST_PLAN, LONGEST_PLAN) + PLANNING_BESIDE
        return cast("pb.Plan", self._ask(self._stub.MakePlan, request, seconds))

    def catalogues(self) -> provisioning_pb2.Catalogues:
        """Return the shipped catalogues; NOT_INSTALLED where the sidecar lacks eyewall-papers."""
        request = provisioning_pb2.ListCataloguesRequest()
        found = self._ask(self._provisioning.ListCatalogues, request, ANSWER_SECONDS, PAPERS)
        return cast("provisioning_pb2.Catalogues", found)

    def provision(
        self, request: provisioning_pb2.ProvisionRequest
    ) -> provisioning_pb2.ProvisionAnswer:
        """Look for the cheapest platform, for as long as a plan may take; otherwise the same."""
        seconds = min(request.time_limit or LONGEST_PLAN, LONGEST_PLAN) + PLANNING_BESIDE
        found = self._ask(self._provisioning.Provision, request, seconds, PAPERS)
        return cast("provisioning_pb2.ProvisionAnswer", found)

    def plan(self, id_: str) -> pb.Plan:
        """One plan."""
        return cast("pb.Plan", self._ask(self._stub.GetPlan, pb.PlanId(id=id_), ANSWER_SECONDS))

    def apply_plan(self, id_: str) -> pb.Plan:
        """Hand a plan to Nimbus."""
        return cast("pb.Plan", self._ask(self._stub.ApplyPlan, pb.PlanId(id=id_), ANSWER_SECONDS))

    def explain(self, topology: str, executor: str, host: str) -> pb.Explanation:
        """Why it runs where it runs."""
        request = pb.ExplainRequest(topology=topology, executor=executor, host=host)
        return cast("pb.Explanation", self._ask(self._stub.Explain, request, ANSWER_SECONDS))

    def _ask(
        self, method: Callable[..., Any], request: Any, seconds: float, distribution: str = ""
    ) -> Any:
        """Call; `distribution` is the one that answers inside the sidecar, if not the sidecar."""
        try:
            return method(request, timeout=seconds)
        except grpc.RpcError as error:
            raise _told(error, distribution) from None
        except ValueError as error:  # the channel has been closed meanwhile
            raise SidecarError(Reason.AWAY, str(error)) from None


def _told(error: Any, not_installed: str) -> SidecarError:
    code = error.code()
    reason = _REASONS.get(code, Reason.FAILED)
    if code is grpc.StatusCode.UNIMPLEMENTED and not_installed:
        reason, said = Reason.NOT_INSTALLED, f"{not_installed} is not installed with it"
    elif code is grpc.StatusCode.UNIMPLEMENTED:
        said = "it does not know what the dashboard asks for: update the sidecar"
    elif code is grpc.StatusCode.DEADLINE_EXCEEDED:
        said = "it does not answer in time"
    elif code is grpc.StatusCode.UNAVAILABLE:
        said = "no connection"
    else:
        said = error.details() or code.name.lower().replace("_", " ")
    names = next((value for key, value in error.trailing_metadata() or () if key == NEAREST), "")
    nearest = tuple(it.strip() for it in names.split(",") if it.strip())
    return SidecarError(reason, said, nearest)
