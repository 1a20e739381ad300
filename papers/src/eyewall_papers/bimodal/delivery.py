"""The simulated network that carries agents' messages, in an order that is chosen from outside."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from eyewall_sidecar.heuristic.stopping import Progress, StoppingCriterion, never

from eyewall_papers.bimodal.agent import Agent
from eyewall_papers.bimodal.messages import Envelope, Map


class Queue(Protocol):
    """Messages under way."""

    def put(self, envelope: Envelope) -> None:
        """Take a message that was sent."""
        ...

    def get(self) -> Envelope:
        """Return one that arrives next."""
        ...

    def __len__(self) -> int:
        """How many are under way."""
        ...


@dataclass(slots=True)
class FirstInFirstOut:
    """Each message takes the same time."""

    _waiting: deque[Envelope] = field(default_factory=deque)

    def put(self, envelope: Envelope) -> None:
        """Take a message that was sent."""
        self._waiting.append(envelope)

    def get(self) -> Envelope:
        """Return the oldest."""
        return self._waiting.popleft()

    def __len__(self) -> int:
        return len(self._waiting)


@dataclass(slots=True)
class AsRecorded:
    """Each node hears its senders in the order in which it once did.

    Parameters
    ----------
    heard
        Node id → ids of the senders of its messages, in order. Messages between the same two nodes
        do not overtake each other.
    """

    heard: Mapping[str, Sequence[str]]
    _waiting: dict[tuple[str, str], deque[Envelope]] = field(default_factory=dict)
    _next: Counter[str] = field(default_factory=Counter)

    def put(self, envelope: Envelope) -> None:
        """Take a message that was sent."""
        ends = envelope.sender, envelope.receiver
        self._waiting.setdefault(ends, deque()).append(envelope)

    def get(self) -> Envelope:
        """Return the next one of a node whose next sender has sent it."""
        for receiver, senders in self.heard.items():
            place = self._next[receiver]
            if place < len(senders):
                waiting = self._waiting.get((senders[place], receiver))
                if waiting:
                    self._next[receiver] += 1
                    return waiting.popleft()
        raise ValueError("the record does not say which message arrives next")

    def __len__(self) -> int:
        return sum(len(it) for it in self._waiting.values())


@dataclass(frozen=True, slots=True)
class Traffic:
    """What was delivered.

    Parameters
    ----------
    messages
        Kind → how many.
    pending
        Messages that were under way when the search was stopped; 0 if it ended by itself.
    """

    messages: Mapping[str, int]
    pending: int = 0

    @property
    def maps(self) -> int:
        """Map messages, the figure that the paper reports."""
        return self.messages.get(Map.__name__, 0)


def deliver(
    agents: Mapping[str, Agent],
    sent: Iterable[Envelope],
    queue: Queue,
    stop: StoppingCriterion = never,
) -> Traffic:
    """Carry messages between agents until none is under way, or `stop` says so."""
    messages: Counter[str] = Counter()
    for envelope in sent:
        queue.put(envelope)
    while len(queue) and not stop(Progress(steps=messages.total())):
        envelope = queue.get()
        messages[type(envelope.message).__name__] += 1
        for answer in agents[envelope.receiver].handle(envelope.sender, envelope.message):
            queue.put(answer)
    return Traffic(messages, pending=len(queue))
