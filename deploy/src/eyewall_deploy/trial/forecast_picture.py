"""What was forecast against what was measured: a scatter plot for CPU and one for latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_deploy.trial.forecasts import BUSY, CPU_WITHIN, LATENCY, LATENCY_WITHIN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from eyewall_deploy.trial.forecasts import ForecastPoint

_COLOUR, _MISSED = "#1f6fb4", "#c0392b"
_SIZE = (6.4, 3.4)


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
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        cpu, latency = figure.subplots(1, 2)
        _draw(cpu, [it for it in points if it.what != LATENCY], 1.0)
        cpu.set_title("share of a host's cores", loc="left", size=8)
        most = cpu.get_xlim()[1]
        cpu.fill_between(
            [0, most], [-CPU_WITHIN, most - CPU_WITHIN], [CPU_WITHIN, most + CPU_WITHIN], **_BAND
        )
        _draw(latency, [it for it in points if it.what == LATENCY], 1000.0)
        latency.set_title(f"mean latency, ms, busiest host ≤ {BUSY:.0%}", loc="left", size=8)
        most = latency.get_xlim()[1]
        low, high = (1 - LATENCY_WITHIN) * most, (1 + LATENCY_WITHIN) * most
        latency.fill_between([0, most], [0, low], [0, high], **_BAND)
        for panel in (cpu, latency):
            panel.set_xlabel("measured")
            panel.set_ylim(0, panel.get_xlim()[1])
        cpu.set_ylabel("forecast")
        figure.savefig(file, format="svg", metadata={"Date": None})
    return True


_BAND = {"color": "#000000", "alpha": 0.07, "linewidth": 0}


def _draw(panel: Axes, points: Sequence[ForecastPoint], unit: float) -> None:
    most = 1.1 * max((max(it.measured, it.forecast) for it in points), default=1.0) * unit
    panel.set_xlim(0, most)
    panel.plot([0, most], [0, most], color="#8a8a8a", linewidth=0.6)
    for it in points:
        colour = _COLOUR if it.is_met else _MISSED
        x = it.measured * unit
        panel.plot([x, x], [it.least * unit, it.greatest * unit], color=colour, linewidth=0.5)
        panel.plot([x], [it.forecast * unit], "o", color=colour, markersize=2.5)
