"""The README's picture: latency over time in one run of the demo, from the figures it wrote.

make demo ARGS="--json demo.json"
python -m benchmarks demo-figure demo.json docs/results/demo.svg
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLES = {
    "default": "Storm's default scheduler",
    "ras": "Resource Aware Scheduler",
    "eyewall": "Eyewall",
}
COLOURS = {"default": "#8a8a8a", "ras": "#b58a3a", "eyewall": "#1f6fb4"}

TICKS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000]


def draw(demo: dict[str, Any], file: Path) -> None:
    """Draw one panel for each scheduler, on one scale, and save it as SVG."""
    turns = demo["timelines"]
    with mpl.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "eyewall",
            "font.family": "sans-serif",
            "font.size": 9.0,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    ):
        figure, panels = plt.subplots(
            1,
            len(turns),
            sharey=True,
            figsize=(9.6, 3.4),
            width_ratios=[seconds(turn) for turn in turns],
            layout="constrained",
        )
        for panel, turn in zip(panels, turns, strict=True):
            draw_turn(panel, turn, demo)
        if demo["reassignment"]:
            mark_reassignment(panels[-1], turns[-1], demo["reassignment"])
        panels[0].set_ylabel("source to consumer")
        figure.supxlabel(
            "seconds since the first tuple; line: median, band: up to p99, dashed: with the ways "
            "to and from the hosts that source and consumer are pinned to",
            size=8,
        )
        figure.savefig(file, metadata={"Date": None})


def draw_turn(panel: Axes, turn: dict[str, Any], demo: dict[str, Any]) -> None:
    """Draw the median of each second, and the band up to its p99."""
    start = turn["moments"][0]["at"]
    name = turn["scheduler"]
    at = [moment["at"] - start for moment in turn["moments"]]
    p50 = [milliseconds(moment["p50"]) for moment in turn["moments"]]
    p99 = [milliseconds(moment["p99"]) for moment in turn["moments"]]
    panel.fill_between(at, p50, p99, color=COLOURS[name], alpha=0.25, linewidth=0)
    panel.plot(at, p50, color=COLOURS[name], linewidth=1.2)
    last = next(run for run in reversed(demo["runs"]) if run["scheduler"] == name)
    detour = milliseconds(last["placement"]["detour"])
    if detour:
        panel.plot(at, [value + detour for value in p50], color=COLOURS[name], linestyle="--")
    kept = "pins kept" if name == "eyewall" else "pins kept by chance"
    pins = f"pins ignored: +{detour:.0f} ms (dashed)" if detour else kept
    panel.set_title(f"{TITLES[name]}\n{pins}", loc="left", size=9)
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(FixedLocator(TICKS))
    panel.yaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_major_formatter(FuncFormatter(latency_text))
    panel.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    panel.grid(visible=True, axis="y", linewidth=0.4, alpha=0.5)
    panel.margins(x=0)


def mark_reassignment(panel: Axes, turn: dict[str, Any], change: dict[str, Any]) -> None:
    """Mark when the delay was raised and when Eyewall moved executors."""
    start = turn["moments"][0]["at"]
    source, target = change["link"]
    raised = milliseconds(change["delay_after"])
    count = len(change["moved"])
    marks = {
        change["raised_at"]: (f"{source} ↔ {target}\nnow {raised:.0f} ms", "right", -3),
        change["moved_at"]: (f"{count} executor{'s' * (count != 1)}\nmoved", "left", 3),
    }
    for at, (text, side, points) in marks.items():
        panel.axvline(at - start, color="#444444", linewidth=0.8, linestyle=":")
        panel.annotate(
            text,
            (at - start, 0.98),
            xycoords=("data", "axes fraction"),
            xytext=(points, 0),
            textcoords="offset points",
            ha=side,
            va="top",
            size=8,
        )


def seconds(turn: dict[str, Any]) -> float:
    """How long a turn lasted."""
    moments = turn["moments"]
    return float(moments[-1]["at"] - moments[0]["at"])


def milliseconds(value: float | None) -> float:
    """Return milliseconds; NaN, a gap in the line, for an unknown value."""
    return math.nan if value is None else value * 1000


def latency_text(value: float, _position: int) -> str:
    """Format milliseconds for an axis."""
    return f"{value / 1000:g} s" if value >= 1000 else f"{value:g} ms"


def main() -> None:
    """Read the demo's figures, write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("demo", type=Path, help="what `eyewall-deploy demo --json` wrote")
    parser.add_argument("picture", type=Path, help="the SVG file to write")
    asked = parser.parse_args()
    draw(json.loads(asked.demo.read_text(encoding="utf-8")), asked.picture)


if __name__ == "__main__":
    main()
