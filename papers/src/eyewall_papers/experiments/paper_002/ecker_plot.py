"""One quantity of each policy over paper 002's topologies, its own figures hollow beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from eyewall_papers.experiments.log_ticks import plain_numbers

MARKERS = "osD^vP"
SPREAD = 0.5
"""Of a topology's column, what its policies are spread over."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn.

    Parameters
    ----------
    quantity
        Its name and unit.
    topologies
        From left to right.
    ours, paper
        Policy → one number a topology; a policy has always the same colour.
    """

    quantity: str
    topologies: Sequence[str]
    ours: Mapping[str, Sequence[float]]
    paper: Mapping[str, Sequence[float]] = field(default_factory=dict)


def draw(picture: Picture, file: Path) -> None:
    """Draw the picture on a logarithmic axis."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure, axes = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
        width = max(1, len(picture.ours) - 1)
        for number, (policy, values) in enumerate(picture.ours.items()):
            shift = SPREAD * (number / width - 0.5)
            columns = [it + shift for it in range(len(picture.topologies))]
            shown = {policy: (values, f"C{number}")}
            if policy in picture.paper:
                shown[f"{policy}, paper"] = (picture.paper[policy], "none")
            for label, (heights, filling) in shown.items():
                axes.plot(
                    columns,
                    heights,
                    label=label,
                    ls="",
                    marker=MARKERS[number],
                    ms=4.5,
                    color=f"C{number}",
                    mfc=filling,
                )
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
        axes.set_ylabel(picture.quantity)
        axes.set_xlabel("topology, and its operators")
        axes.set_xticks(range(len(picture.topologies)), picture.topologies)
        axes.grid(alpha=0.3, axis="y")
        figure.legend(frameon=False, loc="outside right center")
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)
