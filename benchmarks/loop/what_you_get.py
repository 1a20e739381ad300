"""The README's picture: Eyewall and Storm's default scheduler by RAS, from measured results.

    python -m benchmarks what-you-get [--results FILE.csv] [--plot FILE.svg]

The figures are those of trials on a running cluster; each line names the page of docs/results that
has the command.
"""

import argparse
import csv
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

RESULTS = Path(__file__).with_suffix(".csv")
SCHEDULERS = {"default": ("Storm's default", "s", "grey"), "eyewall": ("Eyewall", "o", "C0")}
LEAST, MOST = 1 / 30, 5.0
"""Ratios that are shown; what lies beyond is at the edge, with an arrow."""


@dataclass(frozen=True, slots=True)
class MeasuredSituation:
    """What was measured in one situation under three schedulers; None: not measured."""

    group: str
    situation: str
    more_is_better: bool
    default: float | None
    ras: float
    eyewall: float

    def ratio(self, scheduler: str) -> float | None:
        """Return by what RAS's is multiplied for the better; below 1 it is worse than RAS."""
        value: float | None = getattr(self, scheduler)
        if value is None:
            return None
        return value / self.ras if self.more_is_better else self.ras / value


def read(file: Path) -> list[MeasuredSituation]:
    """Read the results; `SystemExit` names a line that has no sense."""
    found = []
    with file.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), start=2):
            try:
                found.append(
                    MeasuredSituation(
                        row["group"],
                        row["situation"],
                        {"more": True, "less": False}[row["better"]],
                        float(row["default"]) if row["default"] else None,
                        float(row["ras"]),
                        float(row["eyewall"]),
                    )
                )
            except (KeyError, TypeError, ValueError) as error:
                raise SystemExit(f"{file}, line {number}: {error!r} in {row}") from None
    return found


def draw(situations: list[MeasuredSituation], file: Path) -> None:
    """Draw a line for each situation, from the worse to the better, RAS at 1."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "eyewall", "font.size": 8.0}):
        groups = [list(it) for _, it in groupby(situations, lambda it: it.group)]
        height = 0.75 + 0.23 * (len(situations) + len(groups))
        figure = Figure(figsize=(6.6, height), layout="constrained")
        axis = figure.subplots()
        place, labels = 0.0, {}
        for group in groups:
            axis.text(LEAST, place, group[0].group, weight="bold", va="center", fontsize=7.5)
            place += 1
            for it in group:
                labels[place] = it.situation
                for scheduler, (name, marker, colour) in SCHEDULERS.items():
                    if (ratio := it.ratio(scheduler)) is not None:
                        shown = min(max(ratio, LEAST), MOST)
                        marked = marker if shown == ratio else ("<" if ratio < LEAST else ">")
                        axis.plot(shown, place, marked, color=colour, ms=5, label=name)
                place += 1
        axis.axvline(1.0, color="black", lw=0.8)
        axis.set_xscale("log")
        axis.set_xlim(LEAST * 0.9, MOST * 1.1)
        ticks = {1 / 30: "1/30", 0.1: "1/10", 1 / 3: "1/3", 1.0: "as RAS", 2.0: "2", 4.0: "4"}
        axis.set_xticks(list(ticks), list(ticks.values()))
        axis.minorticks_off()
        axis.set_xlabel("times as good as Storm's resource-aware scheduler (RAS)")
        axis.set_yticks(list(labels), list(labels.values()))
        axis.set_ylim(place - 0.5, -0.7)
        axis.grid(axis="x", alpha=0.3)
        known = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
        figure.legend(known.values(), known.keys(), loc="outside upper right", ncols=2)
        figure.savefig(file, metadata={"Date": None})


def main() -> None:
    """Print the ratios, and draw them where a file is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    situations = read(options.results)
    for it in situations:
        ratios = (f"{name} {ratio:.2f}" for name in SCHEDULERS if (ratio := it.ratio(name)))
        print(f"{it.group}; {it.situation}: {', '.join(ratios)}")
    if options.plot is not None:
        draw(situations, options.plot)


if __name__ == "__main__":
    main()
