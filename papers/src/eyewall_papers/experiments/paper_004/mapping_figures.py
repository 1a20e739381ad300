"""Tables and the plot of figure 7 of paper 004, from its trials."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan, nan, sqrt
from pathlib import Path
from statistics import fmean, stdev

import matplotlib as mpl
from rich.box import MARKDOWN
from rich.table import Table
from scipy.stats import t

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "eyewall"
from matplotlib import pyplot as plt  # noqa: E402 (after the choice of a backend without a screen)

CONFIDENT = 0.95
"""Of the intervals around means."""
OPTIMAL = 1 + 1e-6
"""A cost by the optimum that counts as the optimum."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One policy on one network.

    Parameters
    ----------
    nodes, network, policy
        What was asked of whom; `network` counts those of a size.
    maps
        Map messages.
    ended
        Whether the computation ended within MOST_MESSAGES.
    to_bound, to_optimum
        Its cost by the lower bound, and by the proven optimum; None if there is no such figure.
    """

    nodes: int
    network: int
    policy: str
    maps: int
    ended: bool
    to_bound: float | None
    to_optimum: float | None


@dataclass(frozen=True, slots=True)
class Case:
    """What is known of a network and its task.

    Parameters
    ----------
    nodes
        How many.
    impossible
        How many networks were drawn before that proved to have no mapping.
    bound
        Of section 4.2.
    optimum
        Cost of the best mapping; None if it is not proven.
    """

    nodes: int
    impossible: int
    bound: float
    optimum: float | None


def quality_table(trials: Sequence[Trial], cases: Sequence[Case]) -> Table:
    """Return figure 7 as a table, means with 95 % confidence intervals."""
    table = Table(
        *("nodes", "policy", "found", "cost / bound", "cost / optimum", "optimal", "map messages"),
        box=MARKDOWN,
    )
    for nodes, name, group in _groups(trials):
        to_bound = [it.to_bound for it in group if it.to_bound is not None]
        to_optimum = [it.to_optimum for it in group if it.to_optimum is not None]
        optimal = sum(it < OPTIMAL for it in to_optimum)
        table.add_row(
            str(nodes),
            name,
            f"{len(to_bound)} of {len(group)}",
            _mean(to_bound, "{:.3f}"),
            _mean(to_optimum, "{:.3f}"),
            f"{optimal} of {len(to_optimum)}",
            _mean([it.maps for it in group], "{:,.0f}"),
        )
    for nodes, same in groupby(cases, key=lambda it: it.nodes):
        group_cases = list(same)
        ratios = [it.optimum / it.bound for it in group_cases if it.optimum and it.bound]
        proven = sum(it.optimum is not None for it in group_cases)
        table.add_row(
            str(nodes),
            "optimum",
            f"{proven} of {len(group_cases)} proven",
            _mean(ratios, "{:.3f}"),
            "",
            f"{sum(it.impossible for it in group_cases)} drawn in vain",
            "",
        )
    return table


def exact_table(trials: Sequence[Trial]) -> Table:
    """Return how the exact algorithm's messages grow."""
    table = Table(
        *("nodes", "policy", "ended", "cost / optimum", "map messages", "greatest"), box=MARKDOWN
    )
    for nodes, name, group in _groups(trials):
        table.add_row(
            str(nodes),
            name,
            f"{sum(it.ended for it in group)} of {len(group)}",
            _mean([it.to_optimum for it in group if it.to_optimum is not None], "{:.3f}"),
            _mean([it.maps for it in group], "{:,.0f}"),
            f"{max(it.maps for it in group):,}",
        )
    return table


def draw(trials: Sequence[Trial], path: Path) -> None:
    """Draw both halves of figure 7: cost by the optimum, and messages."""
    figure, (quality, overhead) = plt.subplots(1, 2, figsize=(9, 3.6))
    for name in dict.fromkeys(it.policy for it in trials):
        groups = [(nodes, group) for nodes, policy, group in _groups(trials) if policy == name]
        ratios = [
            (nodes, [it.to_optimum for it in group if it.to_optimum is not None])
            for nodes, group in groups
        ]
        messages = [(nodes, [float(it.maps) for it in group]) for nodes, group in groups]
        for axes, figures in ((quality, ratios), (overhead, messages)):
            shown = [(nodes, *interval(values)) for nodes, values in figures if values]
            if shown:
                nodes, means, widths = zip(*shown, strict=True)
                axes.errorbar(nodes, means, yerr=widths, label=name, capsize=3, marker="o")
    quality.set(xlabel="nodes", ylabel="cost by the proven optimum", ylim=(0.95, None))
    overhead.set(xlabel="nodes", ylabel="map messages for a task", yscale="log")
    quality.legend(frameon=False, loc=(0.4, 0.1))
    for axes in (quality, overhead):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 95 % confidence interval; NaN for one value."""
    if len(values) < 2:
        return fmean(values), nan
    errors = float(t.ppf((1 + CONFIDENT) / 2, len(values) - 1))
    return fmean(values), errors * stdev(values) / sqrt(len(values))


def _mean(values: Sequence[float], form: str) -> str:
    if not values:
        return "–"
    return with_width(*interval(values), form)


def with_width(mean: float, width: float, form: str) -> str:
    """Write a mean and its interval; alone if nothing is known of that."""
    return form.format(mean) + ("" if isnan(width) else f" ± {form.format(width)}")


def _groups(trials: Sequence[Trial]) -> Iterator[tuple[int, str, list[Trial]]]:
    """Yield (nodes, policy, their trials) in the order of sizes."""
    kinds = dict.fromkeys((it.nodes, it.policy) for it in trials)
    for nodes, policy in kinds:
        group = [it for it in trials if (it.nodes, it.policy) == (nodes, policy)]
        yield nodes, policy, group
