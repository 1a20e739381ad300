"""A sidecar that runs, as an operator's command asks it: deadlines, and one kind of error."""

import json
from collections.abc import Callable
from typing import Any, Self

import grpc
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import operations_pb2_grpc as pb_grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from eyewall_sidecar.cli.options import BAD_INPUT, NOT_NOW

PATIENCE = 10.0
"""Seconds for an answer that needs no solving."""
PLAN_PATIENCE = 90.0
"""Seconds for a plan beyond its solving: the first one waits until its process has started, which
takes half a minute on a busy machine."""
LONGEST_SOLVE = 60.0
"""Seconds that a plan may take at most."""
NEAREST = "eyewall-nearest"
"""The trailing metadata with the names that were perhaps meant, comma separated."""

_EXIT_CODES = {
    grpc.StatusCode.NOT_FOUND: BAD_INPUT,
    grpc.StatusCode.INVALID_ARGUMENT: BAD_INPUT,
}


class DeskError(Exception):
    """Why there is no answer.

    Parameters
    ----------
    sentence
        For a person.
    nearest
        Names that were perhaps meant.
    exit_code
        What the command ends with: 1 if the sidecar is away or cannot answer now, 2 for bad input.
    code
        gRPC's, for whoever has to know more.
    """

    def __init__(
        self,
        sentence: str,
        nearest: tuple[str, ...] = (),
        exit_code: int = NOT_NOW,
        code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE,
    ) -> None:
        hint = f" (did you mean {' or '.join(nearest)}?)" if nearest else ""
        super().__init__(f"{sentence}{hint}")
        self.sentence = sentence
        self.nearest = nearest
        self.exit_code = exit_code
        self.code = code


class Desk:
    """A connection to one sidecar, for as long as a command takes."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        """Ask the sidecar at HOST:PORT; nothing is sent before the first question.

        `patience` is how many seconds an answer may take, other than a plan.
        """
        self._address = address
        self._patience = patience
        options = [
            ("grpc.max_receive_message_length", -1),  # a large cluster's status is what it is
            ("grpc.enable_http_proxy", 0),
        ]
        self._channel = grpc.insecure_channel(address, options)
        self._stub = pb_grpc.OperationsStub(self._channel)  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def status(self, known_revision: int = 0) -> pb.Status:
        """Return what the sidecar goes by; `unchanged` if that is still the known revision."""
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
        """Return the placement problem that the sidecar goes by for a topology."""
        answer: pb.Problem = self._call(self._stub.GetProblem, pb.ProblemRequest(topology=topology))
        return answer

    def make_plan(self, request: pb.PlanRequest) -> pb.Plan:
        """Return what a policy finds; nothing is moved."""
        patience = _solving(request.time_limit) + PLAN_PATIENCE
        answer: pb.Plan = self._call(self._stub.MakePlan, request, patience)
        return answer

    def plan(self, id_: str) -> pb.Plan:
        """Return a plan, and what has become of it."""
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
        self, method: Callable[..., Any], request: Message, patience: float | None = None
    ) -> Any:
        try:
            return method(request, timeout=self._patience if patience is None else patience)
        except grpc.RpcError as error:
            raise self._worded(error) from None

    def _worded(self, error: grpc.Call) -> DeskError:
        code = error.code()
        match code:
            case grpc.StatusCode.UNAVAILABLE:
                said = f"no sidecar answers at {self._address}; is `eyewall serve` running there?"
            case grpc.StatusCode.DEADLINE_EXCEEDED:
                said = f"the sidecar at {self._address} did not answer in time"
            case grpc.StatusCode.UNIMPLEMENTED:
                said = f"the sidecar at {self._address} does not know this yet: update it"
            case _:
                said = error.details() or f"the sidecar at {self._address} said {code.name}"
        trailing = dict(error.trailing_metadata() or ())
        nearest = tuple(filter(None, trailing.get(NEAREST, "").split(",")))
        return DeskError(said, nearest, _EXIT_CODES.get(code, NOT_NOW), code)


def _solving(wanted: float) -> float:
    """Return the seconds that a solve takes; a limit that makes no sense is not ours to refuse."""
    return wanted if 0 < wanted < LONGEST_SOLVE else LONGEST_SOLVE


def as_json(message: Message) -> str:
    """Return an answer as JSON with the contract's names; what is unknown is left out."""
    return json.dumps(as_dict(message), ensure_ascii=False, allow_nan=False)


def as_dict(message: Message) -> dict[str, object]:
    """Return an answer, or a part of one, as a part of JSON."""
    return MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
