"""A task mapped by the agents of a network, in simulation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.heuristic.stopping import StoppingCriterion, never

from eyewall_papers.bimodal.agent import Agent, Outcome
from eyewall_papers.bimodal.delivery import FirstInFirstOut, Queue, Traffic, deliver
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.metric import Metric
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.pruning import Pruning
from eyewall_papers.bimodal.surroundings import Stock, Surroundings
from eyewall_papers.bimodal.task import Task


@dataclass(frozen=True, slots=True)
class Negotiation:
    """How the agents of a network came to a mapping.

    Parameters
    ----------
    outcome
        What the portal knows; None if the computation was stopped before it ended.
    traffic
        The messages that it took.
    """

    outcome: Outcome | None
    traffic: Traffic


def agents_of(
    network: TwoKindNetwork, free: Resources, pruning: Pruning, metric: Metric, seed: int
) -> dict[str, Agent]:
    """Return an agent for each node, each with its own stream of random numbers."""
    return {
        node.id: agent_of(network, free, node.id, pruning, metric, seed) for node in network.nodes
    }


def agent_of(
    network: TwoKindNetwork,
    free: Resources,
    node: str,
    pruning: Pruning,
    metric: Metric,
    seed: int,
) -> Agent:
    """Return the agent of one node."""
    place = [it.id for it in network.nodes].index(node)
    return Agent(
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
    metric: Metric,
    *,
    seed: int = 0,
    queue: Callable[[], Queue] = FirstInFirstOut,
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
