"""Section 7.2, figures 5 to 7: each heuristic over time next to the S-ODP of its metric."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import METRICS
from numpy.random import Generator

from eyewall_papers.cost_space.equilibrium import SpringTurns
from eyewall_papers.experiments.paper_000.placements import mean_latency
from eyewall_papers.experiments.paper_000.schedulers import (
    END,
    RATES_KNOWN,
    Metric,
    Neighbours,
    PlacementTimeline,
    run_decentralised,
    run_s_odp,
    run_xu,
)
from eyewall_papers.experiments.report import Line, Panel, Row
from eyewall_papers.policies import pietzuch, rizou

AVERAGED = 800.0, 2000.0
LATENCY: Metric = mean_latency
TRAFFIC: Metric = METRICS[Term.T]
STRAIGHT_TO_BALANCE = SpringTurns(damping=1.0, at_rest=pietzuch.TURNS.at_rest)
"""A part of the way from a node seldom reaches another node: nothing would ever move."""
UNITS = {
    Term.EE: "elastic energy, tuples · s",
    Term.N: "network usage, tuples",
    Term.T: "inter-node traffic, tuples/s",
}


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One instance: the heuristic's timeline, and that of S-ODP."""

    run: PlacementTimeline
    best: PlacementTimeline

    def ratio_to_optimum(self, metric: Metric) -> float:
        """Return the run's mean over the paper's interval, by that of S-ODP."""
        return self.run.mean(metric, *AVERAGED) / self.best.mean(metric, *AVERAGED)

    def time_of_optimum(self, term: Term) -> float:
        """Return from when on the run is at the optimum, to its end; infinite if it never is."""
        values = self.run.values(METRICS[term])
        best = self.best.values(METRICS[term])[-1]
        worse = np.flatnonzero(values > best * (1 + 1e-9))
        first = int(worse[-1]) + 1 if len(worse) else 0
        return self.run.steps[first].since if first < len(values) else np.inf


@dataclass(frozen=True, slots=True)
class TimedHeuristic:
    """One of the three, with its term."""

    name: str
    term: Term
    run: Callable[[PlacementProblem, Generator], PlacementTimeline]

    def compare_with_optimum(self, problem: PlacementProblem, rng: Generator) -> ComparedRun:
        return ComparedRun(self.run(problem, rng), run_s_odp(problem, self.term))

    def panel(self, pair: ComparedRun) -> Panel:
        """Return its term over time (figures 5a, 6a and 7)."""

        def line(run: PlacementTimeline) -> Line:
            values = run.values(METRICS[self.term]).tolist()
            return [*(it.since for it in run.steps), END], [*values, values[-1]]

        lines = {self.name: line(pair.run), f"S-ODP_{self.term}": line(pair.best)}
        marks = pair.run.reassignments
        return Panel("time, s", UNITS[self.term], lines, marks=marks, steps=True)


def heuristics(neighbours: Neighbours) -> tuple[TimedHeuristic, ...]:
    """Return Pietzuch's, Rizou's and Xu's."""
    springs = STRAIGHT_TO_BALANCE if neighbours is Neighbours.ON_NODES else pietzuch.TURNS
    return (
        TimedHeuristic(
            "Pietzuch", Term.EE, lambda it, rng: run_decentralised(it, springs, rng, neighbours)
        ),
        TimedHeuristic(
            "Rizou", Term.N, lambda it, rng: run_decentralised(it, rizou.TURNS, rng, neighbours)
        ),
        TimedHeuristic("Xu", Term.T, run_xu),
    )


def rows(heuristic: TimedHeuristic, pairs: Sequence[ComparedRun]) -> list[Row]:
    """Return (figure, paper, ours): medians, with the least and the greatest in brackets."""
    name, term = heuristic.name, heuristic.term

    def each(value: Callable[[ComparedRun], float]) -> Floats:
        return np.array([value(it) for it in pairs])

    optimal = each(lambda it: it.time_of_optimum(term))
    finite = optimal[np.isfinite(optimal)]
    after = f", there from {np.median(finite):.0f} s on" if len(finite) else ""
    found = f"{len(finite)} of {len(pairs)}{after}"
    usage = _spread(each(lambda it: it.ratio_to_optimum(METRICS[term])))
    moved = _spread(each(lambda it: len(it.run.reassignments)), "{:.0f}")
    match name:
        case "Pietzuch":
            early = each(lambda it: sum(at <= AVERAGED[0] for at in it.run.reassignments))
            late = each(lambda it: sum(at > AVERAGED[1] for at in it.run.reassignments))
            return [
                ("Pietzuch: EE by the optimum's, 800 to 2000 s", "sub-optimal", usage),
                (
                    "Pietzuch: inter-node traffic by that of S-ODP_EE",
                    "1.84",
                    _compare(each(lambda it: it.ratio_to_optimum(TRAFFIC)), 1.84),
                ),
                (
                    "Pietzuch: mean latency by that of S-ODP_EE",
                    "1.15",
                    _compare(each(lambda it: it.ratio_to_optimum(LATENCY)), 1.15),
                ),
                ("Pietzuch: reassignments until 800 s", "16 in all", _spread(early, "{:.0f}")),
                ("Pietzuch: reassignments after 2000 s", "some", _spread(late, "{:.0f}")),
            ]
        case "Rizou":
            settled = _spread(each(lambda it: it.run.settled()), "{:.0f}")
            return [
                ("Rizou: N by the optimum's, 800 to 2000 s", "1", usage),
                ("Rizou: reassignments", "5", moved),
                ("Rizou: at rest from, s", "< 300", settled),
                ("Rizou: the optimum found", "yes", found),
            ]
        case _:
            first = each(lambda it: traffic_at(it.run, RATES_KNOWN) / it.best.values(TRAFFIC)[-1])
            worse = f"{np.sum(first > 1 + 1e-9)} of {len(pairs)}"
            return [
                ("Xu: T by the optimum's after 100 s", "sub-optimal", _spread(first)),
                ("Xu: sub-optimal after 100 s", "yes", worse),
                ("Xu: reassignments", "2", moved),
                ("Xu: the optimum found", "yes, from 750 s on", found),
                ("Xu: T by the optimum's, 800 to 2000 s", "1", usage),
            ]


def traffic_at(run: PlacementTimeline, now: float) -> float:
    """Return the inter-node traffic at a moment, in tuples/s."""
    since = np.array([it.since for it in run.steps])
    return float(run.values(TRAFFIC)[np.searchsorted(since, now, side="right") - 1])


def second_step(heuristic: TimedHeuristic, pairs: Sequence[ComparedRun]) -> Row:
    """Return what S-ODP's early assignment costs before rates are known."""
    metric = METRICS[heuristic.term]
    gains = np.array([it.best.values(metric)[0] / it.best.values(metric)[-1] for it in pairs])
    moves = np.array([it.best.moves for it in pairs], dtype=np.float64)
    name = f"S-ODP_{heuristic.term}: {heuristic.term} before 100 s by that after; executors moved"
    return name, "", f"{_spread(gains)}; {_spread(moves, '{:.0f}')}"


def _compare(values: Floats, quoted: float) -> str:
    """Return how often the paper's figure is reached, too."""
    return f"{_spread(values)}; {quoted} or more in {(values >= quoted).mean():.0%}"


def _spread(values: Floats, shown: str = "{:.2f}") -> str:
    middle, least, most = np.median(values), values.min(), values.max()
    return f"{shown.format(middle)} ({shown.format(least)} to {shown.format(most)})"
