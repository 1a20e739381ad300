"""Tables and panels of figures 8 and 9: means over networks with 95 % confidence intervals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from eyewall_papers.experiments.paper_004.platform_trials import (
    PlatformCase,
    PlatformMeasures,
    PlatformResults,
    PlatformSetting,
)
from eyewall_papers.experiments.report import Panel, Row, interval, mean_text

PER_HOUR, LINKS = "arrivals in an hour", "dedicated links"
AXES: dict[str, Callable[[PlatformCase], float]] = {
    PER_HOUR: lambda case: case.per_hour,
    LINKS: lambda case: case.links,
}
OTHER = {PER_HOUR: LINKS, LINKS: PER_HOUR}


@dataclass(frozen=True, slots=True)
class MeasurePanel:
    """One measure over one axis.

    Parameters
    ----------
    title
        With the paper's letter.
    axis
        PER_HOUR or LINKS.
    measure
        A field of `PlatformMeasures`.
    """

    title: str
    axis: str
    measure: str

    def panel(
        self,
        found: PlatformResults,
        settings: Sequence[PlatformSetting],
        fixed: Mapping[str, float],
    ) -> Panel:
        """Draw a line for each setting; `fixed` has the value of the other axis."""
        lines = {
            str(setting): (line.at, line.means, line.widths)
            for setting in settings
            if (line := series(found, setting, self, fixed[self.axis])).at
        }
        return Panel(self.axis, "", lines, self.title, from_zero=True)


@dataclass(frozen=True, slots=True)
class Series:
    """Mean and half the width of its interval, at each value of an axis."""

    at: tuple[float, ...]
    means: tuple[float, ...]
    widths: tuple[float, ...]


def series(
    found: PlatformResults, setting: PlatformSetting, panel: MeasurePanel, fixed: float
) -> Series:
    """Return one line of a panel; `fixed` is the value of the other axis."""
    groups: dict[float, list[float]] = {}
    for case, measures in found.items():
        value = getattr(measures, panel.measure)
        at_fixed = AXES[OTHER[panel.axis]](case) == fixed
        if case.setting is setting and at_fixed and value is not None:
            groups.setdefault(AXES[panel.axis](case), []).append(value)
    at = tuple(sorted(groups))
    means, widths = zip(*(interval(groups[it]) for it in at), strict=True) if at else ((), ())
    return Series(at, means, widths)


def keep_common(found: PlatformResults, settings: Sequence[PlatformSetting]) -> PlatformResults:
    """Leave out networks that were not simulated in each of the settings."""
    return {
        case: measures
        for case, measures in found.items()
        if all(replace(case, setting=other) in found for other in settings)
    }


def means(
    found: PlatformResults,
    settings: Sequence[PlatformSetting],
    axis: str,
    fixed: float,
    measures: Sequence[str],
) -> Iterator[Row]:
    """Yield (value of the axis, setting, networks, each measure's mean)."""
    mine = {case: it for case, it in found.items() if AXES[OTHER[axis]](case) == fixed}
    for at in sorted({AXES[axis](case) for case in mine}):
        for setting in settings:
            group = [
                it
                for case, it in mine.items()
                if AXES[axis](case) == at and case.setting is setting
            ]
            if group:
                yield f"{at:g}", setting, str(len(group)), *(_mean(group, it) for it in measures)


def _mean(group: Sequence[PlatformMeasures], measure: str) -> str:
    # Rounding and + 0.0: a mean that is 0 but for rounding errors is not written as -0.0.
    values = [round(value, 9) + 0.0 for it in group if (value := getattr(it, measure)) is not None]
    return mean_text(values, "{:.1f}" if measure == "throughput" else "{:.1%}")


def differences(
    found: PlatformResults,
    one: PlatformSetting,
    other: PlatformSetting,
    axis: str,
    measures: Sequence[str],
) -> Iterator[Row]:
    """Yield `one` less `other` on the same network, in the measure's own unit."""
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
            cells.append(mean_text(gains, "{:+.2f}" if measure == "throughput" else "{:+.2%}"))
        yield f"{at:g}", str(len(pairs)), *cells
