"""Tables and panels of figures 8 and 9: means over networks with 95 % confidence intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from rich.box import MARKDOWN
from rich.table import Table

from eyewall_papers.experiments.paper_004.mapping_figures import interval, with_width
from eyewall_papers.experiments.paper_004.platform_trials import Case, Found, Measures, Setting

PER_HOUR, LINKS = "arrivals in an hour", "dedicated links"
AXES: dict[str, Callable[[Case], float]] = {
    PER_HOUR: lambda case: case.per_hour,
    LINKS: lambda case: case.links,
}


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure over one axis.

    Parameters
    ----------
    title
        With the paper's letter.
    axis
        PER_HOUR or LINKS.
    measure
        A field of `Measures`.
    """

    title: str
    axis: str
    measure: str


@dataclass(frozen=True, slots=True)
class Series:
    """Mean and half the width of its interval, at each value of an axis."""

    at: tuple[float, ...]
    means: tuple[float, ...]
    widths: tuple[float, ...]


def series(found: Found, setting: Setting, panel: Panel, fixed: float) -> Series:
    """Return one line of a panel; `fixed` is the value of the other axis."""
    other = LINKS if panel.axis == PER_HOUR else PER_HOUR
    groups: dict[float, list[float]] = {}
    for case, measures in found.items():
        value = getattr(measures, panel.measure)
        if case.setting is setting and AXES[other](case) == fixed and value is not None:
            groups.setdefault(AXES[panel.axis](case), []).append(value)
    at = tuple(sorted(groups))
    means, widths = zip(*(interval(groups[it]) for it in at), strict=True) if at else ((), ())
    return Series(at, means, widths)


def matched(found: Found, settings: Sequence[Setting]) -> Found:
    """Leave out networks that were not simulated in each of the settings."""
    return {
        case: measures
        for case, measures in found.items()
        if all(replace(case, setting=other) in found for other in settings)
    }


def table(
    found: Found, settings: Sequence[Setting], axis: str, fixed: float, measures: Sequence[str]
) -> Table:
    """One row for each value of the axis and setting."""
    shown = Table(axis, "setting", "networks", *measures, box=MARKDOWN)
    other = LINKS if axis == PER_HOUR else PER_HOUR
    mine = {case: it for case, it in found.items() if AXES[other](case) == fixed}
    for at in sorted({AXES[axis](case) for case in mine}):
        for setting in settings:
            group = [
                it
                for case, it in mine.items()
                if AXES[axis](case) == at and case.setting is setting
            ]
            if group:
                cells = (_cell(group, measure) for measure in measures)
                shown.add_row(f"{at:g}", setting, str(len(group)), *cells)
    return shown


def differences(
    found: Found, one: Setting, other: Setting, axis: str, measures: Sequence[str]
) -> Table:
    """How much more `one` is than `other` on the same network, in the measure's own unit."""
    shown = Table(axis, "networks", *measures, box=MARKDOWN)
    for at in sorted({AXES[axis](case) for case in found}):
        pairs = [
            (it, found[replace(case, setting=other)])
            for case, it in found.items()
            if AXES[axis](case) == at and case.setting is one
        ]
        cells = []
        for measure in measures:
            values = [(getattr(it, measure), getattr(than, measure)) for it, than in pairs]
            gains = [it - than for it, than in values if it is not None and than is not None]
            form = "{:+.2f}" if measure == "throughput" else "{:+.2%}"
            mean, width = interval(gains)
            cells.append(f"{form.format(mean)} ± {form.format(width).lstrip('+')}")
        shown.add_row(f"{at:g}", str(len(pairs)), *cells)
    return shown


def draw(
    found: Found,
    panels: Sequence[Panel],
    settings: Sequence[Setting],
    fixed: dict[str, float],
    file: Path,
) -> None:
    """Draw panels, three in a row; a line for each setting."""
    rows = (len(panels) + 2) // 3
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        figure, grid = plt.subplots(
            rows, 3, figsize=(10, 2.7 * rows), squeeze=False, layout="constrained"
        )
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            for number, setting in enumerate(settings):
                line = series(found, setting, panel, fixed[panel.axis])
                if line.at:
                    axes.errorbar(
                        line.at,
                        line.means,
                        yerr=line.widths,
                        label=setting,
                        capsize=2,
                        marker="osD^"[number],
                        markersize=3,
                    )
            axes.set(title=panel.title, xlabel=panel.axis, ylim=(0, None))
            axes.grid(alpha=0.3)
        grid[0, 0].legend(frameon=False)
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)


def _cell(group: Sequence[Measures], measure: str) -> str:
    """Mean and interval; nothing deviates by a little less than nothing."""
    values = [value for it in group if (value := getattr(it, measure)) is not None]
    if not values:
        return "–"
    form = "{:.1f}" if measure == "throughput" else "{:.1%}"
    return with_width(*interval([round(value, 9) + 0.0 for value in values]), form)
