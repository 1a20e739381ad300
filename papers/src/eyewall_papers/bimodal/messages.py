"""The agents' messages, as values and as lines of JSON (paper 004, section 4)."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import TypeAdapter

from eyewall_papers.bimodal.partial_map import PartialMap
from eyewall_papers.bimodal.surroundings import Stock, Surroundings
from eyewall_papers.bimodal.task import Task


class AckKind(StrEnum):
    """What an ack reports in addition to a handled map."""

    REGULAR = "regular"
    FINAL = "final"
    """The sender has nothing under way, and forgets the task."""


@dataclass(frozen=True, slots=True)
class Map:
    """A partial map, with the task's specification for a receiver that may not know it."""

    task: str
    partial: PartialMap
    spec: Task | None = None


@dataclass(frozen=True, slots=True)
class Ack:
    """A map of this task was dealt with."""

    task: str
    kind: AckKind


@dataclass(frozen=True, slots=True)
class UnknownTask:
    """Returns a map to its sender: the receiver needs the task's specification."""

    task: str
    partial: PartialMap


@dataclass(frozen=True, slots=True)
class Probe:
    """Reserve the needs of the visit at this place of a whole map; places count down to 0."""

    spec: Task
    partial: PartialMap
    place: int


@dataclass(frozen=True, slots=True)
class RollBack:
    """Release the reservation of the visit at this place; places count up to the sink."""

    task: str
    partial: PartialMap
    place: int


@dataclass(frozen=True, slots=True)
class Reservation:
    """From source to sink: all of the map is reserved, the stream may start."""

    task: str
    partial: PartialMap


Message = Map | Ack | UnknownTask | Probe | RollBack | Reservation


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message on its way."""

    sender: str
    receiver: str
    message: Message


_ADAPTERS: dict[str, TypeAdapter[Message]] = {
    kind.__name__: TypeAdapter(kind)
    for kind in (Map, Ack, UnknownTask, Probe, RollBack, Reservation)
}

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class HostOrders:
    """The parameters of a host, sent before anything is mapped.

    Parameters
    ----------
    here, stock
        Its node, and what that has left.
    pruning, metric
        Names among PRUNINGS and METRICS.
    seed
        For its random numbers.
    """

    here: Surroundings
    stock: Stock
    pruning: str
    metric: str
    seed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """Where all hosts listen, and what to launch if this one is the portal."""

    ports: dict[str, int]
    launch: Task | None = None


@dataclass(frozen=True, slots=True)
class PortalReport:
    """The portal's report once the task is mapped, or cannot be."""

    feasible: tuple[PartialMap, ...]
    accepted: PartialMap | None


@dataclass(frozen=True, slots=True)
class Record:
    """A host's report at the end.

    Parameters
    ----------
    heard
        Ids of the senders of its messages, in order.
    maps
        How many map messages it got.
    computations
        Tasks that it still has state for.
    """

    heard: tuple[str, ...]
    maps: int
    computations: int


def as_line(value: Any) -> str:
    """Write a dataclass as one line of JSON."""
    return json.dumps(asdict(value), default=list) + "\n"


def from_line(kind: type[Content], line: str | bytes) -> Content:
    """Read what `as_line` wrote."""
    return TypeAdapter(kind).validate_python(json.loads(line))


def message_line(sender: str, message: Message) -> str:
    """Write a message and who sends it."""
    parts = {"from": sender, "kind": type(message).__name__, "message": asdict(message)}
    return json.dumps(parts, default=list) + "\n"


def read_message(line: str | bytes) -> tuple[str, Message]:
    """Read what `message_line` wrote."""
    parts = json.loads(line)
    return parts["from"], _ADAPTERS[parts["kind"]].validate_python(parts["message"])
