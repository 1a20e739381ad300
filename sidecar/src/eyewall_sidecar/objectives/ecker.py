"""Ecker's score: latency, nodes in use, streams and events between nodes, as one number.

Ecker et al. (paper 002), section 4.2, equation (1), always minimised. What the paper leaves open
is settled so: latency is counted in milliseconds, as ping and the paper's tables have it; an edge
is a stream between two operators; system streams are edges but on no path; a share of nothing (no
stream, no event) is 0.
"""

from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from eyewall_sidecar.model import Node, Placement, PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.limits import MOST
from eyewall_sidecar.objective import EckerWeights
from eyewall_sidecar.objectives.costs import Costs

UTILISATION = 0.95
"""Of a node's CPU and memory, what may be used before it counts as a violation (section 4.2)."""

MILLISECONDS = 1e3
"""In a second."""


def ecker_score(problem: PlacementProblem, placement: Placement, weights: EckerWeights) -> float:
    """Score a placement, equation (1): w1 · s_lat + w2 · s_sup + w3 · s_co + w4 · s_event."""
    return (
        weights.lat * MILLISECONDS * latency(problem, placement)
        + weights.sup * supervisors(problem, placement)
        + weights.co * separation(problem, placement)
        + weights.event * events(problem, placement)
    )


def latency(problem: PlacementProblem, placement: Placement) -> float:
    """s_lat: the delays on the slowest way from a source to a sink, in seconds.

    0 for sources, max(s_lat(p) + l_(p,o)) over its predecessors for every other operator; what
    operators take to work does not count.
    """
    reached: dict[str, float] = {}
    for operator, sources in problem.path_inputs.items():
        node = placement[operator]
        arrivals = (reached[source] + problem.delay(placement[source], node) for source in sources)
        reached[operator] = max(arrivals, default=0.0)
    return max(reached.values(), default=0.0)


def supervisors(problem: PlacementProblem, placement: Placement) -> float:
    """s_sup: the nodes in use, as a share of all."""
    return len(set(placement.values())) / len(problem.nodes) if placement else 0.0


def separation(problem: PlacementProblem, placement: Placement) -> float:
    """s_co: the streams whose ends are on different nodes, as a share of all."""
    apart = [placement[it.source] != placement[it.target] for it in problem.streams]
    return sum(apart) / len(apart) if apart else 0.0


def events(problem: PlacementProblem, placement: Placement) -> float:
    """s_event: the tuples/s between different nodes, as a share of all."""
    apart = fsum(it.rate for it in problem.streams if placement[it.source] != placement[it.target])
    total = fsum(it.rate for it in problem.streams)
    return apart / total if total > 0 else 0.0


def with_headroom(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem whose nodes offer only the CPU and memory that the score allows to use.

    They have as many cores as before.
    """
    return replace(problem, nodes=tuple(map(_with_headroom, problem.nodes)))


def _with_headroom(node: Node) -> Node:
    cores = node.cores
    if cores is None and node.cpu + node.background <= MOST:
        cores = node.cpu + node.background
    cpu, memory = UTILISATION * node.cpu, UTILISATION * node.memory
    return replace(node, cpu=cpu, memory=memory, cores=cores)


@dataclass(frozen=True, slots=True, eq=False)
class EckerCosts:
    """The score as costs.

    Parameters
    ----------
    costs
        Delays along paths (by the second, work left out) and what streams between nodes cost.
    per_node
        What each node in use costs.
    """

    costs: Costs
    per_node: float


def ecker_costs(arrays: ProblemArrays, weights: EckerWeights) -> EckerCosts:
    """Translate the score for compiled code."""
    nodes, streams = arrays.nodes, len(arrays.rates)
    rates = float(arrays.rates.sum())
    apart = 1.0 - np.eye(nodes)
    return EckerCosts(
        costs=Costs(
            response=weights.lat * MILLISECONDS,
            per_operator=np.zeros(nodes),
            per_rate=apart * (weights.event / rates if rates > 0 else 0.0),
            per_stream=apart * (weights.co / streams if streams else 0.0),
            data_rates=arrays.rates,
        ),
        per_node=weights.sup / nodes if nodes else 0.0,
    )
