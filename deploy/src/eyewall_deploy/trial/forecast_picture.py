"""What was forecast against what was measured: a scatter plot for each kind of value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eyewall_deploy.trial.forecast_points import (
    BUSY,
    CPU_WITHIN,
    LATENCY,
    LATENCY_WITHIN,
    RATE,
    RATE_WITHIN,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from eyewall_deploy.trial.forecast_points import ForecastPoint

_COLOUR, _MISSED = "#1f6fb4", "#c0392b"
_WIDTH, _HEIGHT = 3.2, 3.4


def draw_forecasts(points: Sequence[ForecastPoint], file: Path) -> bool:
    """Draw the points as SVG, red where a forecast is further off than it should be.

    Return False without points, or where matplotlib is missing. A bar is the forecast's interval.
    """
    if not points:
        return False
    try:
        import matplotlib as mpl  # slow to import
        from matplotlib.figure import Figure
    except ImportError:
        return False
    panels = list(_panels(points))
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure = Figure(figsize=(_WIDTH * len(panels), _HEIGHT), layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for panel, it in zip(axes, panels, strict=True):
            _draw(panel, it)
        axes[0].set_ylabel("forecast")
        figure.savefig(file, format="svg", metadata={"Date": None})
    return True


class _Panel(NamedTuple):
    """One kind of value, and how far a forecast of it may be off: absolutely, and relatively."""

    title: str
    points: Sequence[ForecastPoint]
    unit: float
    within: float
    relative: float


def _panels(points: Sequence[ForecastPoint]) -> Iterator[_Panel]:
    rates = [it for it in points if it.what == RATE]
    if rates:
        yield _Panel("largest rate, tuples/s", rates, 1.0, 0.0, RATE_WITHIN)
    latencies = [it for it in points if it.what == LATENCY]
    cpu = [it for it in points if it.what not in {RATE, LATENCY}]
    if cpu or latencies:
        yield _Panel("share of a host's cores", cpu, 1.0, CPU_WITHIN, 0.0)
        title = f"mean latency, ms, busiest host ≤ {BUSY:.0%}"
        yield _Panel(title, latencies, 1000.0, 0.0, LATENCY_WITHIN)


def _draw(panel: Axes, drawn: _Panel) -> None:
    points, unit = drawn.points, drawn.unit
    most = 1.1 * max((max(it.measured, it.forecast) for it in points), default=1.0) * unit
    panel.set_title(drawn.title, loc="left", size=8)
    panel.set_xlabel("measured")
    panel.set_xlim(0, most)
    panel.set_ylim(0, most)
    panel.plot([0, most], [0, most], color="#8a8a8a", linewidth=0.6)
    low, high = most * (1 - drawn.relative) - drawn.within, most * (1 + drawn.relative)
    panel.fill_between(
        [0, most],
        [-drawn.within, low],
        [drawn.within, high + drawn.within],
        color="#000000",
        alpha=0.07,
        linewidth=0,
    )
    for it in points:
        colour = _COLOUR if it.is_met else _MISSED
        x = it.measured * unit
        panel.plot([x, x], [it.least * unit, it.greatest * unit], color=colour, linewidth=0.5)
        panel.plot([x], [it.forecast * unit], "o", color=colour, markersize=2.5)
