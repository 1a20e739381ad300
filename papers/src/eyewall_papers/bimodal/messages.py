"""What agents say to each other (paper 004, sections 3 and 4)."""

from dataclasses import dataclass
from enum import StrEnum

from eyewall_papers.bimodal.partial_map import PartialMap
from eyewall_papers.bimodal.task import Task


class AckKind(StrEnum):
    """What an ack tells beside that a map was dealt with."""

    REGULAR = "regular"
    FINAL = "final"
    """The sender has nothing under way any more, and forgets the task."""


@dataclass(frozen=True, slots=True)
class Map:
    """A partial map, with the task's specification for who may not know it."""

    task: str
    partial: PartialMap
    spec: Task | None = None


@dataclass(frozen=True, slots=True)
class Ack:
    """A map of this task was dealt with."""

    task: str
    kind: AckKind


@dataclass(frozen=True, slots=True)
class Unknown:
    """A map comes back: who got it does not know the task, and needs the specification."""

    task: str
    partial: PartialMap


@dataclass(frozen=True, slots=True)
class Probe:
    """Reserve what the visit at this place of a whole map needs; places count down to 0."""

    spec: Task
    partial: PartialMap
    place: int


@dataclass(frozen=True, slots=True)
class RollBack:
    """Give back what was reserved for the visit at this place; places count up to the sink."""

    task: str
    partial: PartialMap
    place: int


@dataclass(frozen=True, slots=True)
class Reserved:
    """From source to sink: all of the map is reserved, the stream may start."""

    task: str
    partial: PartialMap


Message = Map | Ack | Unknown | Probe | RollBack | Reserved


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message on its way."""

    sender: str
    receiver: str
    message: Message
