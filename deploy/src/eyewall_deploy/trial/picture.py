"""A trial's picture: throughput and latency of all schedulers over time, with moves and events."""

from __future__ import annotations

import math
from itertools import cycle
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from eyewall_deploy.trial.records import RunSecond, TrialRun
    from eyewall_deploy.trial.trial_file import Trial

_KNOWN = {"default": "#8a8a8a", "ras": "#b58a3a", "eyewall": "#1f6fb4"}
_OTHERS = ("#7a3fa0", "#2a8a57", "#c0392b", "#d27fb1", "#4a5a6a")
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000)
_WIDTH, _HEIGHT = 3.2, 2.0
_LABEL_HEIGHTS = (0.98, 0.9, 0.82)
"""Of events, in turn: those of events that are close to each other would overlap."""


def draw_trial(trial: Trial, runs: Sequence[TrialRun], file: Path) -> bool:
    """Draw a column for each load and save it as SVG; return False where matplotlib is missing.

    A line is the median over the repetitions in each second. A triangle is a move in any of them;
    those before the measurement are at its left edge.
    """
    try:
        import matplotlib as mpl  # not needed for anything else, and slow to import
        from matplotlib.figure import Figure
    except ImportError:
        return False
    loads = sorted({run.load for run in runs})
    colours = _colours(list(dict.fromkeys(run.scheduler for run in runs)))
    rows: dict[str, Callable[[RunSecond], float]] = {
        "tuples out per second": lambda second: second.out,
        "p50, ms": lambda second: _milliseconds(second.p50),
        "p99, ms": lambda second: _milliseconds(second.p99),
    }
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        size = (_WIDTH * max(2, len(loads)), _HEIGHT * len(rows) + 0.9)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(rows), len(loads), squeeze=False, sharex=True, sharey="row")
        for row, (label, value) in enumerate(rows.items()):
            for column, load in enumerate(loads):
                panel = panels[row][column]
                for scheduler, colour in colours.items():
                    own = [it for it in runs if (it.scheduler, it.load) == (scheduler, load)]
                    _draw_line(panel, own, value, scheduler, colour)
                _mark_events(panel, trial, named=row == 0)
                if row == 0:
                    panel.set_title(f"load {load:g}", loc="left", size=8)
                    panel.set_ylim(0, None)
                else:
                    _scale_latency(panel)
                if column == 0:
                    panel.set_ylabel(label)
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
        panels[-1][0].set_xlabel("seconds of the measurement; ▲ executors moved")
        figure.savefig(file, format="svg", metadata={"Date": None})
    return True


def _colours(schedulers: Sequence[str]) -> dict[str, str]:
    others = cycle(_OTHERS)
    return {name: _KNOWN.get(name) or next(others) for name in schedulers}


def _draw_line(
    panel: Axes,
    runs: Sequence[TrialRun],
    value: Callable[[RunSecond], float],
    label: str,
    colour: str,
) -> None:
    values: dict[int, list[float]] = {}
    for second in (second for run in runs for second in run.seconds):
        known = value(second)
        values.setdefault(second.at, [])
        if not math.isnan(known):
            values[second.at].append(known)
    middle = [median(own) if own else math.nan for own in values.values()]
    panel.plot(list(values), middle, color=colour, linewidth=0.9, label=label)
    moves = [max(0.0, move.at) for run in runs for move in run.moves]
    bottom = [0.03] * len(moves)
    height = panel.get_xaxis_transform()
    panel.plot(moves, bottom, "^", color=colour, markersize=4, transform=height)


def _mark_events(panel: Axes, trial: Trial, *, named: bool) -> None:
    for event, height in zip(trial.events, cycle(_LABEL_HEIGHTS)):
        until = trial.seconds if event.until is None else event.until
        if event.happens_once:
            panel.axvline(event.at, color="#000000", alpha=0.3, linewidth=0.6, linestyle=":")
        else:
            panel.axvspan(event.at, until, color="#000000", alpha=0.06, linewidth=0)
        if named:
            place = (event.at, height)
            panel.annotate(event.label, place, xycoords=("data", "axes fraction"), va="top", size=6)


def _scale_latency(panel: Axes) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    panel.set_yscale("log")
    panel.yaxis.set_major_locator(FixedLocator(_TICKS))
    panel.yaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    panel.grid(visible=True, axis="y", linewidth=0.4, alpha=0.5)


def _milliseconds(seconds: float | None) -> float:
    return math.nan if seconds is None else seconds * 1000
