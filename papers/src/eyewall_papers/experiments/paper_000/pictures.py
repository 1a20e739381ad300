"""Lines side by side, a panel for each figure of the paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from eyewall_papers.experiments.log_ticks import plain_numbers

Line = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture.

    Parameters
    ----------
    lines
        Name → x and y.
    marks
        x of short lines at the bottom, where operators were reassigned.
    steps
        Whether a value holds until the next one.
    scales
        Of x and y: linear or log.
    """

    x: str
    y: str
    lines: Mapping[str, Line]
    marks: Sequence[float] = ()
    steps: bool = False
    scales: tuple[str, str] = field(default=("linear", "linear"))


def draw(panels: Sequence[Panel], columns: int, file: Path) -> None:
    """Draw the panels row by row."""
    rows = -(-len(panels) // columns)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure, axes = plt.subplots(
            rows, columns, squeeze=False, figsize=(3 * columns, 2.4 * rows), layout="constrained"
        )
        for panel, axis in zip(panels, axes.flat, strict=False):
            for name, (x, y) in panel.lines.items():
                if panel.steps:
                    axis.step(x, y, where="post", lw=1.2, label=name)
                else:
                    axis.plot(x, y, "o-", ms=3, lw=1.2, label=name)
            if panel.marks:
                height = axis.get_xaxis_transform()
                axis.vlines(
                    panel.marks, 0, 0.04, color="grey", lw=0.6, transform=height, label="reassigned"
                )
            axis.set_xlabel(panel.x)
            axis.set_ylabel(panel.y)
            axis.set_xscale(panel.scales[0])
            axis.set_yscale(panel.scales[1])
            for line, scale in zip((axis.xaxis, axis.yaxis), panel.scales, strict=True):
                if scale == "log":
                    plain_numbers(line)
            axis.grid(alpha=0.3)
            axis.legend(frameon=False, fontsize=7)
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)
