"""Our counterparts of figures 5a, 6a and 7, and of figures 9 and 10."""

from collections.abc import Mapping, Sequence

from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import METRICS

from eyewall_papers.experiments.paper_000.heuristics import Heuristic, Pair
from eyewall_papers.experiments.paper_000.over_time import END, Run
from eyewall_papers.experiments.paper_000.pictures import Line, Panel
from eyewall_papers.experiments.paper_000.scalability import (
    Case,
    Solved,
    degradation,
    median_gap,
    median_ms,
)
from eyewall_papers.instances.baseline import Shape

UNITS = {
    Term.EE: "elastic energy, tuples · s",
    Term.N: "network usage, tuples",
    Term.T: "inter-node traffic, tuples/s",
}

TIME = "solving time, ms"


def over_time(heuristic: Heuristic, pair: Pair) -> Panel:
    """Draw what the heuristic optimises, its reassignments as short lines."""

    def line(run: Run) -> Line:
        values = run.values(METRICS[heuristic.term]).tolist()
        return [*(it.since for it in run.steps), END], [*values, values[-1]]

    lines = {heuristic.name: line(pair.run), f"S-ODP_{heuristic.term}": line(pair.best)}
    return Panel("time, s", UNITS[heuristic.term], lines, marks=pair.run.reassignments, steps=True)


def scaling(solved: Mapping[Case, Sequence[Solved]]) -> list[Panel]:
    """Draw figures 9a to 9c and 10a to 10c."""

    def lines(factor: str, value: Mapping[Case, float]) -> dict[str, Line]:
        drawn = {
            str(shape): [it for it in value if (it.factor, it.shape) == (factor, shape)]
            for shape in Shape
        }
        return {
            shape: ([it.amount for it in cases], [value[it] for it in cases])
            for shape, cases in drawn.items()
            if cases
        }

    ms = {it: median_ms(found) for it, found in solved.items()}
    gaps = {it: min(median_gap(found), 1.0) for it, found in solved.items()}
    whole = {it.shape: found for it, found in solved.items() if it.amount == 1}
    worse = {
        it: degradation(found, whole[it.shape], 0.0)
        for it, found in solved.items()
        if it.factor == "candidates"
    }
    log = ("linear", "log")
    sample = "share of 20 candidates, 50 operators"
    return [
        Panel("operators, on 20 nodes", TIME, lines("operators", ms), scales=log),
        Panel("nodes, for 20 operators", TIME, lines("nodes", ms), scales=log),
        Panel(
            "capacity of each of 20 nodes, 20 operators", TIME, lines("capacity", ms), scales=log
        ),
        Panel(sample, TIME, lines("candidates", ms), scales=log),
        Panel(sample, "R by the optimum's", lines("candidates", worse)),
        Panel(
            "time limit, s; 20 operators on 100 nodes",
            "gap, 1 if greater",
            lines("limit", gaps),
            scales=("log", "linear"),
        ),
    ]
