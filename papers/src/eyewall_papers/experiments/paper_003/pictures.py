"""Figures side by side, with one legend for all: every panel has the same methods."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from eyewall_papers.experiments.log_ticks import plain_numbers
from eyewall_papers.experiments.paper_000.pictures import Panel

METHODS = 4
"""In a row of the legend."""


def draw_page(panels: Sequence[Panel], columns: int, file: Path) -> None:
    """Draw the panels row by row; lines of one name have one colour."""
    rows = -(-len(panels) // columns)
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure, axes = plt.subplots(
            rows,
            columns,
            squeeze=False,
            figsize=(3.4 * columns, 2.3 * rows + 0.5),
            layout="constrained",
        )
        drawn = {}
        for panel, axis in zip(panels, axes.flat, strict=False):
            for name, (x, y) in panel.lines.items():
                colour = f"C{names.index(name)}"
                (drawn[name],) = axis.plot(x, y, "o-", ms=2.5, lw=1, color=colour, label=name)
            axis.set_xlabel(panel.x)
            axis.set_ylabel(panel.y)
            axis.set_xscale(panel.scales[0])
            axis.set_yscale(panel.scales[1])
            if panel.scales[1] == "log":
                plain_numbers(axis.yaxis)
            axis.grid(alpha=0.3)
        figure.legend(
            handles=list(drawn.values()), loc="outside lower center", ncols=METHODS, frameon=False
        )
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)
