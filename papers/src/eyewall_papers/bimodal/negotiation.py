"""The agents of a simulated network map one task; the order of messages is a parameter."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from eyewall_sidecar.heuristic.stopping_criteria import SearchProgress, StoppingCriterion, never

from eyewall_papers.bimodal.agent import MappingAgent, MappingOutcome
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.messages import Envelope, Map
from eyewall_papers.bimodal.metric import MapMetric
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.pruning import Pruning
from eyewall_papers.bimodal.surroundings import Stock, Surroundings
from eyewall_papers.bimodal.task import Task


class MessageQueue(Protocol):
    """Messages under way."""

    def put(self, envelope: Envelope) -> None:
        """Take a message that was sent."""
        ...

    def get(self) -> Envelope:
        """Return one that arrives next."""
        ...

    def __len__(self) -> int:
        """Number of messages under way."""
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
class RecordedOrder:
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
        """Return the next recorded message that has been sent."""
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
class MessageTraffic:
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
    agents: Mapping[str, MappingAgent],
    sent: Iterable[Envelope],
    queue: MessageQueue,
    stop: StoppingCriterion = never,
) -> MessageTraffic:
    """Carry messages between agents until none is under way, or `stop` returns true."""
    messages: Counter[str] = Counter()
    for envelope in sent:
        queue.put(envelope)
    while len(queue) and not stop(SearchProgress(steps=messages.total())):
        envelope = queue.get()
        messages[type(envelope.message).__name__] += 1
        for answer in agents[envelope.receiver].handle(envelope.sender, envelope.message):
            queue.put(answer)
    return MessageTraffic(messages, pending=len(queue))


@dataclass(frozen=True, slots=True)
class Negotiation:
    """How the agents of a network agreed on a mapping.

    Parameters
    ----------
    outcome
        What the portal knows; None if the computation was stopped before it ended.
    traffic
        The messages that it took.
    """

    outcome: MappingOutcome | None
    traffic: MessageTraffic


def agents_of(
    network: TwoKindNetwork, free: Resources, pruning: Pruning, metric: MapMetric, seed: int
) -> dict[str, MappingAgent]:
    """Return an agent for each node, each with its own stream of random numbers."""
    return {
        node.id: agent_of(network, free, node.id, pruning, metric, seed) for node in network.nodes
    }


def agent_of(
    network: TwoKindNetwork,
    free: Resources,
    node: str,
    pruning: Pruning,
    metric: MapMetric,
    seed: int,
) -> MappingAgent:
    """Return the agent of one node."""
    place = [it.id for it in network.nodes].index(node)
    return MappingAgent(
        Surroundings.of(network, node),
        Stock.of(network, free, node),
        pruning,
        metric,
        np.random.default_rng([seed, place]),
    )


def negotiate(
    network: TwoKindNetwork,
    free: Resources,
    task: Task,
    pruning: Pruning,
    metric: MapMetric,
    *,
    seed: int = 0,
    queue: Callable[[], MessageQueue] = FirstInFirstOut,
    stop: StoppingCriterion = never,
) -> Negotiation:
    """Let the agents map one task, and reserve the best map.

    Parameters
    ----------
    network, free
        The nodes and links, and what is left of them.
    task
        What is mapped.
    pruning, metric
        Which maps agents send on, and what makes one better.
    seed
        Same seed and order of messages, same answer.
    queue
        Makes the order in which messages arrive.
    stop
        Asked before each message.
    """
    agents = agents_of(network, free, pruning, metric, seed)
    portal = agents[task.sink]
    traffic = deliver(agents, portal.launch(task), queue(), stop)
    outcome = portal.outcomes.get(task.id)
    return Negotiation(outcome if outcome and outcome.settled else None, traffic)
