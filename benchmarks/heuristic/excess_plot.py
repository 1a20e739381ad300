"""The picture of heuristics.py: a panel for each time limit, a line for each case."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import matplotlib.pyplot as plt
from eyewall_papers.experiments.report import save, style

LINEAR = 0.001
"""Excess below which the axis is linear, so that 0 has a place."""
SPREAD = 0.6
"""Share of a case's row over which its policies are spread."""
MARKERS = "osD^v<>PXhp*d"


@dataclass(frozen=True, slots=True)
class Point:
    """One policy on one case within one time limit: median and greatest excess."""

    case: str
    policy: str
    limit: str
    median: float
    worst: float


def draw(points: Sequence[Point], limits: Sequence[str], file: Path) -> None:
    """Draw medians as marks, with lines to the worst; no placement, no mark."""
    cases = list(dict.fromkeys(it.case for it in points))
    policies = list(dict.fromkeys(it.policy for it in points))
    with style():
        figure, panels = plt.subplots(
            1,
            len(limits),
            sharex=True,
            sharey=True,
            squeeze=False,
            figsize=(4 * len(limits), 1.5 + 0.35 * len(cases)),
            layout="constrained",
        )
        for panel, limit in zip(panels[0], limits, strict=True):
            panel.set_title(f"after {limit}")
            panel.set_xscale("symlog", linthresh=LINEAR)
            panel.set_yticks(range(len(cases)), cases)
            panel.grid(alpha=0.3)
            for number, policy in enumerate(policies):
                mine = [it for it in points if it.policy == policy and it.limit == limit]
                seen = [it for it in mine if isfinite(it.median)]
                lift = SPREAD * (number / max(1, len(policies) - 1) - 0.5)
                heights = [cases.index(it.case) + lift for it in seen]
                colour = f"C{number % 10}"
                for height, it in zip(heights, seen, strict=True):
                    if isfinite(it.worst):
                        panel.plot([it.median, it.worst], [height] * 2, color=colour, lw=0.8)
                panel.plot(
                    [it.median for it in seen],
                    heights,
                    MARKERS[number % len(MARKERS)],
                    color=colour,
                    ms=4,
                    label=policy,
                )
        panels[0][0].invert_yaxis()
        panels[0][0].set_xlim(left=-LINEAR / 2)
        figure.supxlabel("excess over the optimum (1 = twice the optimum); line to the worst seed")
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=8, frameon=False)
        save(figure, file)
    plt.close(figure)
