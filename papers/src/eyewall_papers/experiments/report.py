"""Shared by all experiments: options, progress, tables, pictures, means with intervals."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import cycle
from math import isnan, nan, sqrt
from pathlib import Path
from statistics import fmean, median, stdev

import matplotlib as mpl
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from rich.box import MARKDOWN
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from scipy.stats import t

DECADES = 2000
"""Greatest by least value of a logarithmic axis that has no room for 2 and 5."""
CONFIDENT = 0.95
CONSOLE = Console(width=400)
Row = Sequence[str]
Line = tuple[Sequence[float], ...]
"""x and y, perhaps with half the widths of error bars."""


def at_least(least: int) -> Callable[[str], int]:
    """Return a reader of an option: a whole number that is not smaller."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"{text}; it must be a whole number ≥ {least}")
        return number

    return read


def add_plots(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plots", type=Path, metavar="DIR", help="directory for pictures (SVG)")


def progress_bar() -> Progress:
    """Return a bar on standard error; steps differ in length, so it shows no remaining time."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True))


def show(header: Row, rows: Iterable[Row], title: str = "", left: int = 1) -> None:
    """Print a Markdown table; columns after the first `left` are aligned to the right."""
    table = Table(title=title or None, box=MARKDOWN)
    for place, column in enumerate(header):
        table.add_column(column, justify="left" if place < left else "right")
    for row in rows:
        table.add_row(*row)
    CONSOLE.print(table)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 95 % confidence interval; NaN for one value."""
    if len(values) < 2:
        return fmean(values), nan
    errors = float(t.ppf((1 + CONFIDENT) / 2, len(values) - 1))
    return fmean(values), errors * stdev(values) / sqrt(len(values))


def mean_text(values: Sequence[float], form: str) -> str:
    """Write a mean and its interval: alone for one value, a dash for none."""
    if not values:
        return "–"
    mean, width = interval(values)
    return form.format(mean) + ("" if isnan(width) else f" ± {form.format(width).lstrip('+')}")


def range_text(values: Sequence[float]) -> str:
    """Write a median and its range: alone where all are the same, a dash for none."""
    if not values:
        return "–"
    least, middle, most = (f"{it:.3g}" for it in (min(values), median(values), max(values)))
    return middle if least == most else f"{middle} [{least}–{most}]"


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture: name → line.

    `marks` are short lines at the bottom, where operators were reassigned; `steps` holds a value
    until the next one; `scales` are those of x and y.
    """

    x: str
    y: str
    lines: Mapping[str, Line]
    title: str = ""
    marks: Sequence[float] = ()
    steps: bool = False
    scales: tuple[str, str] = ("linear", "linear")
    from_zero: bool = False


def style() -> AbstractContextManager[None]:
    """Return the style of all pictures: the same data draw the same bytes."""
    return mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0})


def draw(panels: Sequence[Panel], columns: int, file: Path, *, one_legend: bool = False) -> None:
    """Draw panels row by row; with one legend, lines of one name have one colour in all."""
    rows = -(-len(panels) // columns)
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    with style():
        figure = Figure(figsize=(3.4 * columns, 2.4 * rows + 0.5), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        drawn = {}
        for axis in grid.flat[len(panels) :]:
            axis.set_visible(False)
        for panel, axis in zip(panels, grid.flat, strict=False):
            for name, marker in zip(panel.lines, cycle("osD^vP"), strict=False):
                x, y, *widths = panel.lines[name]
                colour = f"C{names.index(name)}" if one_legend else None
                if panel.steps:
                    drawn[name] = axis.step(x, y, where="post", lw=1.2, label=name)[0]
                else:
                    drawn[name] = axis.errorbar(
                        x,
                        y,
                        yerr=widths[0] if widths else None,
                        fmt=f"{marker}-",
                        ms=2.5,
                        lw=1,
                        capsize=2,
                        color=colour,
                        label=name,
                    )
            if panel.marks:
                height = axis.get_xaxis_transform()
                marked = {"color": "grey", "lw": 0.6, "transform": height, "label": "reassigned"}
                axis.vlines(panel.marks, 0, 0.04, **marked)
            axis.set(title=panel.title, xlabel=panel.x, ylabel=panel.y)
            axis.set(xscale=panel.scales[0], yscale=panel.scales[1])
            for line, scale in zip((axis.xaxis, axis.yaxis), panel.scales, strict=True):
                if scale == "log":
                    plain_numbers(line)
            if panel.from_zero:
                axis.set_ylim(0, None)
            axis.grid(alpha=0.3)
            if not one_legend:
                axis.legend(frameon=False, fontsize=7)
        if one_legend:
            handles = list(drawn.values())
            figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
        save(figure, file)


def save(figure: Figure, file: Path) -> None:
    """Write a figure as SVG without its date."""
    figure.savefig(file, metadata={"Date": None})


def plain_numbers(axis: Axis) -> None:
    """Label 1, 2 and 5 of each power of ten, or powers only where these are too many."""
    low, high = sorted(axis.get_view_interval())
    subs = (1.0,) if high / low > DECADES else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
