"""Section 7.2, figures 5 to 7: each heuristic over time beside the S-ODP of what it optimises."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import METRICS
from numpy.random import Generator

from eyewall_papers.cost_space.equilibrium import SpringTurns
from eyewall_papers.experiments.paper_000 import best_fit, decentralised
from eyewall_papers.experiments.paper_000.decentralised import Neighbours
from eyewall_papers.experiments.paper_000.over_time import (
    AVERAGED,
    LATENCY,
    RATES_KNOWN,
    TRAFFIC,
    Run,
    by_optimum,
    in_two_steps,
)
from eyewall_papers.policies import pietzuch, rizou

STRAIGHT_TO_BALANCE = SpringTurns(damping=1.0, at_rest=pietzuch.TURNS.at_rest)
"""A part of the way from a node seldom reaches another node: nothing would ever move."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One instance: the heuristic's run, and that of S-ODP."""

    run: Run
    best: Run


@dataclass(frozen=True, slots=True)
class Heuristic:
    """One of the three, with what it optimises."""

    name: str
    term: Term
    run: Callable[[PlacementProblem, Generator], Run]

    def beside_optimum(self, problem: PlacementProblem, rng: Generator) -> Pair:
        return Pair(self.run(problem, rng), in_two_steps(problem, self.term))


def heuristics(neighbours: Neighbours) -> tuple[Heuristic, ...]:
    """Return Pietzuch's, Rizou's and Xu's."""
    springs = STRAIGHT_TO_BALANCE if neighbours is Neighbours.ON_NODES else pietzuch.TURNS
    return (
        Heuristic(
            "Pietzuch", Term.EE, lambda it, rng: decentralised.run(it, springs, rng, neighbours)
        ),
        Heuristic(
            "Rizou", Term.N, lambda it, rng: decentralised.run(it, rizou.TURNS, rng, neighbours)
        ),
        Heuristic("Xu", Term.T, best_fit.run),
    )


def rows(heuristic: Heuristic, pairs: Sequence[Pair]) -> list[tuple[str, str, str]]:
    """Return (figure, paper, ours): medians, in brackets the least and the greatest."""
    name, term = heuristic.name, heuristic.term
    metric = METRICS[term]

    def each(value: Callable[[Pair], float]) -> Floats:
        return np.array([value(it) for it in pairs])

    optimal = each(lambda it: reached(it, term))
    finite = optimal[np.isfinite(optimal)]
    found = f"{len(finite)} of {len(pairs)}"
    after = f", there from {np.median(finite):.0f} s on" if len(finite) else ""
    settled = _spread(each(lambda it: it.run.settled()), "{:.0f}")
    usage = _spread(each(lambda it: by_optimum(it.run, it.best, metric)))
    count = _spread(each(lambda it: len(it.run.reassignments)), "{:.0f}")
    match name:
        case "Pietzuch":
            early = each(lambda it: sum(at <= AVERAGED[0] for at in it.run.reassignments))
            late = each(lambda it: sum(at > AVERAGED[1] for at in it.run.reassignments))
            traffic = _beside(each(lambda it: by_optimum(it.run, it.best, TRAFFIC)), 1.84)
            latency = _beside(each(lambda it: by_optimum(it.run, it.best, LATENCY)), 1.15)
            return [
                ("Pietzuch: EE by the optimum's, 800 to 2000 s", "sub-optimal", usage),
                ("Pietzuch: inter-node traffic by that of S-ODP_EE", "1.84", traffic),
                ("Pietzuch: mean latency by that of S-ODP_EE", "1.15", latency),
                (
                    "Pietzuch: reassignments until 800 s",
                    "16 in all",
                    _spread(early, "{:.0f}"),
                ),
                ("Pietzuch: reassignments after 2000 s", "some", _spread(late, "{:.0f}")),
            ]
        case "Rizou":
            return [
                ("Rizou: N by the optimum's, 800 to 2000 s", "1", usage),
                ("Rizou: reassignments", "5", count),
                ("Rizou: at rest from, s", "< 300", settled),
                ("Rizou: the optimum found", "yes", found + after),
            ]
        case _:
            first = each(lambda it: traffic_at(it.run, RATES_KNOWN) / it.best.values(TRAFFIC)[-1])
            sub = f"{np.sum(first > 1 + 1e-9)} of {len(pairs)}"
            return [
                ("Xu: T by the optimum's after 100 s", "sub-optimal", _spread(first)),
                ("Xu: sub-optimal after 100 s", "yes", sub),
                ("Xu: reassignments", "2", count),
                ("Xu: the optimum found", "yes, from 750 s on", found + after),
                ("Xu: T by the optimum's, 800 to 2000 s", "1", usage),
            ]


def traffic_at(run: Run, now: float) -> float:
    """Return the inter-node traffic at a moment, in tuples/s."""
    since = np.array([it.since for it in run.steps])
    return float(run.values(TRAFFIC)[np.searchsorted(since, now, side="right") - 1])


def reached(pair: Pair, term: Term) -> float:
    """Return from when on the run is at the optimum, to its end; infinite if it never is."""
    values = pair.run.values(METRICS[term])
    best = pair.best.values(METRICS[term])[-1]
    worse = np.flatnonzero(values > best * (1 + 1e-9))
    first = int(worse[-1]) + 1 if len(worse) else 0
    return pair.run.steps[first].since if first < len(values) else np.inf


def second_step(pairs: Sequence[Pair], heuristic: Heuristic) -> tuple[str, str, str]:
    """Return what S-ODP's early assignment costs before rates are known."""
    metric = METRICS[heuristic.term]
    gains = np.array([it.best.values(metric)[0] / it.best.values(metric)[-1] for it in pairs])
    moves = np.array([it.best.moves for it in pairs], dtype=np.float64)
    name = f"S-ODP_{heuristic.term}: {heuristic.term} before 100 s by that after; executors moved"
    return name, "", f"{_spread(gains)}; {_spread(moves, '{:.0f}')}"


def _beside(values: Floats, quoted: float) -> str:
    """Return how often the paper's figure is reached, too."""
    return f"{_spread(values)}; {quoted} or more in {(values >= quoted).mean():.0%}"


def _spread(values: Floats, shown: str = "{:.2f}") -> str:
    middle, least, most = np.median(values), values.min(), values.max()
    return f"{shown.format(middle)} ({shown.format(least)} to {shown.format(most)})"
