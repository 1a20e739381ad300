"""`eyewall-monitor rates --batch`: the figures of any period, again, from the archive."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict
from pyspark.errors import AnalysisException
from pyspark.sql import functions as f

from eyewall_monitor.rates import archive
from eyewall_monitor.rates.figures import Figures, figures
from eyewall_monitor.rates.rows import RowKind
from eyewall_monitor.rates.windows import group_by_window, groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from eyewall_monitor.rates.config import RatesConfig


class ArchiveError(ValueError):
    """An archive that cannot be read; says why."""


class Recomputed(NamedTuple):
    """Figures of one thing in one window."""

    start: float
    """Seconds since the epoch: where the window begins."""
    topology: str
    figures: Figures


class Period(NamedTuple):
    """What a period's rows come to."""

    windows: list[Recomputed]
    rows: int
    late: int
    """Rows among them that the stream did not use."""
    lost: int
    """Reports that are missing or were rejected."""


def recompute(
    spark: SparkSession, config: RatesConfig, start: float, end: float, *, late_too: bool = True
) -> Period:
    """Figures of all windows within a period; ArchiveError if there is no archive.

    Parameters
    ----------
    late_too
        Whether rows that came too late for the stream are used; without them the figures are the
        stream's own.
    """
    folder = archive.place(config.archive.folder)
    try:
        rows = archive.read(spark, folder, _moment(start), _moment(end))
    except AnalysisException as error:
        raise ArchiveError(f"archive {folder}: {str(error).splitlines()[0]}") from None
    is_lost = f.col("kind") == RowKind.LOST.value
    counts = rows.agg(
        f.sum((~is_lost).cast("long")),
        f.sum(f.col("late").cast("long")),
        f.sum(f.when(is_lost, f.col("amount"))),
    ).first()
    assert counts is not None  # noqa: S101 - an aggregate without groups has one row
    used = rows.where(~is_lost if late_too else ~is_lost & ~f.col("late"))
    it = config.windows
    found = groups(group_by_window(used, it.seconds, it.slide_seconds))
    windows = [
        Recomputed(group.start, group.topology, figures(group))
        for group in found
        if group.start >= start and group.start + it.seconds <= end
    ]
    totals = (int(value or 0) for value in counts)
    return Period(sorted(windows, key=lambda one: one[:2]), *totals)


def lines(period: Period) -> Iterator[str]:
    """One line of JSON for each figure, and one for what all rests on."""
    for it in period.windows:
        for name, rows in zip(Figures._fields, it.figures, strict=True):
            for row in rows:
                content = {"window": it.start, "topology": it.topology, "of": name}
                yield json.dumps({**content, **_named(row)}, allow_nan=False)
    yield json.dumps(
        {"of": "period", "rows": period.rows, "late": period.late, "lost": period.lost}
    )


def _named(row: Struct) -> dict[str, Any]:
    return {
        name: _named(value) if isinstance(value, Struct) else value
        for name, value in asdict(row).items()
    }


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
