"""The algorithms that a configuration can name, and the settings of all of them.

To add one: a module with a class of `Algorithm`, a line here, its name in examples/latency.toml.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eyewall_contracts.latency import MOST_DIMENSIONS

from eyewall_latency.memory import Fading
from eyewall_latency.paper_relaxation import Paper, PaperAlgorithm
from eyewall_latency.peers import Choosing
from eyewall_latency.relaxation import Relaxation
from eyewall_latency.setting import choice, number, whole_number
from eyewall_latency.springs import Springs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eyewall_latency.algorithm import Algorithm

ALGORITHMS: Mapping[str, Callable[[EstimatorSettings], Algorithm]] = {
    "springs": lambda it: Springs(
        it.space.dimensions,
        height=it.space.height,
        gravity_reach_seconds=it.space.gravity_reach_seconds,
        choosing=it.peers,
        relaxation=it.relaxation,
    ),
    "paper": lambda it: PaperAlgorithm(it.paper),
}
"""By name; the first is the default."""


@dataclass(frozen=True, slots=True)
class Space:
    """The latency space, the same on every host: a host does not see those of another space.

    Parameters
    ----------
    algorithm
        `springs`: the shipped one. `paper`: paper 002's, three dimensions, without memory.
    dimensions, height
        Of the space; for `paper` they are 3 and none.
    gravity_reach_seconds
        How far from the origin gravity is as strong as it gets.
    """

    algorithm: str = choice(*ALGORITHMS)
    dimensions: int = whole_number(8, 1, MOST_DIMENSIONS)
    height: bool = True
    gravity_reach_seconds: float = number(6.0, 0.1, 1e6)


@dataclass(frozen=True, slots=True)
class EstimatorSettings:
    """Everything that the estimation of one host depends on."""

    space: Space = field(default_factory=Space)
    peers: Choosing = field(default_factory=Choosing)
    fading: Fading = field(default_factory=Fading)
    relaxation: Relaxation = field(default_factory=Relaxation)
    paper: Paper = field(default_factory=Paper)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that `space` names, with its settings."""
        return ALGORITHMS[self.space.algorithm](self)
