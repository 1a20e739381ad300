"""Logarithmic axes that can be read: 0.2, 0.5, 1, 2 … in place of powers of ten."""

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

MANY = 2000
"""Greatest by least value of an axis that has no room for 2 and 5."""


def plain_numbers(axis: Axis) -> None:
    """Label 1, 2 and 5 of each power of ten, or where these are too many, powers only."""
    low, high = sorted(axis.get_view_interval())
    subs = (1.0,) if high / low > MANY else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
