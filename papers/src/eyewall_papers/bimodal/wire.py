"""Messages and what a host is told as JSON text, one line each."""

import json
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter

from eyewall_papers.bimodal.messages import Ack, Map, Message, Probe, Reserved, RollBack, Unknown
from eyewall_papers.bimodal.partial_map import PartialMap
from eyewall_papers.bimodal.surroundings import Stock, Surroundings
from eyewall_papers.bimodal.task import Task

_ADAPTERS: dict[str, TypeAdapter[Message]] = {
    kind.__name__: TypeAdapter(kind) for kind in (Map, Ack, Unknown, Probe, RollBack, Reserved)
}

Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class HostOrders:
    """What a host is told before anything is mapped.

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
class Settled:
    """What the portal says when the task is mapped, or cannot be."""

    feasible: tuple[PartialMap, ...]
    accepted: PartialMap | None


@dataclass(frozen=True, slots=True)
class Record:
    """What a host says at the end.

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


def from_line(kind: type[Told], line: str | bytes) -> Told:
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
