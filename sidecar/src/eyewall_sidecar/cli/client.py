"""The sidecar as operators' commands call it: deadlines, and one kind of error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from eyewall_contracts.operations import LONGEST_SOLVE, NEAREST, SOLVE_OVERHEAD
from eyewall_contracts.proto import operations_pb2 as pb
from google.protobuf.json_format import MessageToDict

if TYPE_CHECKING:
    from collections.abc import Callable

    import grpc
    from google.protobuf.message import Message

UNAVAILABLE = 1
"""Exit code: the sidecar is away, or cannot answer now."""
BAD_INPUT = 2
"""Exit code: an unknown name, or an option that makes no sense."""
NO_ROUND_YET = "no Nimbus has been heard yet"
"""Why a sidecar that has just been started knows of no topology."""

ANSWER_SECONDS = 10.0
"""For an answer that needs no solving."""


class OperationsError(Exception):
    """Why there is no answer.

    Parameters
    ----------
    sentence
        For a person.
    nearest
        Names that were perhaps meant.
    exit_code
        What the command ends with: UNAVAILABLE or BAD_INPUT.
    code
        gRPC's; None if nothing was sent.
    """

    def __init__(
        self,
        sentence: str,
        nearest: tuple[str, ...] = (),
        exit_code: int = UNAVAILABLE,
        code: grpc.StatusCode | None = None,
    ) -> None:
        hint = f" (did you mean {' or '.join(nearest)}?)" if nearest else ""
        super().__init__(f"{sentence}{hint}")
        self.sentence = sentence
        self.nearest = nearest
        self.exit_code = exit_code
        self.code = code


class OperationsClient:
    """A connection to one sidecar, for as long as a command takes."""

    def __init__(self, address: str, seconds: float = ANSWER_SECONDS) -> None:
        """Call the sidecar at HOST:PORT; nothing is sent before the first call.

        `seconds` is how long an answer may take, other than a plan.
        """
        # Only here: solver processes import the command line and need no gRPC.
        from eyewall_contracts.channel import open_channel
        from eyewall_contracts.proto import operations_pb2_grpc as pb_grpc

        self._address = address
        self._seconds = seconds
        self._channel = open_channel(address)
        self._stub = pb_grpc.OperationsStub(self._channel)  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def status(self, known_revision: int = 0) -> pb.Status:
        """Return what the sidecar knows; `unchanged` if that is still the known revision."""
        answer: pb.Status = self._call(
            self._stub.GetStatus, pb.StatusRequest(known_revision=known_revision)
        )
        return answer

    def policies(self) -> pb.Policies:
        """Return the policies that the sidecar has."""
        answer: pb.Policies = self._call(self._stub.ListPolicies, pb.ListPoliciesRequest())
        return answer

    def explain(self, topology: str, executor: str, host: str = "") -> pb.Explanation:
        """Return why an executor runs where it runs, and what other hosts would mean for it."""
        request = pb.ExplainRequest(topology=topology, executor=executor, host=host)
        answer: pb.Explanation = self._call(self._stub.Explain, request)
        return answer

    def problem(self, topology: str) -> pb.Problem:
        """Return the placement problem of a topology."""
        answer: pb.Problem = self._call(self._stub.GetProblem, pb.ProblemRequest(topology=topology))
        return answer

    def forecast(self, request: pb.ForecastRequest) -> pb.Forecast:
        """Return what to expect of a topology at another rate or on other hosts."""
        seconds = LONGEST_SOLVE + SOLVE_OVERHEAD
        answer: pb.Forecast = self._call(self._stub.MakeForecast, request, seconds)
        return answer

    def make_plan(self, request: pb.PlanRequest) -> pb.Plan:
        """Return what a policy finds; nothing is moved."""
        seconds = _solve_seconds(request.time_limit) + SOLVE_OVERHEAD
        answer: pb.Plan = self._call(self._stub.MakePlan, request, seconds)
        return answer

    def plan(self, id_: str) -> pb.Plan:
        """Return a plan with its state."""
        answer: pb.Plan = self._call(self._stub.GetPlan, pb.PlanId(id=id_))
        return answer

    def plans(self) -> pb.Plans:
        """Return the plans that are remembered, newest first."""
        answer: pb.Plans = self._call(self._stub.ListPlans, pb.ListPlansRequest())
        return answer

    def apply(self, id_: str) -> pb.Plan:
        """Have exactly this plan handed to Nimbus in its next round."""
        answer: pb.Plan = self._call(self._stub.ApplyPlan, pb.PlanId(id=id_))
        return answer

    def _call(
        self, method: Callable[..., Any], request: Message, seconds: float | None = None
    ) -> Any:
        import grpc

        try:
            return method(request, timeout=self._seconds if seconds is None else seconds)
        except grpc.RpcError as error:
            raise self._error(error) from None

    def _error(self, error: grpc.Call) -> OperationsError:
        import grpc

        code = error.code()
        match code:
            case grpc.StatusCode.UNAVAILABLE:
                sentence = (
                    f"no sidecar answers at {self._address}; is `eyewall serve` running there?"
                )
            case grpc.StatusCode.DEADLINE_EXCEEDED:
                sentence = f"the sidecar at {self._address} did not answer in time"
            case grpc.StatusCode.UNIMPLEMENTED:
                sentence = (
                    f"what answers at {self._address} is no sidecar, or an older one that does not "
                    "know this yet: give --sidecar HOST:PORT, or update it"
                )
            case _:
                sentence = error.details() or f"the sidecar at {self._address} said {code.name}"
        trailing = dict(error.trailing_metadata() or ())
        nearest = tuple(filter(None, trailing.get(NEAREST, "").split(",")))
        bad_input = code in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)
        return OperationsError(sentence, nearest, BAD_INPUT if bad_input else UNAVAILABLE, code)


def _solve_seconds(wanted: float) -> float:
    """Return the seconds that a solve may take; the sidecar refuses a limit that makes no sense."""
    return wanted if 0 < wanted < LONGEST_SOLVE else LONGEST_SOLVE


def as_json(message: Message) -> str:
    """Return an answer as JSON with the contract's names; what is unknown is left out."""
    return json.dumps(as_dict(message), ensure_ascii=False, allow_nan=False)


def as_dict(message: Message) -> dict[str, object]:
    """Return an answer, or a part of one, as a part of JSON."""
    return MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
