"""The pictures and the table of docs/user/policies.md: every policy at work on one small example.

A sensor in the west, an archive in the east and a console in the south, all pinned; between them
five operators that may go to any of a dozen nodes with room for two. Nodes are as far apart as
they are on the map. Policies that decline the objective N are shown with the first term they
optimise. The seed decides the map and what policies draw.

    python -m benchmarks policy-pictures [--seed 5] [--time-limit 10] [--docs docs]
"""

from __future__ import annotations

import argparse
import re
from math import atan2, degrees, hypot, isclose
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Solution, Stream
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies import load_policy, policy_catalogue
from matplotlib.patches import FancyArrowPatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

KILOMETRES_PER_SECOND = 100_000.0
"""Half the speed of light in glass: cables make detours."""

UNITS = {Term.R: ("ms", 1e3), Term.A: ("%", 1e2), Term.T: ("tuples/s", 1), Term.N: ("tuples", 1)}
UNITS[Term.EE] = ("tuples · ms", 1e3)

STREAMS = {
    ("sensor", "parse"): 100.0,
    ("parse", "filter"): 100.0,
    ("filter", "count"): 40.0,
    ("filter", "detect"): 40.0,
    ("count", "archive"): 20.0,
    ("detect", "merge"): 10.0,
    ("count", "merge"): 5.0,
    ("merge", "console"): 5.0,
}

Point = tuple[float, float]


def example(seed: int) -> PlacementProblem:
    """Draw the map, on which nodes keep a distance from each other."""
    points = scatter_points(seed)
    order = sorted(points)
    nodes = tuple(
        Node(f"n{place + 1}", operators=2, coordinates=point) for place, point in enumerate(order)
    )
    south = min(range(len(order)), key=lambda place: order[place][1])
    pins = {"sensor": nodes[0].id, "archive": nodes[-1].id, "console": nodes[south].id}
    names = dict.fromkeys(name for ends in STREAMS for name in ends)
    delays = np.array([[hypot(x - a, y - b) for a, b in order] for x, y in order])
    return PlacementProblem(
        operators=tuple(
            Operator(name, execution_time=0.001, candidates=(pins[name],) if name in pins else None)
            for name in names
        ),
        streams=tuple(Stream(i, j, rate) for (i, j), rate in STREAMS.items()),
        nodes=nodes,
        links=LinkMatrix.from_delays([it.id for it in nodes], delays / KILOMETRES_PER_SECOND),
    )


def scatter_points(seed: int, count: int = 12, apart: float = 450.0) -> list[Point]:
    """Draw points on a map of 3000 × 1600 km."""
    rng = np.random.default_rng(seed)
    points: list[Point] = []
    while len(points) < count:
        x, y = rng.uniform(0, 3000), rng.uniform(0, 1600)
        if all(hypot(x - a, y - b) >= apart for a, b in points):
            points.append((float(x), float(y)))
    return points


def objective_for(policy: str) -> Objective:
    """Return N where the policy takes it, else its own term."""
    wanted = Objective({Term.N: 1.0})
    entry = policy_catalogue()[policy]
    return wanted if entry.takes(wanted) else Objective({entry.optimises[0]: 1.0})


def draw(problem: PlacementProblem, solution: Solution, title: str, file: Path) -> None:
    """Draw nodes, the operators on them, and streams as arrows whose width is the rate."""
    with mpl.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "eyewall",
            "font.family": "sans-serif",
            "font.size": 9.0,
        }
    ):
        figure, panel = plt.subplots(figsize=(6.4, 3.7), layout="constrained")
        panel.set_title(title, loc="left", fontsize=9.5)
        panel.set_xlim(-200, 3250)
        panel.set_ylim(-220, 1800)
        panel.set_aspect("equal")
        panel.axis("off")
        if solution.placement is not None:
            draw_streams(panel, problem, solution.placement)
            draw_nodes(panel, problem, solution.placement)
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)


def draw_streams(panel: Axes, problem: PlacementProblem, placement: Mapping[str, str]) -> None:
    for stream in problem.streams:
        start, end = placement[stream.source], placement[stream.target]
        if start == end:
            continue
        panel.add_patch(
            FancyArrowPatch(
                position(problem, start),
                position(problem, end),
                arrowstyle="-|>",
                mutation_scale=9,
                shrinkA=9,
                shrinkB=9,
                linewidth=0.6 + stream.rate / 30,
                color="#1f6fb4",
                alpha=0.75,
                connectionstyle="arc3,rad=0.12",
            )
        )


