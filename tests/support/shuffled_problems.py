"""Small problems with shuffles."""

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.shuffles import Shuffles

SOURCE, A1, A2, B1, B2, SINK = range(6)
"""Operators of the chain."""


def chain() -> Shuffles:
    """Source → a1, a2 → b1, b2 → sink, all shuffled, and two acks."""
    streams = [Stream("source", it, 5.0, shuffle="a") for it in ("a1", "a2")]
    streams += [Stream(a, b, 2.5, shuffle="b") for a in ("a1", "a2") for b in ("b1", "b2")]
    streams += [Stream(b, "sink", 5.0) for b in ("b1", "b2")]
    streams += [
        Stream("sink", "source", 10.0, system=True),
        Stream("a2", "source", 5.0, system=True),
    ]
    return shuffles_of(problem_of(streams, "source", "a1", "a2", "b1", "b2", "sink"))


def problem_of(streams: list[Stream], *operators: str) -> PlacementProblem:
    return PlacementProblem(
        operators=tuple(map(Operator, operators)),
        streams=tuple(streams),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.001), ("n2", "n1"): Link(0.001)},
    )


def shuffles_of(problem: PlacementProblem) -> Shuffles:
    return ProblemArrays.of(problem).shuffles
