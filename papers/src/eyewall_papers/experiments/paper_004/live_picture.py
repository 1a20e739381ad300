"""The picture of benchmarks/paper_004/live.py: what each consumer saw over time, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eyewall_papers.experiments.paper_004.live import Turn, Window

COLOURS = {"urgent": "#1f6fb4", "bulk": "#b58a3a"}


def draw(windows: Sequence[Window], turns: Sequence[Turn], target: float, file: Path) -> None:
    """Draw the rate in each window as a share of the target; turns with re-allocation shaded."""
    start = turns[0].begin
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure, panel = plt.subplots(figsize=(7.5, 2.8), layout="constrained")
        for turn in turns:
            if turn.reallocates:
                panel.axvspan(turn.begin - start, turn.end - start, color="0.92", lw=0)
        panel.axhline(1.0, color="0.5", lw=0.8, ls="--")
        for topology in dict.fromkeys(it.topology for it in windows):
            label: str | None = topology
            for number in range(len(turns)):
                mine = [it for it in windows if it.topology == topology and it.turn == number]
                panel.plot(
                    [it.begin - start for it in mine],
                    [it.rate / target for it in mine],
                    ".-",
                    color=COLOURS[topology],
                    label=label,
                    lw=1.0,
                )
                label = None
        panel.set_xlabel("seconds; shaded: with re-allocation of links")
        panel.set_ylabel("delivered / target rate")
        panel.set_ylim(bottom=0.0)
        panel.legend(loc="lower right")
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)
