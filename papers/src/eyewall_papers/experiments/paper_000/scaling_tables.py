"""The tables of section 7.3, and what its text says of sizes."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from rich.box import MARKDOWN
from rich.table import Table

from eyewall_papers.experiments.paper_000.scalability import (
    Case,
    Solved,
    degradation,
    median_gap,
    median_ms,
    variables,
)
from eyewall_papers.instances.baseline import Shape, baseline

Answers = Mapping[Case, Sequence[Solved]]
LONGEST = {Shape.SEQUENTIAL: 50.0, Shape.FAT: 3.0}
"""Seconds on the longest path of 50 operators with the paper's R_i = 1 s."""


def growth(solved: Answers) -> Table:
    """Return ms to the answer; where not all are proven, how many are and the median gap."""
    apart = ("limit", "candidates")
    varied = [it for it in solved if it.factor not in apart]
    return _by_shape(varied, lambda it: _cell(solved[it]))


def gaps(solved: Answers) -> Table:
    """Return the median gap after each limit."""
    limits = [it for it in solved if it.factor == "limit"]
    return _by_shape(limits, lambda it: _gap(median_gap(solved[it])))


def samples(solved: Answers) -> Table:
    """Return time and performance degradation with a part of the candidates."""
    table = Table("candidates", "shape", "ms", "R / optimum", "with R_i = 1 s", box=MARKDOWN)
    whole = {it.shape: solved[it] for it in solved if (it.factor, it.amount) == ("candidates", 1)}
    for case in (it for it in solved if it.factor == "candidates"):
        found, optimal = solved[case], whole[case.shape]
        table.add_row(
            f"{case.amount:.0%}",
            case.shape,
            _cell(found),
            f"{degradation(found, optimal, 0.0):.2f}",
            f"{degradation(found, optimal, LONGEST[case.shape]):.3f}",
        )
    return table


def quoted(solved: Answers) -> list[str]:
    """Return the numbers that the text gives, as ours."""
    ms = {(it.factor, it.shape, it.amount): median_ms(solved[it]) for it in solved}
    lines = []
    for shape in Shape:
        xs, ys = variables(baseline(shape, 50, 20, seed=1))
        more_xs, more_ys = variables(baseline(shape, 20, 100, seed=1))
        ratio = ms["operators", shape, 50] / ms["nodes", shape, 50]
        lines.append(
            f"{shape}: 50 × 20 has {xs} x and {ys} y, 20 × 100 has {more_xs} x and {more_ys} y; "
            f"50 × 20 takes {ratio:.1f} times as long as 20 × 50"
        )
    return lines


def _by_shape(cases: Sequence[Case], cell: Callable[[Case], str]) -> Table:
    table = Table("varied", "to", *Shape, box=MARKDOWN)
    by_point = {(it.factor, it.amount, it.shape): it for it in cases}
    for factor, amount in dict.fromkeys((it.factor, it.amount) for it in cases):
        table.add_row(
            factor, f"{amount:.3g}", *(cell(by_point[factor, amount, shape]) for shape in Shape)
        )
    return table


def _cell(found: Sequence[Solved]) -> str:
    proven = sum(it.proven for it in found)
    shown = f"{median_ms(found):.1f}"
    if proven == len(found):
        return shown
    rest = float(np.median([it.gap for it in found if not it.proven]))
    return f"{shown} ({proven} of {len(found)} proven, gap of the rest {_gap(rest)})"


def _gap(gap: float) -> str:
    return f"{gap:.1%}" if np.isfinite(gap) else "none yet"