def draw_nodes(panel: Axes, problem: PlacementProblem, placement: Mapping[str, str]) -> None:
    pinned = {it.id for it in problem.operators if it.candidates is not None}
    for node in problem.nodes:
        x, y = position(problem, node.id)
        held = [operator for operator, place in placement.items() if place == node.id]
        panel.plot(
            x, y, "o", markersize=15, color="#dcebf7" if held else "white", markeredgecolor="#555"
        )
        panel.text(x, y, node.id, ha="center", va="center", fontsize=6.5, color="#444")
        words = ", ".join(f"{it} (pinned)" if it in pinned else it for it in held)
        across, up = free_side(problem, placement, node.id)
        panel.text(
            x + 105 * across,
            y + 105 * up,
            words,
            ha={-1: "right", 0: "center", 1: "left"}[across],
            va={-1: "top", 0: "center", 1: "bottom"}[up],
            fontsize=8,
            weight="bold",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.8},
        )
    panel.text(
        -180,
        -200,
        "a node holds two operators; arrows are as wide as the stream's rate",
        fontsize=7,
        color="#666",
    )


def free_side(
    problem: PlacementProblem, placement: Mapping[str, str], node: str
) -> tuple[int, int]:
    """Return the side of a node where no arrow is near: above it, if there is room enough."""
    x, y = position(problem, node)
    ends = [(placement[it.source], placement[it.target]) for it in problem.streams]
    others = {it for pair in ends if node in pair for it in pair} - {node}
    arrows = [atan2(position(problem, it)[1] - y, position(problem, it)[0] - x) for it in others]

    def clear(side: tuple[int, int]) -> float:
        """Degrees to the nearest arrow; beyond 60 one side is as good as another."""
        turns = [degrees(atan2(side[1], side[0]) - it) for it in arrows]
        return min([60.0, *(abs((turn + 180) % 360 - 180) for turn in turns)])

    return max([(0, 1), (0, -1), (1, 0), (-1, 0)], key=clear)


def position(problem: PlacementProblem, node: str) -> Point:
    x, y = problem.node(node).coordinates or (0.0, 0.0)
    return x, y


def title_of(policy: str, solution: Solution, best: Solution, term: Term) -> str:
    """Return the title: the placement's value, and the optimum."""
    unit, factor = UNITS[term]
    if solution.evaluation is None or best.evaluation is None:
        return f"{policy}: {solution.status}"
    value, optimum = solution.evaluation.value * factor, best.evaluation.value * factor
    worth = f"{policy}: {term} = {value:.3g} {unit}"
    reached = isclose(value, optimum, rel_tol=1e-9)
    return f"{worth}, the optimum" if reached else f"{worth} (optimum {optimum:.3g})"


def table() -> str:
    """Return the catalogue as the page's table."""
    rows = [
        f"| `{name}` | {it.source} | {it.method} | {it.objectives} | {it.take_it} |"
        for name, it in policy_catalogue().items()
    ]
    head = "| policy | from | how | optimises | take it |\n| --- | --- | --- | --- | --- |"
    return "\n".join([head, *rows])


def gallery() -> str:
    """Return a heading and a picture for each policy."""
    parts = [
        f"### {it.title}\n\n![{name} at work](policies/{name}.svg)"
        for name, it in policy_catalogue().items()
    ]
    return "\n\n".join(parts)


def write_between(page: str, mark: str, text: str) -> str:
    """Replace what is between the page's two comments of that name."""
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- end of {mark} -->)"
    if not re.search(pattern, page, re.DOTALL):
        raise SystemExit(f"the page has no <!-- {mark} --> … <!-- end of {mark} -->")
    return re.sub(pattern, lambda it: f"{it[1]}\n{text}\n\n{it[2]}", page, flags=re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[2] / "docs/user")
    options = parser.parse_args()
    problem = example(options.seed)
    folder = options.docs / "policies"
    folder.mkdir(exist_ok=True)
    for name in policy_catalogue():
        objective = objective_for(name)
        term = objective.single
        assert term is not None
        best = load_policy("odp")(problem, objective, time_limit=options.time_limit, seed=0)
        solution = best
        if name != "odp":
            solution = load_policy(name)(
                problem, objective, time_limit=options.time_limit, seed=options.seed
            )
        title = title_of(name, solution, best, term)
        draw(problem, solution, title, folder / f"{name}.svg")
        print(title)
    page = options.docs / "policies.md"
    text = write_between(page.read_text(encoding="utf-8"), "table", table())
    page.write_text(write_between(text, "pictures", gallery()), encoding="utf-8")


if __name__ == "__main__":
    main()
